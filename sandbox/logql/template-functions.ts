import { compileRegex, expand, type GoMatch, type GoRegex, RegexError } from '../regex.ts';
import { goDate } from './go-date.ts';
import { printf } from './printf.ts';
import { TemplateError } from './template-error.ts';
import { parseBytes, parseGoDuration, showFloat, UnitError } from './units.ts';

export type Value = string | number | boolean | null | Value[] | { [key: string]: Value };

type Fn = (...args: Value[]) => Value;

/** Go's `%v`. */
export function show(value: Value): string {
  if (value === null) return '<no value>';
  if (typeof value === 'number') return showNumber(value);
  if (Array.isArray(value)) return `[${value.map(show).join(' ')}]`;
  if (typeof value !== 'object') return String(value);
  if (typeof value.time === 'string') return goDate('2006-01-02 15:04:05.999999999 -0700 MST', BigInt(value.time));
  return `map[${Object.keys(value)
    .sort()
    .map((key) => `${key}:${show(value[key] ?? null)}`)
    .join(' ')}]`;
}

/** Go's `%v` of a float has an exponent below 1e-4. */
function showNumber(value: number): string {
  if (value === 0 || Math.abs(value) >= 1e-4) return showFloat(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

export function truth(value: Value): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (value !== null && typeof value === 'object') return Object.keys(value).length > 0;
  return Boolean(value);
}

export function isFunction(name: string): boolean {
  return name === '__line__' || name === '__timestamp__' || Object.hasOwn(FUNCTIONS, name);
}

const str = (value: Value | undefined): string => (value === undefined ? '' : show(value));

function float(value: Value | undefined): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  const number = Number(str(value).trim());
  return Number.isFinite(number) ? number : 0;
}

const int = (value: Value | undefined): number => Math.trunc(float(value));

function nanos(value: Value | undefined): bigint {
  if (value !== null && typeof value === 'object' && !Array.isArray(value) && typeof value.time === 'string')
    return BigInt(value.time);
  throw new TemplateError('wrong type for value; expected time.Time');
}

function regexOf(pattern: Value | undefined): GoRegex {
  try {
    return compileRegex(str(pattern));
  } catch (error) {
    if (error instanceof RegexError) throw new TemplateError(error.message);
    throw error;
  }
}

function replaceAll(
  pattern: Value | undefined,
  text: string,
  write: (match: GoMatch, names: readonly string[]) => string,
): string {
  const regex = regexOf(pattern);
  let out = '';
  let last = 0;
  for (const match of regex.matchAll(text)) {
    out += text.slice(last, match.index) + write(match, regex.names);
    last = match.index + (match.groups[0] ?? '').length;
  }
  return out + text.slice(last);
}

function compareValues(a: Value | undefined, b: Value | undefined): number {
  if (typeof a !== typeof b) throw new TemplateError('incompatible types for comparison');
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return str(a) < str(b) ? -1 : str(a) > str(b) ? 1 : 0;
}

function measured(read: (text: string) => number): Fn {
  return (text) => {
    try {
      return read(str(text));
    } catch (error) {
      if (error instanceof UnitError) throw new TemplateError(error.message);
      throw error;
    }
  };
}

function trimSet(text: string, set: string, left: boolean, right: boolean): string {
  const chars = [...text];
  while (left && chars.length > 0 && set.includes(chars[0] ?? '')) chars.shift();
  while (right && chars.length > 0 && set.includes(chars[chars.length - 1] ?? '')) chars.pop();
  return chars.join('');
}

function truncate(count: number, text: string): string {
  const bytes = [...text];
  if (count < 0) return -count < bytes.length ? bytes.slice(count).join('') : text;
  return bytes.slice(0, count).join('');
}

function roundTo(value: number, places: number, on: number): number {
  const scaled = value * 10 ** places;
  const rest = scaled - Math.floor(scaled);
  return (rest >= on ? Math.ceil(scaled) : Math.floor(scaled)) / 10 ** places;
}

