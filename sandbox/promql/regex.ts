import { foldedRange, namedClass, perlClass, posixClass } from './regex-classes.ts';

/** What Go's regexp would say, without its `error parsing regexp: `. */
export class RegexProblem extends Error {}

interface Flags {
  fold: boolean;
  multiLine: boolean;
  dotAll: boolean;
  swapGreed: boolean;
}

const MAX_REPEAT = 1000;
const SIMPLE_ESCAPES: Record<string, string> = { a: '\\x07', f: '\\f', n: '\\n', r: '\\r', t: '\\t', v: '\\v' };

/** Matchers and label_replace match the whole value. Throws RegexProblem. */
export function anchored(pattern: string): RegExp {
  return compileRe2(`^(?:${pattern})$`);
}

/**
 * An RE2 pattern as JavaScript's RegExp: the same language, Go's error texts. Case folding is written out in classes,
 * since JavaScript of Node 20 has no inline flags. Throws RegexProblem.
 */
function compileRe2(pattern: string): RegExp {
  const reader: Reader = {
    text: pattern,
    at: 0,
    flags: { fold: false, multiLine: false, dotAll: false, swapGreed: false },
  };
  const source = alternatives(reader, false);
  if (reader.at < pattern.length) throw new RegexProblem(`unexpected ): \`${pattern}\``);
  return new RegExp(source, 'u');
}

interface Reader {
  text: string;
  at: number;
  flags: Flags;
}

function alternatives(reader: Reader, inGroup: boolean): string {
  const saved = { ...reader.flags };
  const branches = [sequence(reader)];
  while (reader.text[reader.at] === '|') {
    reader.at++;
    branches.push(sequence(reader));
  }
  if (inGroup) {
    if (reader.text[reader.at] !== ')') throw new RegexProblem(`missing closing ): \`${reader.text}\``);
    reader.at++;
    reader.flags = saved;
  }
  return branches.join('|');
}

function sequence(reader: Reader): string {
  let out = '';
  for (;;) {
    const char = reader.text[reader.at];
    if (char === undefined || char === '|' || char === ')') return out;
    const from = reader.at;
    const operator = repeat(reader);
    if (operator) throw new RegexProblem(`missing argument to repetition operator: \`${operator.short}\``);
    const atom = single(reader);
    out += atom;
    if (atom === '' && reader.text[from] !== '\\') continue;
    const operatorFrom = reader.at;
    const found = repeat(reader);
    if (!found) continue;
    if (found.invalid) throw new RegexProblem(`invalid repeat count: \`${found.short}\``);
    const second = repeat(reader);
    if (second) {
      throw new RegexProblem(`invalid nested repetition operator: \`${reader.text.slice(operatorFrom, reader.at)}\``);
    }
    // An assertion may be repeated in Go, not in JavaScript.
    out = `${out.slice(0, out.length - atom.length)}(?:${atom})${found.source}`;
  }
}

