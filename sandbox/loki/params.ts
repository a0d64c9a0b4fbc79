import { LogqlError } from '../logql/errors.ts';
import { goQuote, parsePromDuration, showGoDuration, UnitError } from '../logql/units.ts';

/** Loki's reading of request parameters, with its refusals (HTTP 400, the message alone). All times in ns. */
export interface Bounds {
  start: bigint;
  end: bigint;
}

const HOUR = 3_600_000_000_000n;
const RFC3339 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:[.,](\d{1,9})\d*)?(Z|[+-]\d\d:\d\d)$/;

/** `start`, `end` and `since`; the last hour without them. */
export function bounds(params: URLSearchParams, nowMs: number): Bounds {
  const now = BigInt(nowMs) * 1_000_000n;
  const end = instant(params, 'end') ?? now;
  const since = params.get('since');
  let back = HOUR;
  if (since) {
    try {
      back = BigInt(parsePromDuration(since));
    } catch (error) {
      if (error instanceof UnitError) throw new LogqlError(`could not parse 'since' parameter: ${error.message}`);
      throw error;
    }
  }
  const start = instant(params, 'start') ?? (end > now ? now : end) - back;
  return { start, end };
}

/** Float seconds, seconds (up to ten digits), nanoseconds, or RFC 3339. */
export function instant(params: URLSearchParams, name: string): bigint | undefined {
  const text = params.get(name);
  if (text === null || text === '') return undefined;
  if (text.includes('.') && /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text))
    return BigInt(Math.round(Number(text) * 1000)) * 1_000_000n;
  if (/^[+-]?\d+$/.test(text)) return text.length <= 10 ? BigInt(text) * 1_000_000_000n : BigInt(text);
  const match = RFC3339.exec(text);
  const ms = match === null ? Number.NaN : Date.parse(`${match[1]}${match[3]}`);
  if (match === null || Number.isNaN(ms)) {
    throw new LogqlError(
      `could not parse '${name}' parameter: strconv.ParseInt: parsing ${goQuote(text)}: invalid syntax`,
    );
  }
  return BigInt(ms) * 1_000_000n + BigInt((match[2] ?? '').padEnd(9, '0'));
}

/** For endpoints that take a range. */
export function checkOrder({ start, end }: Bounds): void {
  if (end < start) throw new LogqlError('end timestamp must not be before or equal to start time');
}

const MAX_LENGTH = 721n * HOUR;

/** `max_query_length`. */
export function checkLength({ start, end }: Bounds): void {
  if (end - start <= MAX_LENGTH) return;
  throw new LogqlError(
    `the query time range exceeds the limit (query length: ${showGoDuration(Number(end - start))}, limit: 30d1h)`,
  );
}

/** A positive count. */
export function limit(params: URLSearchParams, fallback: number, name = 'limit'): number {
  const text = params.get(name);
  if (text === null || text === '') return fallback;
  if (!/^[+-]?\d+$/.test(text)) throw new LogqlError(`strconv.Atoi: parsing ${goQuote(text)}: invalid syntax`);
  if (Number(text) <= 0) throw new LogqlError('limit must be a positive value');
  return Number(text);
}

export function direction(params: URLSearchParams): 'forward' | 'backward' {
  const text = params.get('direction') ?? '';
  const lower = text.toLowerCase();
  if (lower === '' || lower === 'backward') return 'backward';
  if (lower === 'forward') return 'forward';
  throw new LogqlError(`invalid direction '${text}'`);
}

const MAX_POINTS = 11_000n;

/** ns. Without one: 250 points, at least a second. */
export function step(params: URLSearchParams, { start, end }: Bounds): bigint {
  const text = params.get('step');
  const found = text === null || text === '' ? defaultStep(start, end) : duration(text);
  if (found <= 0n)
    throw new LogqlError('zero or negative query resolution step widths are not accepted. Try a positive integer');
  if ((end - start) / found > MAX_POINTS) {
    throw new LogqlError(
      'exceeded maximum resolution of 11,000 points per time series. Try increasing the value of the step parameter',
    );
  }
  return found;
}

function defaultStep(start: bigint, end: bigint): bigint {
  const seconds = (end - start) / 250n / 1_000_000_000n;
  return (seconds < 1n ? 1n : seconds) * 1_000_000_000n;
}

/** ns between log entries that are given; 0 for all. */
export function interval(params: URLSearchParams): bigint {
  const text = params.get('interval');
  const found = text === null || text === '' ? 0n : duration(text);
  if (found < 0n) throw new LogqlError('interval must be >= 0');
  return found;
}

function duration(text: string): bigint {
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return BigInt(Math.round(Number(text) * 1e9));
  try {
    return BigInt(parsePromDuration(text));
  } catch {
    throw new LogqlError(`cannot parse ${goQuote(text)} to a valid duration`);
  }
}