function divide(a: Value | undefined, b: Value | undefined): number {
  if (int(b) === 0) throw new TemplateError('runtime error: integer divide by zero');
  return Math.trunc(int(a) / int(b));
}

function strip(text: Value | undefined, part: Value | undefined, end: boolean): string {
  const [all, piece] = [str(text), str(part)];
  if (piece === '') return all;
  if (end) return all.endsWith(piece) ? all.slice(0, -piece.length) : all;
  return all.startsWith(piece) ? all.slice(piece.length) : all;
}

function replaceCount(text: string, from: string, to: string, count: number): string {
  return count < 0
    ? text.replaceAll(from, () => to)
    : text.split(from).reduce((out, part, index) => out + (index <= count ? to : from) + part);
}

const indent = (count: Value | undefined, text: Value | undefined): string => {
  const pad = ' '.repeat(Math.max(0, int(count)));
  return pad + str(text).replaceAll('\n', `\n${pad}`);
};

function align(count: Value | undefined, text: Value | undefined, right: boolean): string {
  const chars = [...str(text)];
  const width = int(count);
  if (width < 0) return str(text);
  if (chars.length >= width) return (right ? chars.slice(chars.length - width) : chars.slice(0, width)).join('');
  return right ? ' '.repeat(width - chars.length) + chars.join('') : chars.join('') + ' '.repeat(width - chars.length);
}

function index(value: Value | undefined, ...keys: Value[]): Value {
  let found: Value = value ?? null;
  for (const key of keys) {
    if (Array.isArray(found)) {
      const item: Value | undefined = found[int(key)];
      if (item === undefined) throw new TemplateError(`index out of range: ${int(key)}`);
      found = item;
    } else if (found !== null && typeof found === 'object') found = found[str(key)] ?? '';
    else throw new TemplateError(`can't index item of type ${typeof found}`);
  }
  return found;
}

/** JSON.parse gives nothing but these. */
function fromJson(text: Value | undefined): Value {
  try {
    return JSON.parse(str(text)) as Value;
  } catch {
    return '';
  }
}

