import { LogqlError, syntaxError } from './errors.ts';
import { parseBytes, parsePromDuration, parseQueryDuration, UnitError } from './units.ts';

/**
 * Loki's token stream. The official grammar recovers from errors on its own terms; where Loki sees the fault
 * (line, column, and what its scanner refuses before any grammar) is decided by these tokens.
 */
export interface Token {
  kind:
    | 'identifier'
    | 'keyword'
    | 'function'
    | 'string'
    | 'number'
    | 'duration'
    | 'bytes'
    | 'range'
    | 'flag'
    | 'operator'
    | 'end';
  text: string;
  /** Offset of the first and behind the last UTF-16 unit. */
  from: number;
  to: number;
  /** 1-based; 0 after tokens for which Loki's scanner loses its line. */
  line: number;
  /** 1-based, in characters. */
  column: number;
}

const TWO = new Set(['!=', '=~', '!~', '|=', '|~', '|>', '!>', '==', '>=', '<=']);
const FUNCTIONS = new Set(
  (
    'rate rate_counter count_over_time bytes_over_time bytes_rate avg_over_time sum_over_time min_over_time max_over_time ' +
    'stddev_over_time stdvar_over_time quantile_over_time first_over_time last_over_time absent_over_time sum avg max min count ' +
    'stddev stdvar bottomk topk approx_topk sort sort_desc label_replace vector bytes duration duration_seconds ip'
  ).split(' '),
);
const KEYWORDS = new Set(
  (
    'by without bool offset on ignoring group_left group_right or and unless json regexp logfmt unpack pattern label_format ' +
    'line_format unwrap decolorize drop keep'
  ).split(' '),
);

/** `fault`: what Loki's scanner refuses, at `end` of the tokens before it. Without one the last token is of kind `end`. */
export function tokenize(query: string): { tokens: Token[]; fault?: { from: number; error: LogqlError } } {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    at = skipBlank(query, at);
    try {
      const token = scan(query, at);
      tokens.push(token);
      if (token.kind === 'end') return { tokens };
      at = token.to;
    } catch (error) {
      if (error instanceof LogqlError) return { tokens, fault: { from: at, error } };
      throw error;
    }
  }
}

function skipBlank(query: string, start: number): number {
  let at = start;
  for (;;) {
    const char = query[at];
    if (char === '#' || (char === '/' && query[at + 1] === '/')) {
      while (at < query.length && query[at] !== '\n') at++;
    } else if (char === ' ' || char === '\t' || char === '\n' || char === '\r') at++;
    else return at;
  }
}

function scan(query: string, from: number): Token {
  const place = positionOf(query, from);
  const make = (kind: Token['kind'], to: number, lostLine = false): Token => ({
    kind,
    text: query.slice(from, to),
    from,
    to,
    line: lostLine ? 0 : place.line,
    column: place.column,
  });
  const fail = (message: string, lostLine = false): LogqlError =>
    syntaxError(lostLine ? 0 : place.line, place.column, message);
  const char = query[from];
  if (char === undefined) return make('end', from);
  const next = query[from + 1] ?? '';
  if (/[0-9]/.test(char) || (char === '.' && /[0-9]/.test(next))) return scanNumber(query, from, make);
  if (char === '-' && next === '-') {
    const flag = /^--[a-zA-Z-]+/.exec(query.slice(from))?.[0];
    if (flag === '--strict' || flag === '--keep-empty') return make('flag', from + flag.length, true);
  }
  if (char === '-') {
    const unit = unitAt(query, from + 1);
    if (unit !== '' && isDuration(`-${unit}`)) return make('duration', from + 1 + unit.length, true);
  }
  if (char === '"') return make('string', endOfString(query, from, fail));
  if (char === '`') {
    const end = query.indexOf('`', from + 1);
    if (end < 0) throw fail('literal not terminated');
    return make('string', end + 1);
  }
  if (char === "'") {
    const literal = /^'(?:[^'\\\n]|\\.)'/u.exec(query.slice(from))?.[0];
    if (literal === undefined)
      throw fail(/^'[^'\n]*'/.test(query.slice(from)) ? 'invalid char literal' : 'literal not terminated');
    return make('identifier', from + literal.length);
  }
  if (char === '[') {
    const end = query.indexOf(']', from);
    if (end < 0) throw fail("missing closing ']' in duration", true);
    try {
      parsePromDuration(query.slice(from + 1, end));
    } catch (error) {
      throw fail(error instanceof UnitError ? error.message : String(error), true);
    }
    return make('range', end + 1, true);
  }
  if (TWO.has(char + next)) return make('operator', from + 2, true);
  const word = /^[\p{L}_][\p{L}\p{Nd}_]*/u.exec(query.slice(from))?.[0];
  if (word === undefined) return make('operator', from + ((query.codePointAt(from) ?? 0 > 0xffff) ? char.length : 1));
  const lower = word.toLowerCase();
  const to = from + word.length;
  if (FUNCTIONS.has(lower)) return make(isCall(query, to) ? 'function' : 'identifier', to);
  return make(KEYWORDS.has(lower) ? 'keyword' : 'identifier', to);
}

