import { GatewayError } from '../errors.ts';

const QUARTER = 900_000;
const MAX_CACHED = 4096;

interface Zone {
  format: Intl.DateTimeFormat;
  /** Offset in ms by quarter of an hour since epoch: zone rules change on quarters only. */
  offsets: Map<number, number>;
}
const zones = new Map<string, Zone>();

/** Offset of a zone from UTC at an instant (both ms). Throws `bad_argument` for a zone that Intl does not know. */
export function zoneOffset(zone: string, ms: number): number {
  if (isUtc(zone)) return 0;
  const known = zones.get(zone) ?? open(zone);
  const quarter = Math.floor(ms / QUARTER);
  const cached = known.offsets.get(quarter);
  if (cached !== undefined) return cached;
  const offset = measure(known.format, quarter * QUARTER);
  if (known.offsets.size >= MAX_CACHED) known.offsets.clear();
  known.offsets.set(quarter, offset);
  return offset;
}

/** The name as answers show it. */
export function zoneName(zone: string): string {
  return isUtc(zone) ? 'UTC' : zone;
}

function isUtc(zone: string): boolean {
  return zone === '' || zone === 'UTC' || zone === 'utc' || zone === 'Etc/UTC';
}

function open(name: string): Zone {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      calendar: 'iso8601',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch (cause) {
    throw new GatewayError('bad_argument', `"${name}" is not a time zone.`, {
      remedy: 'Use UTC or a name of the IANA database, e.g. Europe/Berlin.',
      cause,
    });
  }
  const zone = { format, offsets: new Map<number, number>() };
  if (zones.size >= 64) zones.clear();
  zones.set(name, zone);
  return zone;
}

function measure(format: Intl.DateTimeFormat, ms: number): number {
  const part: Record<string, number> = {};
  for (const { type, value } of format.formatToParts(ms)) part[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  return Date.UTC(year, month - 1, day, hour, minute, second) - ms;
}
