/**
 * RE2 (Go's `regexp`) on JavaScript's engine: the syntax is translated, what RE2 refuses is refused with Go's text.
 * Compiled once per pattern and mode.
 */
export class RegexError extends Error {
  override name = 'RegexError';
}

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

interface Flags {
  i: boolean;
  s: boolean;
  m: boolean;
  U: boolean;
}

function fault(code: string, at: string): RegexError {
  return new RegexError(`error parsing regexp: ${code}: \`${at}\``);
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
  const named = /^\(\?P?<([^>]*)>/.exec(rest);
  if (named !== null && !/^\(\?P?<[=!]/.test(rest)) {
    const name = named[1] ?? '';
    if (!/^\w+$/.test(name)) throw fault('invalid named capture', named[0]);
    return { source: '(', length: named[0].length, flags, opens: true, captures: true, name };
  }
  const set = /^\(\?([imsU]*)(?:-([imsU]+))?([:)])/.exec(rest);
  if (set === null) {
    if (/^\(\?P?<\w*$/.test(rest)) throw fault('invalid named capture', rest);
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

function endOfClass(pattern: string, from: number): number {
  let at = from + 1;
  if (pattern[at] === '^') at++;
  let first = true;
  while (at < pattern.length && (first || pattern[at] !== ']')) {
    first = false;
    const posix = /^\[:\^?\w+:\]/.exec(pattern.slice(at))?.[0];
    at += posix?.length ?? (pattern[at] === '\\' ? 2 : 1);
  }
  if (at >= pattern.length) throw fault('missing closing ]', pattern.slice(from));
  return at + 1;
}

const POSIX: Record<string, string> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7f',
  blank: '\\t ',
  cntrl: '\\x00-\\x1f\\x7f',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@\\[-`\\{-~',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};
const PERL: Record<string, string> = { d: '0-9', s: '\\t\\n\\f\\r ', w: '0-9A-Za-z_' };

function translateClass(text: string, flags: Flags): string {
  const body = text.slice(1, -1);
  const negated = body.startsWith('^');
  let out = '';
  let rest = negated ? body.slice(1) : body;
  while (rest !== '') {
    const posix = /^\[:(\^?)(\w+):\]/.exec(rest);
    if (posix !== null) {
      const set = POSIX[posix[2] ?? ''];
      if (set === undefined) throw fault('invalid character class range', posix[0]);
      if (posix[1] === '^') throw new RegexError(`regular expression not implemented in this sandbox: \`${posix[0]}\``);
      out += flags.i ? bothCases(set) : set;
      rest = rest.slice(posix[0].length);
      continue;
    }
    const item = rest.startsWith('\\') ? readEscape(rest) : String.fromCodePoint(rest.codePointAt(0) ?? 0);
    rest = rest.slice(item.length);
    const set = /^\\([dswDSWpP])/.exec(item);
    if (set !== null) {
      out += classOf(item);
      continue;
    }
    const high = /^-(\\.[^\]]*|[^\]])/u.test(rest)
      ? rest[1] === '\\'
        ? readEscape(rest.slice(1))
        : String.fromCodePoint(rest.codePointAt(1) ?? 0)
      : undefined;
    if (high === undefined) {
      out += flags.i ? bothCases(classLiteral(item)) : classLiteral(item);
      continue;
    }
    rest = rest.slice(1 + high.length);
    if (charOf(item) > charOf(high)) throw fault('invalid character class range', `${item}-${high}`);
    const range = `${classLiteral(item)}-${classLiteral(high)}`;
    out += flags.i ? bothCases(range) : range;
  }
  return `[${negated ? '^' : ''}${out}]`;
}

/** `a-f` also as `A-F`: letters of a class under `(?i)`. */
function bothCases(set: string): string {
  const lower = set.toLowerCase();
  const upper = set.toUpperCase();
  if (/\\/.test(set) || lower === upper) return set;
  // A range across both cases (`A-z`) holds them already.
  return /[A-Z]-[a-z]/.test(set) ? set : lower + upper;
}

function readEscape(rest: string): string {
  const escaped = /^\\(?:x\{[0-9a-fA-F]+\}|x[0-9a-fA-F]{2}|[pP]\{\^?\w+\}|[pP]\w|[0-7]{2,3}|0|[\s\S])/u.exec(rest)?.[0];
  if (escaped === undefined) throw new RegexError('error parsing regexp: trailing backslash at end of expression: ``');
  if (!/^\\([AabBCdDfnprPsStvwWzxEQ0-7]|[^\w]|_)/.test(escaped) || /^\\[1-9C]$/.test(escaped) || escaped === '\\x')
    throw fault('invalid escape sequence', escaped);
  return escaped;
}

function escapeOf(escaped: string, flags: Flags): string {
  switch (escaped) {
    case '\\A':
      return '^';
    case '\\z':
      return '$';
    case '\\b':
    case '\\B':
      return escaped;
  }
  if (/^\\[dswDSWpP]/.test(escaped))
    return classOf(escaped).startsWith('\\') && !/^\\[dsw]/.test(escaped) ? classOf(escaped) : `[${classOf(escaped)}]`;
  return literalOf(charOf(escaped), flags);
}

/** The inside of a class for `\d` and its kin; RE2's are ASCII. */
function classOf(escaped: string): string {
  const letter = escaped[1] ?? '';
  const set = PERL[letter];
  if (set !== undefined) return set;
  if (letter === 'S') return '\\x00-\\x08\\x0b\\x0e-\\x1f\\x21-\\u{10ffff}';
  if (letter === 'D') return '\\x00-\\x2f\\x3a-\\u{10ffff}';
  if (letter === 'W') return '\\x00-\\x2f\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\u{10ffff}';
  const name = escaped.slice(2).replace(/[{}]/g, '');
  const script = name.length > 2 ? `sc=${name.replace('^', '')}` : name;
  return `\\${letter}{${script}}`;
}

function charOf(item: string): string {
  if (!item.startsWith('\\')) return item;
  const hex = /^\\x\{?([0-9a-fA-F]+)\}?$/.exec(item)?.[1];
  if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
  if (/^\\[0-7]+$/.test(item)) return String.fromCodePoint(Number.parseInt(item.slice(1), 8));
  return { '\\a': '\x07', '\\f': '\f', '\\n': '\n', '\\r': '\r', '\\t': '\t', '\\v': '\v' }[item] ?? item.slice(1);
}

function classLiteral(item: string): string {
  return charOf(item).replace(/[\\\][^\-&~|{}()/]/g, '\\$&');
}

function literalOf(char: string, flags: Flags): string {
  if (flags.i) {
    const lower = char.toLowerCase();
    const upper = char.toUpperCase();
    if (lower !== upper && [...lower].length === 1 && [...upper].length === 1) return `[${lower}${upper}]`;
  }
  return char.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
