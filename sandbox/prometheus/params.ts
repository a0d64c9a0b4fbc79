import { parseDuration } from '../promql/duration.ts';
import { readFloat } from '../promql/literals.ts';
import { badParameter } from './problem.ts';

/** What the server takes for "from the beginning" and "to the end": the ends of Go's time. */
export const MIN_TIME = -9_223_309_901_257_974;
export const MAX_TIME = 9_223_309_901_257_974;
const BOUNDS: Record<string, number> = {
  '-292273086-05-16T16:47:06Z': MIN_TIME,
  '292277025-08-18T07:12:54.999999999Z': MAX_TIME,
};
const RFC3339 = /^\d{4}-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d([.,]\d+)?(Z|[+-]\d\d:\d\d)$/;

/** A time in ms: float seconds or RFC 3339. */
export function timeParam(params: URLSearchParams, name: string, missing?: number): number {
  const text = params.get(name) ?? '';
  if (text === '' && missing !== undefined) return missing;
  const seconds = readFloat(text);
  if (seconds !== undefined && Number.isFinite(seconds)) return Math.round(seconds * 1000);
  const bound = BOUNDS[text];
  if (bound !== undefined) return bound;
  const parts = RFC3339.exec(text);
  const time = parts ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw badParameter(name, `cannot parse ${JSON.stringify(text)} to a valid timestamp`);
  return Math.floor(time);
}

/** A duration in ms: float seconds or Prometheus's `1h30m`. */
export function durationParam(params: URLSearchParams, name: string): number {
  const text = params.get(name) ?? '';
  const seconds = readFloat(text);
  if (seconds !== undefined && !Number.isNaN(seconds)) {
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

export function checkTimeout(params: URLSearchParams): void {
  if (params.get('timeout')) durationParam(params, 'timeout');
}
