/** Go's and Prometheus' durations, and go-humanize's byte sizes: how Loki reads and writes them. */

const GO_UNITS: Record<string, number> = { ns: 1, us: 1e3, µs: 1e3, μs: 1e3, ms: 1e6, s: 1e9, m: 60e9, h: 3600e9 };
const PROM_UNITS: Record<string, number> = {
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
  d: 86400e9,
  w: 604800e9,
  y: 31536000e9,
};

export class UnitError extends Error {
  override name = 'UnitError';
}

/** Go `time.ParseDuration`: ns. Throws UnitError with Go's text. */
export function parseGoDuration(text: string): number {
  const bad = (): UnitError => new UnitError(`time: invalid duration ${goQuote(text)}`);
  let rest = text;
  let sign = 1;
  if (rest.startsWith('-') || rest.startsWith('+')) {
    if (rest.startsWith('-')) sign = -1;
    rest = rest.slice(1);
  }
  if (rest === '0') return 0;
  if (rest === '') throw bad();
  let total = 0;
  while (rest !== '') {
    const number = /^(\d+\.?\d*|\.\d+)/.exec(rest)?.[0];
    if (number === undefined) throw bad();
    rest = rest.slice(number.length);
    const unit = /^[^\d.]+/.exec(rest)?.[0];
    if (unit === undefined) throw new UnitError(`time: missing unit in duration ${goQuote(text)}`);
    const factor = GO_UNITS[unit];
    if (factor === undefined) throw new UnitError(`time: unknown unit ${goQuote(unit)} in duration ${goQuote(text)}`);
    total += Number(number) * factor;
    rest = rest.slice(unit.length);
  }
  return sign * total;
}

/** Prometheus `model.ParseDuration`, as in `[5m]`: ns. Whole numbers, units in falling order. Throws UnitError. */
export function parsePromDuration(text: string): number {
  if (text === '0') return 0;
  if (text === '') throw new UnitError('empty duration string');
  let rest = text;
  let total = 0;
  let last = Number.POSITIVE_INFINITY;
  while (rest !== '') {
    const digits = /^\d+/.exec(rest)?.[0];
    if (digits === undefined) throw new UnitError(`not a valid duration string: ${goQuote(text)}`);
    rest = rest.slice(digits.length);
    const unit = /^[^\d]*/.exec(rest)?.[0] ?? '';
    if (unit === '') throw new UnitError(`not a valid duration string: ${goQuote(text)}`);
    const factor = PROM_UNITS[unit];
    if (factor === undefined) throw new UnitError(`unknown unit ${goQuote(unit)} in duration ${goQuote(text)}`);
    if (factor >= last) throw new UnitError(`not a valid duration string: ${goQuote(text)}`);
    last = factor;
    total += Number(digits) * factor;
    rest = rest.slice(unit.length);
  }
  return total;
}

/** A duration in a query outside brackets: Go's form, else Prometheus' (`1d`). */
export function parseQueryDuration(text: string): number {
  try {
    return parseGoDuration(text);
  } catch {
    return text.startsWith('-') ? -parsePromDuration(text.slice(1)) : parsePromDuration(text);
  }
}

/** Go `time.Duration.String`: `1h0m0s`, `1.5s`, `100ms`. */
export function showGoDuration(ns: number): string {
  if (ns === 0) return '0s';
  const sign = ns < 0 ? '-' : '';
  const value = Math.abs(ns);
  if (value < 1e3) return `${sign}${value}ns`;
  if (value < 1e6) return `${sign}${trimNumber(value / 1e3)}µs`;
  if (value < 1e9) return `${sign}${trimNumber(value / 1e6)}ms`;
  const hours = Math.floor(value / 3600e9);
  const minutes = Math.floor((value % 3600e9) / 60e9);
  const seconds = trimNumber((value % 60e9) / 1e9);
  if (hours > 0) return `${sign}${hours}h${minutes}m${seconds}s`;
  return minutes > 0 ? `${sign}${minutes}m${seconds}s` : `${sign}${seconds}s`;
}

/** Prometheus `model.Duration.String`: `30d1h`, `5m`; weeks and years only when nothing is left over. */
export function showPromDuration(ns: number): string {
  let ms = Math.round(Math.abs(ns) / 1e6);
  if (ms === 0) return '0s';
  let text = ns < 0 ? '-' : '';
  const units: [string, number, boolean][] = [
    ['y', 31536000e3, true],
    ['w', 604800e3, true],
    ['d', 86400e3, false],
    ['h', 3600e3, false],
    ['m', 60e3, false],
    ['s', 1e3, false],
    ['ms', 1, false],
  ];
  for (const [unit, size, exact] of units) {
    if (exact && ms % size !== 0) continue;
    const count = Math.floor(ms / size);
    if (count > 0) text += `${count}${unit}`;
    ms -= count * size;
  }
  return text;
}

const BYTE_UNITS: Record<string, number> = { '': 1, b: 1 };
for (const [index, letter] of [...'kmgtpe'].entries()) {
  BYTE_UNITS[letter] = BYTE_UNITS[`${letter}b`] = 1000 ** (index + 1);
  BYTE_UNITS[`${letter}i`] = BYTE_UNITS[`${letter}ib`] = 1024 ** (index + 1);
}

/** go-humanize `ParseBytes`: `1.5GiB`, `8KB`, `512`. Throws UnitError with its text. */
export function parseBytes(text: string): number {
  const number = /^[\d.,]*/.exec(text)?.[0] ?? '';
  const value = parseGoFloat(number.replaceAll(',', ''));
  const unit = text.slice(number.length).trim().toLowerCase();
  const factor = BYTE_UNITS[unit];
  if (factor === undefined) throw new UnitError(`unhandled size name: ${unit}`);
  return Math.floor(value * factor);
}

const GO_FLOAT = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Go `strconv.ParseFloat`. Throws UnitError with Go's text. */
export function parseGoFloat(text: string): number {
  if (GO_FLOAT.test(text)) {
    const value = Number(text);
    if (Number.isFinite(value)) return value;
    throw new UnitError(`strconv.ParseFloat: parsing ${goQuote(text)}: value out of range`);
  }
  if (/^[+-]?inf(inity)?$/i.test(text))
    return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (/^nan$/i.test(text)) return Number.NaN;
  throw new UnitError(`strconv.ParseFloat: parsing ${goQuote(text)}: invalid syntax`);
}

/** Go `strconv.FormatFloat(v, 'f', -1, 64)`: never an exponent. */
export function showFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const text = Object.is(value, -0) ? '-0' : String(value);
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (match === null) return text;
  const [, sign = '', lead = '', fraction = '', power = '0'] = match;
  const digits = lead + fraction;
  const point = 1 + Number(power);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return sign + digits.padEnd(point, '0');
}

/** Go `%q` for a string: double quotes, control characters escaped, other letters as they are. */
export function goQuote(text: string): string {
  if (/^[ !#-[\]-~]*$/.test(text)) return `"${text}"`;
  let out = '"';
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    const short = SHORT_ESCAPES[char];
    if (short !== undefined) out += short;
    else if (code < 0x20 || code === 0x7f) out += `\\x${code.toString(16).padStart(2, '0')}`;
    else if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}]|[^\P{Zs} ]/u.test(char))
      out += `\\u${code.toString(16).padStart(4, '0')}`;
    else out += char;
  }
  return `${out}"`;
}

const SHORT_ESCAPES: Record<string, string> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\v': '\\v',
};

function trimNumber(value: number): string {
  return String(Number(value.toFixed(9)));
}