type Make = (kind: Token['kind'], to: number, lostLine?: boolean) => Token;

function scanNumber(query: string, from: number, make: Make): Token {
  const number =
    /^(0[xX][0-9a-fA-F_]+|(\d[\d_]*\.?\d*|\.\d+)([eE][+-]?\d+)?)/.exec(query.slice(from))?.[0] ?? query[from] ?? '';
  const tail = unitAt(query, from + number.length);
  const whole = number + tail;
  if (tail !== '' && isDuration(whole)) return make('duration', from + whole.length, true);
  const sized = number + (/^[\d.a-zA-Z]*/.exec(query.slice(from + number.length))?.[0] ?? '');
  if (sized !== number && isBytes(sized)) return make('bytes', from + sized.length, true);
  return make('number', from + number.length);
}

function unitAt(query: string, at: number): string {
  return /^[\p{N}nuµμsmhdwy.]*/u.exec(query.slice(at))?.[0] ?? '';
}

function isDuration(text: string): boolean {
  return holds(() => parseQueryDuration(text)) && /[a-zµμ]/.test(text);
}

function isBytes(text: string): boolean {
  return holds(() => parseBytes(text));
}

function holds(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

/** A function's name is one only before `(`, `by (` or `without (`; else it is a plain identifier. */
function isCall(query: string, at: number): boolean {
  return /^\s*(\(|(by|without)\s*\()/i.test(query.slice(at));
}

function endOfString(query: string, from: number, fail: (message: string) => LogqlError): number {
  for (let at = from + 1; at < query.length; at++) {
    const char = query[at];
    if (char === '\n') break;
    if (char === '"') return at + 1;
    if (char !== '\\') continue;
    const escaped = /^\\([abfnrtv\\"]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{3})/.exec(
      query.slice(at),
    )?.[0];
    if (escaped === undefined) throw fail('invalid char escape');
    at += escaped.length - 1;
  }
  throw fail('literal not terminated');
}

/** 1-based line and column in characters; an empty query has neither. */
function positionOf(query: string, offset: number): { line: number; column: number } {
  if (query === '') return { line: 0, column: 0 };
  const before = query.slice(0, offset);
  const start = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: [...before.slice(start)].length + 1 };
}

/** The value of a string token, quotes and escapes removed. */
export function unquote(text: string): string {
  const body = text.slice(1, -1);
  if (text.startsWith('`') || !body.includes('\\')) return body;
  return body.replace(/\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{3}|.)/g, (_, escaped: string) => {
    if (/^[xuU]/.test(escaped) && escaped.length > 1)
      return String.fromCodePoint(Number.parseInt(escaped.slice(1), 16));
    if (/^[0-7]{3}$/.test(escaped)) return String.fromCodePoint(Number.parseInt(escaped, 8));
    return PLAIN_ESCAPES[escaped] ?? escaped;
  });
}

const PLAIN_ESCAPES: Record<string, string> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };
