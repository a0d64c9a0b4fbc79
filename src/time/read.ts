import { GatewayError } from '../errors.ts';
import { showIso } from './show.ts';
import type { Window } from './window.ts';
import { zoneOffset } from './zone.ts';

const NS_PER_MS = 1_000_000n;
/** Loki and Prometheus keep ns in 64 bits: 2262-04-11. */
const MAX_NS = 9_223_372_036_854_775_807n;
const HOUR_MS = 3_600_000;

/**
 * Any accepted form of an instant as ns since epoch. `now` is the call's clock (ms).
 * `roundUp`: `/d` goes to the end of the day, as Grafana does for the end of a range. `zone`: of a time of day, which
 * rows of answers show. Throws `bad_time` naming the accepted forms.
 */
export async function readInstant(
  value: string | number,
  now: number,
  { roundUp = false, zone = 'UTC' }: { roundUp?: boolean; zone?: string } = {},
): Promise<bigint> {
  const text = String(value).trim();
  const ns =
    readEpoch(text) ??
    readRfc3339(text) ??
    readClock(text, now, zone) ??
    readAgo(text, now) ??
    (await readMath(text, now, roundUp));
  if (ns === undefined) throw unreadable(text);
  if (ns < 0n || ns > MAX_NS) throw outside(text);
  return ns;
}

/** A duration in ms; a bare number is seconds. Throws `bad_time` for zero, negative or unreadable values. */
export function readDuration(value: string | number): number {
  const text = String(value).trim();
  const ms = /^\+?\d+(?:\.\d+)?$/.test(text) ? Number(text) * 1000 : parseDuration(text);
  if (ms === undefined || !Number.isFinite(ms) || ms <= 0) {
    throw new GatewayError('bad_time', `"${shorten(text)}" is not a duration above zero.`, {
      remedy: 'Use seconds (15) or a number with a unit: ms, s, m, h, d, w, y; e.g. "15s", "1m", "1h30m".',
    });
  }
  return Math.max(1, Math.round(ms));
}

/** Throws `bad_time` with both ends as resolved when start is not before end. */
export async function resolveWindow(
  args: { start?: string | number | undefined; end?: string | number | undefined },
  now: number,
  { defaultMs = HOUR_MS, zone = 'UTC' }: { defaultMs?: number; zone?: string } = {},
): Promise<Window> {
  const startGiven = args.start !== undefined && args.start !== '';
  const endGiven = args.end !== undefined && args.end !== '';
  const end = endGiven
    ? await readInstant(args.end ?? '', now, { roundUp: true, zone })
    : BigInt(Math.floor(now)) * NS_PER_MS;
  const fallback = end - BigInt(Math.floor(defaultMs)) * NS_PER_MS;
  const start = startGiven ? await readInstant(args.start ?? '', now, { zone }) : fallback < 0n ? 0n : fallback;
  if (start >= end) {
    const which = endGiven ? '' : ', which is now';
    throw new GatewayError('bad_time', `start (${showIso(start)}) must be before end (${showIso(end)}${which}).`, {
      remedy: `The clock of this call is ${showIso(BigInt(Math.floor(now)) * NS_PER_MS)}. Give an earlier start or a later end.`,
    });
  }
  return { start, end, defaulted: !startGiven && !endGiven, now };
}

/** Epoch by size: seconds below 10^11 (year 5138), then ms, µs, ns. Fractions are exact: the text is shifted, never multiplied. */
function readEpoch(text: string): bigint | undefined {
  const match = /^\+?(\d+)(?:\.(\d+))?$/.exec(text);
  if (!match) return undefined;
  const digits = (match[1] ?? '').replace(/^0+(?=\d)/, '');
  const fraction = match[2] ?? '';
  const scale = digits.length <= 11 ? 9 : digits.length <= 14 ? 6 : digits.length <= 17 ? 3 : 0;
  if (digits !== '0' && digits.length <= 8) {
    throw new GatewayError('bad_time', `"${shorten(text)}" as epoch seconds would be in 1970 to 1973.`, {
      remedy: 'For a span before now add a unit ("15m"); for a date use RFC 3339 ("2026-11-30T10:00:00Z").',
    });
  }
  return BigInt(digits + fraction.slice(0, scale).padEnd(scale, '0'));
}

const RFC3339 =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?([Zz]|UTC|[+-]\d\d(?::?\d\d)?)?)?$/;