/** Loki's names: Go's own, those of strings in capitals, and the part of Sprig that Loki has. */
export const FUNCTIONS: Record<string, Fn> = {
  ToLower: (text) => str(text).toLowerCase(),
  ToUpper: (text) => str(text).toUpperCase(),
  Replace: (text, from, to, count) => replaceCount(str(text), str(from), str(to), int(count)),
  Trim: (text, set) => trimSet(str(text), str(set), true, true),
  TrimLeft: (text, set) => trimSet(str(text), str(set), true, false),
  TrimRight: (text, set) => trimSet(str(text), str(set), false, true),
  TrimPrefix: (text, part) => strip(text, part, false),
  TrimSuffix: (text, part) => strip(text, part, true),
  TrimSpace: (text) => str(text).trim(),
  lower: (text) => str(text).toLowerCase(),
  upper: (text) => str(text).toUpperCase(),
  title: (text) =>
    str(text).replace(/(^|\s)(\S)/gu, (_, before: string, letter: string) => before + letter.toUpperCase()),
  trim: (text) => str(text).trim(),
  trimAll: (set, text) => trimSet(str(text), str(set), true, true),
  trimPrefix: (part, text) => strip(text, part, false),
  trimSuffix: (part, text) => strip(text, part, true),
  trunc: (count, text) => truncate(int(count), str(text)),
  substr: (from, to, text) =>
    int(from) < 0 ? str(text).slice(0, int(to)) : str(text).slice(int(from), int(to) < 0 ? undefined : int(to)),
  replace: (from, to, text) => str(text).replaceAll(str(from), () => str(to)),
  repeat: (count, text) => str(text).repeat(Math.max(0, int(count))),
  contains: (part, text) => str(text).includes(str(part)),
  hasPrefix: (part, text) => str(text).startsWith(str(part)),
  hasSuffix: (part, text) => str(text).endsWith(str(part)),
  indent,
  nindent: (count, text) => `\n${indent(count, text)}`,
  alignLeft: (count, text) => align(count, text, false),
  alignRight: (count, text) => align(count, text, true),
  default: (fallback, value) => (value === undefined || !truth(value) ? (fallback ?? '') : value),
  count: (pattern, text) => [...regexOf(pattern).matchAll(str(text))].length,
  regexReplaceAll: (pattern, text, to) =>
    replaceAll(pattern, str(text), (match, names) => expand(str(to), match, names)),
  regexReplaceAllLiteral: (pattern, text, to) => replaceAll(pattern, str(text), () => str(to)),
  urlencode: (text) => new URLSearchParams({ '': str(text) }).toString().slice(1),
  urldecode: (text) => new URLSearchParams(`a=${str(text).replaceAll('&', '%26')}`).get('a') ?? '',
  b64enc: (text) => Buffer.from(str(text)).toString('base64'),
  b64dec: (text) => Buffer.from(str(text), 'base64').toString(),
  bytes: measured(parseBytes),
  duration: measured((text) => parseGoDuration(text) / 1e9),
  duration_seconds: measured((text) => parseGoDuration(text) / 1e9),
  int,
  float64: float,
  add: (...values) => values.reduce<number>((sum, value) => sum + int(value), 0),
  sub: (a, b) => int(a) - int(b),
  mul: (...values) => values.reduce<number>((product, value) => product * int(value), 1),
  div: divide,
  mod: (a, b) => int(a) - divide(a, b) * int(b),
  addf: (...values) => values.reduce<number>((sum, value) => sum + float(value), 0),
  subf: (a, ...rest) => rest.reduce<number>((left, value) => left - float(value), float(a)),
  mulf: (a, ...rest) => rest.reduce<number>((left, value) => left * float(value), float(a)),
  divf: (a, ...rest) => rest.reduce<number>((left, value) => left / float(value), float(a)),
  max: (...values) => Math.max(...values.map(int)),
  min: (...values) => Math.min(...values.map(int)),
  maxf: (...values) => Math.max(...values.map(float)),
  minf: (...values) => Math.min(...values.map(float)),
  ceil: (value) => Math.ceil(float(value)),
  floor: (value) => Math.floor(float(value)),
  round: (value, places, on) => roundTo(float(value), int(places), on === undefined ? 0.5 : float(on)),
  fromJson,
  date: (layout, time) => goDate(str(layout), nanos(time)),
  unixEpoch: (time) => String(nanos(time) / 1_000_000_000n),
  unixEpochMillis: (time) => String(nanos(time) / 1_000_000n),
  unixEpochNanos: (time) => String(nanos(time)),
  unixToTime: (text) => ({ time: str(text).padEnd(19, '0').slice(0, 19) }),
  now: () => ({ time: String(BigInt(Date.now()) * 1_000_000n) }),
  printf: (format, ...args) => printf(str(format), args),
  print: (...args) => args.map(show).join(''),
  println: (...args) => `${args.map(show).join(' ')}\n`,
  len: (value) => (typeof value === 'string' ? Buffer.byteLength(value) : Object.keys(value ?? {}).length),
  index,
  eq: (a, ...rest) => rest.some((value) => compareValues(a, value) === 0),
  ne: (a, b) => compareValues(a, b) !== 0,
  lt: (a, b) => compareValues(a, b) < 0,
  le: (a, b) => compareValues(a, b) <= 0,
  gt: (a, b) => compareValues(a, b) > 0,
  ge: (a, b) => compareValues(a, b) >= 0,
  and: (...values) => values.find((value) => !truth(value)) ?? values[values.length - 1] ?? '',
  or: (...values) => values.find((value) => truth(value)) ?? values[values.length - 1] ?? '',
  not: (value) => !truth(value ?? ''),
};
