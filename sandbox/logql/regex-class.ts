import { fault, RegexError } from './regex-error.ts';

export interface Flags {
  i: boolean;
  s: boolean;
  m: boolean;
  U: boolean;
}

/** Behind the `]` of the class that starts at `from`. Throws RegexError. */
export function endOfClass(pattern: string, from: number): number {
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

export function translateClass(text: string, flags: Flags): string {
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

/** The escape at the start of `rest`, as written. Throws RegexError. */
export function readEscape(rest: string): string {
  const escaped = /^\\(?:x\{[0-9a-fA-F]+\}|x[0-9a-fA-F]{2}|[pP]\{\^?\w+\}|[pP]\w|[0-7]{2,3}|0|[\s\S])/u.exec(rest)?.[0];
  if (escaped === undefined) throw new RegexError('error parsing regexp: trailing backslash at end of expression: ``');
  if (!/^\\([AabBCdDfnprPsStvwWzxEQ0-7]|[^\w]|_)/.test(escaped) || /^\\[1-9C]$/.test(escaped) || escaped === '\\x')
    throw fault('invalid escape sequence', escaped);
  return escaped;
}

/** An escape outside a class. */
export function escapeOf(escaped: string, flags: Flags): string {
  switch (escaped) {
    case '\\A':
      return '^';
    case '\\z':
      return '$';
    case '\\b':
    case '\\B':
      return escaped;
  }
  if (/^\\[pP]/.test(escaped)) return classOf(escaped);
  if (/^\\[dswDSW]/.test(escaped)) return `[${classOf(escaped)}]`;
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
  if (name.startsWith('^')) throw new RegexError(`regular expression not implemented in this sandbox: \`${escaped}\``);
  const script = name.length > 2 ? `sc=${name}` : name;
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
  return charOf(item).replace(/[\\\][^\-|{}()/]/g, '\\$&');
}

export function literalOf(char: string, flags: Flags): string {
  if (flags.i) {
    const lower = char.toLowerCase();
    const upper = char.toUpperCase();
    if (lower !== upper && [...lower].length === 1 && [...upper].length === 1) return `[${lower}${upper}]`;
  }
  return char.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