/** Without an offset the time is UTC; a date alone is its midnight. */
function readRfc3339(text: string): bigint | undefined {
  const m = RFC3339.exec(text);
  if (!m) return undefined;
  const [year, month, day, hour, minute, second] = m.slice(1, 7).map((part) => Number(part ?? 0)) as number[];
  const date = new Date(0);
  date.setUTCFullYear(year ?? 0, (month ?? 1) - 1, day ?? 1);
  date.setUTCHours(hour ?? 0, minute ?? 0, second ?? 0, 0);
  // Date rolls 30 February over into March; such a value is refused, not repaired.
  const same = date.getUTCMonth() + 1 === month && date.getUTCDate() === day && date.getUTCHours() === hour;
  if (!same || (minute ?? 0) > 59 || (second ?? 0) > 59) return undefined;
  const offset = readOffset(m[8]);
  if (offset === undefined) return undefined;
  return BigInt(date.getTime() - offset) * NS_PER_MS + BigInt((m[7] ?? '').padEnd(9, '0'));
}

const CLOCK = /^(?:(\d\d)-(\d\d) )?(\d\d?):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?$/;

/** A time of day as rows of answers show it, with month and day where they span days: the last such one before now. */
function readClock(text: string, now: number, zone: string): bigint | undefined {
  const m = CLOCK.exec(text);
  if (!m) return undefined;
  const [month, day, hour = 0, minute = 0, second = 0] = m.slice(1, 6).map((part) => (part ? Number(part) : undefined));
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const today = new Date(now + zoneOffset(zone, now));
  const at = (back: number): number | undefined => {
    const date = new Date(today);
    if (month === undefined || day === undefined) date.setUTCDate(date.getUTCDate() - back);
    else date.setUTCFullYear(date.getUTCFullYear() - back, month - 1, day);
    if (month !== undefined && (date.getUTCMonth() + 1 !== month || date.getUTCDate() !== day)) return undefined;
    const local = date.setUTCHours(hour, minute, second, 0);
    return local - zoneOffset(zone, local - zoneOffset(zone, local));
  };
  const candidates = [at(0), at(1)].filter((ms) => ms !== undefined);
  const ms = candidates.find((one) => one <= now) ?? candidates.at(-1);
  return ms === undefined ? undefined : BigInt(ms) * NS_PER_MS + BigInt((m[6] ?? '').padEnd(9, '0'));
}

function readOffset(text: string | undefined): number | undefined {
  if (text === undefined || /^(?:z|utc)$/i.test(text)) return 0;
  const hours = Number(text.slice(1, 3));
  const minutes = Number(text.slice(3).replace(':', '') || 0);
  if (hours > 23 || minutes > 59) return undefined;
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

function readAgo(text: string, now: number): bigint | undefined {
  const ms = parseDuration(text.replace(/\s+ago$/i, '').replace(/^-/, ''));
  return ms === undefined ? undefined : BigInt(Math.floor(now) - Math.round(ms)) * NS_PER_MS;
}

const MATH = /^now(?:[+-](?:\d+(?:ms|[smhdwMQy]))+|\/[smhdwMQy])*$/;

/** Grafana's own date arithmetic, in UTC, from the call's now. */
async function readMath(text: string, now: number, roundUp: boolean): Promise<bigint | undefined> {
  const compact = text.replace(/\s+/g, '').replace(/^NOW/i, 'now');
  if (compact === 'now') return BigInt(Math.floor(now)) * NS_PER_MS;
  if (!MATH.test(compact)) return undefined;
  const { dateMath } = await import('../grafana-data.ts');
  const at = dateMath.toDateTime(spread(compact), { now: Math.floor(now), roundUp, timezone: 'utc' });
  const ms = at?.valueOf();
  return ms === undefined || !Number.isFinite(ms) ? undefined : BigInt(ms) * NS_PER_MS;
}

/** `now-1h30m` → `now-1h-30m`, which Grafana's arithmetic reads. */
function spread(text: string): string {
  return text.replace(/([+-])((?:\d+[a-zA-Z]+)+)/g, (_, sign: string, terms: string) =>
    terms.replace(/\d+[a-zA-Z]+/g, (term) => sign + term),
  );
}

const UNIT_MS: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: HOUR_MS,
  d: 86_400_000,
  w: 604_800_000,
  y: 31_536_000_000,
};

/** Go's and Prometheus's durations: `1h30m`, `500ms`, `1.5h`, `1d`. */
function parseDuration(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|[smhdwy]))+$/.test(text)) return undefined;
  let ms = 0;
  for (const [, n, unit] of text.matchAll(/(\d+(?:\.\d+)?)([a-zµ]+)/g)) ms += Number(n) * (UNIT_MS[unit ?? ''] ?? 0);
  return ms;
}

function unreadable(text: string): GatewayError {
  return new GatewayError('bad_time', `"${shorten(text)}" is not a time.`, {
    remedy:
      'Use RFC 3339 ("2026-11-30T10:00:00Z"), a time of day ("10:05", the last one), epoch seconds, milliseconds or nanoseconds, "now", "now-1h", "now-1d/d", or a bare duration ("15m" is 15 minutes ago).',
  });
}

function outside(text: string): GatewayError {
  return new GatewayError('bad_time', `"${shorten(text)}" lies outside 1970 to 2262.`, {
    remedy: 'Give an instant that Loki and Prometheus can hold.',
  });
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
