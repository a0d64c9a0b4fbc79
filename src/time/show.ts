import type { Window } from './window.ts';
import { zoneName, zoneOffset } from './zone.ts';

export type TimeDetail = 'second' | 'milli' | 'micro' | 'nano';

const DIGITS: Record<TimeDetail, number> = { second: 0, milli: 3, micro: 6, nano: 9 };
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Date and time without the zone's name: `2026-11-30 10:29:56.123456789`. Digits are cut, never rounded. */
export function showInstant(ns: bigint, zone: string, detail: TimeDetail): string {
  const { date, time } = split(ns, zone, detail);
  return date === '' ? time : `${date} ${time}`;
}

/** Time of day alone: `10:29:56.123`. */
export function showTime(ns: bigint, zone: string, detail: TimeDetail): string {
  return split(ns, zone, detail).time;
}

/** Day alone: `2026-11-30`. */
export function showDay(ns: bigint, zone: string): string {
  return split(ns, zone, 'second').date;
}

/** RFC 3339 in UTC with as many digits as the instant has: reading it again gives the same instant. */
export function showIso(ns: bigint): string {
  const { date, time } = split(ns, 'UTC', detailOf([ns]));
  return date === '' ? time : `${date}T${time}Z`;
}

/** The fewest digits that show every one of these instants exactly. */
export function detailOf(instants: readonly bigint[]): TimeDetail {
  let detail: TimeDetail = 'second';
  for (const ns of instants) {
    if (ns % 1_000n !== 0n) return 'nano';
    if (ns % 1_000_000n !== 0n) detail = 'micro';
    else if (detail === 'second' && ns % 1_000_000_000n !== 0n) detail = 'milli';
  }
  return detail;
}

/** `10:25:00–10:30:00 UTC (default: last hour)`; with the day when it is not the day of `w.now`, or when the days differ. */
export function showWindow(w: Window, zone: string): string {
  // Fractions are noise in a window of an hour and the point of one of two seconds.
  const detail = w.end - w.start < 10_000_000_000n ? detailOf([w.start, w.end]) : 'second';
  const from = split(w.start, zone, detail);
  const to = split(w.end, zone, detail);
  const today = w.now === undefined ? '' : split(BigInt(Math.floor(w.now)) * 1_000_000n, zone, 'second').date;
  const oneDay = from.date === to.date;
  const first = oneDay && from.date === today ? from.time : `${from.date} ${from.time}`;
  const last = oneDay ? to.time : `${to.date} ${to.time}`;
  const span = Number((w.end - w.start) / 1_000_000n);
  const note = w.defaulted ? ` (default: last ${span === HOUR_MS ? 'hour' : showSpan(span)})` : '';
  return `${first}–${last} ${zoneName(zone)}${note}`;
}

const UNITS: readonly (readonly [string, number])[] = [
  ['d', DAY_MS],
  ['h', HOUR_MS],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
];

/** `5m`, `1h30m`, `500ms`: a duration that Loki, Prometheus and `readDuration` read back. Fractions of ms are rounded. */
export function showSpan(ms: number): string {
  let rest = Math.round(Math.abs(ms));
  if (rest === 0) return '0s';
  let text = ms < 0 ? '-' : '';
  for (const [unit, size] of UNITS) {
    const n = Math.floor(rest / size);
    if (n > 0) text += `${n}${unit}`;
    rest -= n * size;
  }
  return text;
}

function split(ns: bigint, zone: string, detail: TimeDetail): { date: string; time: string } {
  let whole = ns / 1_000_000n;
  let below = ns % 1_000_000n;
  if (below < 0n) {
    whole -= 1n;
    below += 1_000_000n;
  }
  const ms = Number(whole);
  // What no calendar holds is shown as the number it is.
  if (!(Math.abs(ms) <= 8.6e15)) return { date: '', time: `${ns}ns` };
  const local = ms + zoneOffset(zone, ms);
  const day = Math.floor(local / DAY_MS);
  const second = Math.floor((local - day * DAY_MS) / 1000);
  const seconds = `${two(second / 3600)}:${two((second / 60) % 60)}:${two(second % 60)}`;
  const digits = DIGITS[detail];
  if (digits === 0) return { date: dayOf(day), time: seconds };
  const fraction =
    `${1000 + (((local % 1000) + 1000) % 1000)}`.slice(1) + (digits > 3 ? `${1_000_000n + below}`.slice(1) : '');
  return { date: dayOf(day), time: `${seconds}.${fraction.slice(0, digits)}` };
}

function two(n: number): string {
  const whole = Math.floor(n);
  return whole < 10 ? `0${whole}` : `${whole}`;
}

let lastDay = { day: Number.NaN, text: '' };

/** The date of the day that is so many after 1970-01-01. Lines of a log are mostly of one. */
function dayOf(day: number): string {
  if (lastDay.day !== day) {
    const iso = new Date(day * DAY_MS).toISOString();
    lastDay = { day, text: iso.slice(0, iso.indexOf('T')) };
  }
  return lastDay.text;
}
