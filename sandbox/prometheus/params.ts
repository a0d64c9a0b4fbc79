import { parseDuration } from '../promql/duration.ts';
import { readFloat } from '../promql/literals.ts';
import { badParameter } from './problem.ts';

/** What the server takes for "from the beginning" and "to the end": the ends of Go's time. */
const MIN_TIME = -9_223_309_901_257_974;
const MAX_TIME = 9_223_309_901_257_974;
/** What Go makes of a time that is no number: the smallest int64, in ns. */
const NO_TIME = -9_223_372_036_854;
const BOUNDS: Record<string, number> = {
  '-292273086-05-16T16:47:06Z': MIN_TIME,
  '292277025-08-18T07:12:54.999999999Z': MAX_TIME,
};
const RFC3339 = /^\d{4}-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d([.,]\d+)?(Z|[+-]\d\d:\d\d)$/;

/** A time in ms: float seconds or RFC 3339. */
export function timeParam(params: URLSearchParams, name: string, missing?: number): number {
  const text = params.get(name) ?? '';
  if (text === '' && missing !== undefined) return missing;
  // The server says it twice where the parameter may be missing.
  const invalid = missing === undefined ? '' : `Invalid time value for '${name}': `;
  const seconds = readFloat(text);
  if (seconds !== undefined) return Number.isFinite(seconds) ? Math.round(seconds * 1000) : NO_TIME;
  const bound = BOUNDS[text];
  if (bound !== undefined) return bound;
  const parts = RFC3339.exec(text);
  const time = parts && Number(parts[2]) <= daysIn(text.slice(0, 7)) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    throw badParameter(name, `${invalid}cannot parse ${JSON.stringify(text)} to a valid timestamp`);
  return Math.floor(time);
}

/** A duration in ms: float seconds or Prometheus's `1h30m`. */
export function durationParam(params: URLSearchParams, name: string): number {
  const text = params.get(name) ?? '';
  const seconds = readFloat(text);
  // Go turns a NaN into the smallest integer.
  if (Number.isNaN(seconds)) return -1;
  if (seconds !== undefined) {
    if (Math.abs(seconds) >= 2 ** 63 / 1e9) {
      throw badParameter(name, `cannot parse ${JSON.stringify(text)} to a valid duration. It overflows int64`);
    }
    return Math.trunc(seconds * 1e6) / 1e3;
  }
  const ms = parseDuration(text);
  if (typeof ms !== 'number') throw badParameter(name, `cannot parse ${JSON.stringify(text)} to a valid duration`);
  return ms;
}

/** `start` and `end` of the metadata endpoints; without them everything. */
export function spanParams(params: URLSearchParams): { start: number; end: number } {
  return { start: timeParam(params, 'start', MIN_TIME), end: timeParam(params, 'end', MAX_TIME) };
}

/** A `timeout` that is over before the query begins. */
export function timedOut(params: URLSearchParams): boolean {
  return params.get('timeout') ? durationParam(params, 'timeout') <= 0 : false;
}

/** `month`: `2026-02`. */
function daysIn(month: string): number {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number, 0)).getUTCDate();
}