/** A repetition operator at the reader, with its `?`; undefined when there is none (`{` that opens no count is text). */
function repeat(reader: Reader): { source: string; short: string; invalid: boolean } | undefined {
  const found = /^(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/.exec(reader.text.slice(reader.at));
  if (!found) return undefined;
  const whole = found[0];
  const lazy = whole.length > 1 && whole.endsWith('?');
  const operator = lazy ? whole.slice(0, -1) : whole;
  reader.at += whole.length;
  const low = Number(found[1] ?? 0);
  const high = found[3] ? Number(found[3]) : low;
  const invalid = low > MAX_REPEAT || high > MAX_REPEAT || high < low;
  return { source: operator + (lazy !== reader.flags.swapGreed ? '?' : ''), short: whole, invalid };
}

function single(reader: Reader): string {
  const { text, flags } = reader;
  const char = String.fromCodePoint(text.codePointAt(reader.at) ?? 0);
  if (char === '(') return group(reader);
  if (char === '[') return bracketClass(reader);
  if (char === '\\') return escaped(reader);
  reader.at += char.length;
  if (char === '.') return flags.dotAll ? '[\\s\\S]' : '[^\\n]';
  if (char === '^') return flags.multiLine ? '(?<![^\\n])' : '(?<![\\s\\S])';
  if (char === '$') return flags.multiLine ? '(?![^\\n])' : '(?![\\s\\S])';
  return literal(char, flags);
}

function literal(char: string, flags: Flags): string {
  const point = char.codePointAt(0) ?? 0;
  if (flags.fold && char.toLowerCase() !== char.toUpperCase()) return `[${foldedRange(point, point)}]`;
  return quote(point);
}

function quote(point: number): string {
  return `\\u{${point.toString(16)}}`;
}

function group(reader: Reader): string {
  const { text } = reader;
  const rest = text.slice(reader.at);
  if (!rest.startsWith('(?')) {
    reader.at++;
    return `(${alternatives(reader, true)})`;
  }
  if (rest.startsWith('(?P<')) {
    const end = rest.indexOf('>');
    if (end < 0) throw new RegexProblem(`invalid named capture: \`${rest}\``);
    const name = rest.slice(4, end);
    if (!/^\w+$/.test(name)) throw new RegexProblem(`invalid named capture: \`${rest.slice(0, end + 1)}\``);
    // A name may begin with a digit, and come twice, in Go only.
    const again = text.slice(0, reader.at).includes(`(?P<${name}>`);
    reader.at += end + 1;
    return `(${again ? '' : `?<g_${name}>`}${alternatives(reader, true)})`;
  }
  const flags = /^\(\?([imsU]*)(?:-([imsU]+))?([:)])/.exec(rest);
  if (!flags) {
    if (/^\(\?[imsU-]*$/.test(rest)) throw new RegexProblem(`missing argument to repetition operator: \`?\``);
    throw new RegexProblem(
      `invalid or unsupported Perl syntax: \`${/^\(\?[imsU-]*[\s\S]?/u.exec(rest)?.[0] ?? '(?'}\``,
    );
  }
  const saved = { ...reader.flags };
  setFlags(reader.flags, flags[1] ?? '', true);
  setFlags(reader.flags, flags[2] ?? '', false);
  reader.at += flags[0].length;
  if (flags[3] === ')') return '';
  const inner = alternatives(reader, true);
  reader.flags = saved;
  return `(?:${inner})`;
}

function setFlags(flags: Flags, letters: string, on: boolean): void {
  if (letters.includes('i')) flags.fold = on;
  if (letters.includes('m')) flags.multiLine = on;
  if (letters.includes('s')) flags.dotAll = on;
  if (letters.includes('U')) flags.swapGreed = on;
}

function escaped(reader: Reader): string {
  const { text, flags } = reader;
  const next = text[reader.at + 1];
  if (next === undefined) throw new RegexProblem('trailing backslash at end of expression: ``');
  if (next === 'Q') {
    const end = text.indexOf('\\E', reader.at + 2);
    const quoted = text.slice(reader.at + 2, end < 0 ? undefined : end);
    reader.at = end < 0 ? text.length : end + 2;
    return [...quoted].map((char) => literal(char, flags)).join('');
  }
  if (next === 'A' || next === 'z' || next === 'b' || next === 'B') {
    reader.at += 2;
    return { A: '(?<![\\s\\S])', z: '(?![\\s\\S])', b: '\\b', B: '\\B' }[next];
  }
  const whole = perlClass(text, reader.at) ?? namedClass(text, reader.at, invalidClass);
  if (whole) {
    reader.at += whole.length;
    return `[${whole.source}]`;
  }
  return literal(String.fromCodePoint(escapedPoint(reader)), flags);
}

function invalidClass(text: string): never {
  throw new RegexProblem(`invalid character class range: \`${text}\``);
}

/** One escaped character, as in `\n`, `\.`, `\x{1F}`, `\101`. */
function escapedPoint(reader: Reader): number {
  const rest = reader.text.slice(reader.at);
  const hex = /^\\x(?:\{([0-9a-fA-F]+)\}|([0-9a-fA-F]{2}))/.exec(rest);
  const octal = /^\\(0[0-7]{0,2}|[1-7][0-7]{1,2})/.exec(rest);
  const punctuation = /^\\[!-/:-@[-^`{-~]/.exec(rest);
  const char = String.fromCodePoint(rest.codePointAt(1) ?? 0);
  const simple = SIMPLE_ESCAPES[char];
  const point = hex
    ? Number.parseInt(hex[1] ?? hex[2] ?? '', 16)
    : octal
      ? Number.parseInt(octal[1] ?? '', 8)
      : undefined;
  if (point !== undefined && point <= 0x10ffff) {
    reader.at += (hex ?? octal)?.[0].length ?? 0;
    return point;
  }
  if (simple !== undefined && !hex) {
    reader.at += 2;
    return { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 }[char] ?? 0;
  }
  if (punctuation || char === '_') {
    reader.at += 2;
    return char.codePointAt(0) ?? 0;
  }
  throw new RegexProblem(`invalid escape sequence: \`${char === 'x' ? badHex(rest) : `\\${char}`}\``);
}

/** How far Go reads a hexadecimal escape before it gives up. */
function badHex(rest: string): string {
  const digits = /^\\x\{?([0-9a-fA-F]*)/.exec(rest)?.[1] ?? '';
  if (!rest.startsWith('\\x{')) return rest.slice(0, 4 - (digits.length > 0 ? 0 : 1));
  let length = 1;
  while (length < digits.length && Number.parseInt(digits.slice(0, length), 16) <= 0x10ffff) length++;
  const tooBig = Number.parseInt(digits.slice(0, length), 16) > 0x10ffff;
  return rest.slice(0, 3 + length + (tooBig ? 0 : 1));
}

function bracketClass(reader: Reader): string {
  const { text, flags } = reader;
  const from = reader.at;
  reader.at++;
  const negated = text[reader.at] === '^';
  if (negated) reader.at++;
  let source = '';
  for (let first = true; text[reader.at] !== ']' || first; first = false) {
    if (reader.at >= text.length) throw new RegexProblem(`missing closing ]: \`${text.slice(from)}\``);
    const whole =
      posixClass(text, reader.at, invalidClass) ??
      perlClass(text, reader.at) ??
      namedClass(text, reader.at, invalidClass);
    if (whole) {
      source += whole.source;
      reader.at += whole.length;
      continue;
    }
    const rangeFrom = reader.at;
    const low = classPoint(reader, from);
    let high = low;
    if (text[reader.at] === '-' && reader.at + 1 < text.length && text[reader.at + 1] !== ']') {
      reader.at++;
      high = classPoint(reader, from);
      if (high < low) invalidClass(text.slice(rangeFrom, reader.at));
    }
    source += flags.fold ? foldedRange(low, high) : `${quote(low)}-${quote(high)}`;
  }
  reader.at++;
  return `[${negated ? '^' : ''}${source}]`;
}

function classPoint(reader: Reader, from: number): number {
  if (reader.at >= reader.text.length) throw new RegexProblem(`missing closing ]: \`${reader.text.slice(from)}\``);
  if (reader.text[reader.at] === '\\') {
    if (reader.at + 1 >= reader.text.length) throw new RegexProblem('trailing backslash at end of expression: ``');
    return escapedPoint(reader);
  }
  const point = reader.text.codePointAt(reader.at) ?? 0;
  reader.at += point > 0xffff ? 2 : 1;
  return point;
}
