/**
 * A scanner over JSON text that keeps values as they are written (`1e400`, `-0`), tolerant where Loki's is:
 * nothing behind the closing brace is looked at, and the error texts are Loki's.
 */
export class JsonError extends Error {
  override name = 'JsonError';
}

export interface JsonValue {
  type: 'string' | 'number' | 'boolean' | 'null' | 'object' | 'array';
  /** Raw text; a string's without quotes and unescaped. */
  text: string;
}

const MALFORMED = 'Malformed JSON error';
const OPEN_OBJECT = "Value looks like object, but can't find closing '}' symbol";
const OPEN_ARRAY = "Value looks like array, but can't find closing ']' symbol";
const OPEN_STRING = `Value looks like string, but can't find closing '"' symbol`;

/** Throws JsonError; pairs before the fault have been given by then. */
export function eachMember(text: string, take: (key: string, value: JsonValue) => void): void {
  let at = skip(text, 0);
  if (text[at] !== '{') throw new JsonError(OPEN_OBJECT);
  at = skip(text, at + 1);
  if (at >= text.length) throw new JsonError(MALFORMED);
  for (;;) {
    if (text[at] === '}') return;
    if (text[at] !== '"') throw new JsonError(OPEN_OBJECT);
    const end = stringEnd(text, at);
    if (end < 0) throw new JsonError(MALFORMED);
    const key = unescapeJson(text.slice(at + 1, end - 1));
    at = skip(text, end);
    if (text[at] !== ':') throw new JsonError(MALFORMED);
    const value = valueAt(text, at + 1);
    take(key, value);
    at = skip(text, value.end);
    if (at >= text.length) throw new JsonError(OPEN_ARRAY);
    if (text[at] === '}') return;
    if (text[at] !== ',') throw new JsonError(OPEN_OBJECT);
    at = skip(text, at + 1);
    if (at >= text.length) throw new JsonError(MALFORMED);
  }
}

/** Throws JsonError. */
function eachElement(text: string, take: (value: JsonValue) => void): void {
  let at = skip(text, 0);
  if (text[at] !== '[') throw new JsonError(OPEN_ARRAY);
  at = skip(text, at + 1);
  if (text[at] === ']') return;
  for (;;) {
    const value = valueAt(text, at);
    take(value);
    at = skip(text, value.end);
    if (text[at] === ']') return;
    if (text[at] !== ',') throw new JsonError(OPEN_ARRAY);
    at++;
  }
}

/** The value at a path of member names and indexes, or undefined. */
export function valueAtPath(text: string, path: readonly (string | number)[]): JsonValue | undefined {
  let value: JsonValue = { type: 'object', text };
  for (const step of path) {
    let found: JsonValue | undefined;
    let index = 0;
    try {
      if (typeof step === 'number') {
        eachElement(value.text, (element) => {
          if (index++ === step) found = element;
        });
      } else {
        eachMember(value.text, (key, member) => {
          if (key === step && found === undefined) found = member;
        });
      }
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
    }
    if (found === undefined) return undefined;
    value = found;
  }
  return value;
}

function valueAt(text: string, from: number): JsonValue & { end: number } {
  const at = skip(text, from);
  const char = text[at];
  if (char === undefined) throw new JsonError(MALFORMED);
  if (char === '"') {
    const end = stringEnd(text, at);
    if (end < 0) throw new JsonError(OPEN_STRING);
    return { type: 'string', text: unescapeJson(text.slice(at + 1, end - 1)), end };
  }
  if (char === '{' || char === '[') {
    const end = blockEnd(text, at, char, char === '{' ? '}' : ']');
    if (end < 0) throw new JsonError(char === '{' ? OPEN_OBJECT : OPEN_ARRAY);
    return { type: char === '{' ? 'object' : 'array', text: text.slice(at, end), end };
  }
  let end = at;
  while (end < text.length && !' \n\r\t,}]'.includes(text[end] ?? '')) end++;
  const raw = text.slice(at, end);
  if (raw === 'true' || raw === 'false') return { type: 'boolean', text: raw, end };
  if (raw === 'null') return { type: 'null', text: raw, end };
  if (/^[-0-9]/.test(raw)) return { type: 'number', text: raw, end };
  throw new JsonError('Unknown value type');
}

function skip(text: string, from: number): number {
  let at = from;
  while (at < text.length && ' \n\r\t'.includes(text[at] ?? '')) at++;
  return at;
}

/** Behind the closing quote, or -1. */
function stringEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
  return -1;
}

function blockEnd(text: string, from: number, open: string, close: string): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (char === '"') {
      const end = stringEnd(text, at);
      if (end < 0) return -1;
      at = end - 1;
    } else if (char === open) depth++;
    else if (char === close && --depth === 0) return at + 1;
  }
  return -1;
}

function unescapeJson(body: string): string {
  if (!body.includes('\\')) return body;
  try {
    const value: unknown = JSON.parse(`"${body.replace(/[\n\r\t]/g, (char) => JSON.stringify(char).slice(1, -1))}"`);
    return typeof value === 'string' ? value : body;
  } catch {
    return body;
  }
}

/** `a.b[0]["c d"]`. Throws an Error that names the expression. */
export function parseJsonPath(expression: string): (string | number)[] {
  const path: (string | number)[] = [];
  let rest = expression;
  while (rest !== '') {
    const step = /^(?:\.?([a-zA-Z_][\w-]*)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\])/.exec(rest);
    if (step === null) throw new Error(`cannot parse expression [${expression}]: syntax error: unexpected $end`);
    path.push(step[1] ?? (step[2] === undefined ? unescapeJson(step[3] ?? '') : Number(step[2])));
    rest = rest.slice(step[0].length);
  }
  return path;
}
