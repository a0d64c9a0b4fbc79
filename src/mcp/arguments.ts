import { GatewayError } from '../errors.ts';
import { nearest } from '../nearest.ts';
import type { Parameter, Parameters } from './define.ts';

/** Spellings of other servers, and what they mean here: the first that the tool has a parameter for. */
const ALIASES: ReadonlyMap<string, readonly string[]> = new Map([
  ['datasourceUid', ['datasource']],
  ['datasource_uid', ['datasource']],
  ['startRfc3339', ['start']],
  ['endRfc3339', ['end']],
  ['startTime', ['start']],
  ['endTime', ['end']],
  ['stepSeconds', ['step']],
  ['expr', ['logql', 'promql']],
  ['query', ['logql', 'promql']],
]);

/** Words that are not accepted, but whose meaning is plain enough to offer the right one. */
const HINTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['promql', ['logql']],
  ['logql', ['promql']],
  ['from', ['start']],
  ['since', ['start']],
  ['to', ['end']],
  ['until', ['end']],
  ['uid', ['datasource']],
  ['search', ['match', 'name']],
  ['regex', ['match']],
  ['max_results', ['limit']],
]);

/**
 * The arguments of a call, read by the tool's parameters. Null and "" are absent; numbers, booleans and lists may come as
 * text. Throws `unknown_argument` with the nearest valid name, and `bad_argument` naming the field.
 */
export function readArguments(parameters: Parameters, given: Record<string, unknown>): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  const spelled = new Map<string, string>();
  for (const [key, value] of Object.entries(given)) {
    const name = meaningOf(key, parameters);
    const parameter = name === undefined ? undefined : parameters[name];
    if (name === undefined || parameter === undefined) throw unknown(key, parameters);
    if (value === null || value === undefined || value === '') continue;
    const result = readValue(name, parameter, value);
    const before = spelled.get(name);
    // Two spellings of one parameter that disagree: neither is chosen in silence.
    if (before !== undefined && JSON.stringify(read[name]) !== JSON.stringify(result)) {
      throw bad(name, `is given twice with different values, as ${before} and as ${key}`);
    }
    spelled.set(name, key);
    read[name] = result;
  }
  for (const [name, { required, description }] of Object.entries(parameters)) {
    if (required && !(name in read)) throw bad(name, `is missing. ${description}`, '');
  }
  return read;
}

function meaningOf(key: string, parameters: Parameters): string | undefined {
  if (Object.hasOwn(parameters, key)) return key;
  return ALIASES.get(key)?.find((name) => Object.hasOwn(parameters, name));
}

/** Whether a tool takes this name, in its own or in another server's spelling. */
export function isKnown(key: string, parameters: Parameters): boolean {
  return meaningOf(key, parameters) !== undefined;
}

function unknown(key: string, parameters: Parameters): GatewayError {
  const names = Object.keys(parameters);
  const others = [...ALIASES.keys(), ...HINTS.keys()];
  const near = nearest(key.slice(0, 64), [...names, ...others]) ?? '';
  const meant = meaningOf(near, parameters) ?? HINTS.get(near)?.find((name) => Object.hasOwn(parameters, name));
  const hint = meant === undefined ? '.' : `; did you mean "${meant}"?`;
  const remedy = names.length === 0 ? 'This tool takes no arguments.' : `Arguments of this tool: ${names.join(', ')}.`;
  return new GatewayError('unknown_argument', `Unknown argument ${show(key)}${hint}`, { remedy });
}

function readValue(name: string, parameter: Parameter, value: unknown): unknown {
  switch (parameter.type) {
    case 'string':
      return readText(name, parameter, value);
    case 'integer':
      return readInteger(name, parameter, value);
    case 'boolean':
      return readBoolean(name, value);
    case 'array':
      return readList(name, value);
  }
}

function readText(name: string, parameter: Parameter & { type: 'string' }, value: unknown): string {
  // A step of 15 or an epoch time: the number's digits are its text.
  const text = typeof value === 'number' ? numberText(name, value) : value;
  if (typeof text !== 'string') throw bad(name, `must be a text, not ${kindOf(value)}`);
  // Reading a query takes time that grows with it, and while it is read nobody else is served.
  if (text.length > LONGEST) throw bad(name, `must have at most ${LONGEST} characters, not ${text.length}`);
  const words = parameter.enum;
  if (words === undefined || words.includes(text)) return text;
  const word = words.find((one) => one.toLowerCase() === text.trim().toLowerCase());
  if (word === undefined) throw bad(name, `must be one of ${words.join(', ')}, not ${show(text)}`);
  return word;
}

function numberText(name: string, value: number): string {
  if (!Number.isFinite(value)) throw bad(name, 'must be a finite number or a text');
  // Never "1e+21": no reader of times or durations takes that for what it is.
  return Number.isInteger(value) ? BigInt(value).toString() : String(value);
}

function readInteger(name: string, parameter: Parameter & { type: 'integer' }, value: unknown): number {
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = parameter;
  const n = typeof value === 'string' && /^\s*[+-]?\d+(?:\.0+)?\s*$/.test(value) ? Number(value) : value;
  if (typeof n !== 'number' || !Number.isInteger(n)) throw bad(name, `must be a whole number, not ${show(value)}`);
  if (n < minimum || n > maximum) {
    throw bad(name, `must be between ${minimum} and ${maximum}, not ${n}`);
  }
  return n;
}

function readBoolean(name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (text === 'true') return true;
  if (text === 'false') return false;
  throw bad(name, `must be true or false, not ${show(value)}`);
}

const LONGEST = 32_768;

/** A list, a list as JSON text, or one text alone. */
function readList(name: string, value: unknown): string[] {
  const items = typeof value === 'string' ? listText(value) : value;
  if (!Array.isArray(items)) throw bad(name, `must be a list of texts, not ${kindOf(value)}`);
  return items.map((item: unknown) => {
    if (typeof item === 'number') return numberText(name, item);
    if (typeof item !== 'string') throw bad(name, `must be a list of texts; it holds ${kindOf(item)}`);
    return item;
  });
}

function listText(text: string): unknown {
  if (!/^\s*\[/.test(text)) return [text];
  try {
    return JSON.parse(text);
  } catch {
    return [text];
  }
}

function bad(name: string, says: string, end = '.'): GatewayError {
  return new GatewayError('bad_argument', `The argument "${name}" ${says}${end}`);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** A value in a message: short, one line. */
function show(value: unknown): string {
  if (typeof value === 'object' && value !== null) return kindOf(value);
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > 80 ? `${text.slice(0, 80).replace(/[\uD800-\uDBFF]$/, '')}…` : text;
}
