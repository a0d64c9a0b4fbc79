import { endOfClass, escapeOf, type Flags, literalOf, readEscape, translateClass } from './regex-class.ts';
import { fault, RegexError } from './regex-error.ts';

/**
 * RE2 (Go's `regexp`) on JavaScript's engine: the syntax is translated, what RE2 refuses is refused with Go's text.
 * Compiled once per pattern and mode.
 */
export interface GoRegex {
  regex: RegExp;
  /** Names by group number; '' for a group without one. Index 0 is the whole match. */
  names: string[];
}

const cache = new Map<string, GoRegex>();
const CACHE_SIZE = 500;

/** Throws RegexError: `error parsing regexp: …`. `anchored`: the whole text must match, `.` matches newlines too (label matchers). */
export function compileRegex(pattern: string, mode: 'search' | 'anchored' = 'search'): GoRegex {
  const key = `${mode}\0${pattern}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const { source, names } = translate(pattern, mode === 'anchored');
  const made = { regex: build(mode === 'anchored' ? `^(?:${source})$` : source, pattern), names };
  if (cache.size >= CACHE_SIZE) cache.clear();
  cache.set(key, made);
  return made;
}

function build(source: string, pattern: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    // Valid for our reader but not for the engine: a construct that is not translated. Refused rather than guessed.
    throw new RegexError(`regular expression not implemented in this sandbox: \`${pattern}\``);
  }
}

function translate(pattern: string, dotAll: boolean): { source: string; names: string[] } {
  const names = [''];
  let flags: Flags = { i: false, s: dotAll, m: false, U: false };
  const scopes: Flags[] = [];
  let out = '';
  let at = 0;
  /** Start of the last atom in the pattern, or -1 when there is nothing to repeat. */
  let atom = -1;
  let repeat = -1;
  while (at < pattern.length) {
    const rest = pattern.slice(at);
    const char = String.fromCodePoint(pattern.codePointAt(at) ?? 0);
    if (char === '(') {
      const group = readGroup(rest, flags, pattern);
      if (group.opens) {
        scopes.push(flags);
        if (group.captures) names.push(group.name);
      }
      flags = group.flags;
      out += group.source;
      at += group.length;
      atom = repeat = -1;
      continue;
    }
    if (char === ')') {
      const outer = scopes.pop();
      if (outer === undefined) throw fault('unexpected )', pattern);
      flags = outer;
      out += ')';
      atom = at++;
      repeat = -1;
      continue;
    }
    if (char === '|') {
      out += '|';
      at++;
      atom = repeat = -1;
      continue;
    }
    const quantifier = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/.exec(rest)?.[0];
    if (quantifier !== undefined) {
      if (repeat >= 0) throw fault('invalid nested repetition operator', pattern.slice(repeat, at + quantifier.length));
      if (atom < 0) throw fault('missing argument to repetition operator', quantifier);
      checkRepeat(quantifier);
      const lazy = quantifier.length > 1 && quantifier.endsWith('?');
      out += (lazy ? quantifier.slice(0, -1) : quantifier) + (lazy !== flags.U ? '?' : '');
      repeat = at;
      at += quantifier.length;
      continue;
    }
    atom = at;
    repeat = -1;
    if (char === '[') {
      const end = endOfClass(pattern, at);
      out += translateClass(pattern.slice(at, end), flags);
      at = end;
    } else if (char === '\\') {
      if (rest.startsWith('\\Q')) {
        const end = pattern.indexOf('\\E', at);
        const literal = pattern.slice(at + 2, end < 0 ? undefined : end);
        out += [...literal].map((letter) => literalOf(letter, flags)).join('');
        at = end < 0 ? pattern.length : end + 2;
        if (literal === '') atom = -1;
        continue;
      }
      const escaped = readEscape(rest);
      out += escapeOf(escaped, flags);
      at += escaped.length;
    } else {
      if (char === '.') out += flags.s ? '[\\s\\S]' : '[^\\n]';
      else if (char === '^') out += flags.m ? '(?<=^|\\n)' : '^';
      else if (char === '$') out += flags.m ? '(?=\\n|$)' : '$';
      else out += literalOf(char, flags);
      at += char.length;
    }
  }
  if (scopes.length > 0) throw fault('missing closing )', pattern);
  return { source: out, names };
}

interface Group {
  source: string;
  length: number;
  flags: Flags;
  opens: boolean;
  captures: boolean;
  name: string;
}

function readGroup(rest: string, flags: Flags, pattern: string): Group {
  if (!rest.startsWith('(?')) return { source: '(', length: 1, flags, opens: true, captures: true, name: '' };
  const opening = /^\(\?P?</.exec(rest)?.[0];
  if (opening !== undefined) {
    const end = rest.indexOf('>');
    const name = rest.slice(opening.length, Math.max(end, 0));
    if (!/^\w+$/.test(name)) throw fault('invalid named capture', end < 0 ? rest : rest.slice(0, end + 1));
    return { source: '(', length: end + 1, flags, opens: true, captures: true, name };
  }
  const set = /^\(\?([imsU]*)(?:-([imsU]+))?([:)])/.exec(rest);
  if (set === null) {
    if (/^\(\?[a-zA-Z]*$/.test(rest)) throw fault('missing closing )', pattern);
    throw fault(
      'invalid or unsupported Perl syntax',
      /^\(\?(P?.)?[=!]?/.exec(rest)?.[0].slice(0, rest[2] === '<' ? 4 : 3) ?? rest,
    );
  }
  const next = { ...flags };
  for (const letter of set[1] ?? '') next[letter as keyof Flags] = true;
  for (const letter of set[2] ?? '') next[letter as keyof Flags] = false;
  const opens = set[3] === ':';
  return { source: opens ? '(?:' : '', length: set[0].length, flags: next, opens, captures: false, name: '' };
}

function checkRepeat(quantifier: string): void {
  const bounds = /^\{(\d+)(?:,(\d*))?\}/.exec(quantifier);
  if (bounds === null) return;
  const low = Number(bounds[1]);
  const high = bounds[2] === undefined || bounds[2] === '' ? low : Number(bounds[2]);
  if (low > 1000 || high > 1000 || high < low) throw fault('invalid repeat count', bounds[0]);
}
