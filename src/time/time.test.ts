import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../errors.ts';
import { readDuration, readInstant, resolveWindow } from './read.ts';
import { showInstant, showIso, showSpan, showTime, showWindow } from './show.ts';
import { chooseStep } from './step.ts';
import { expandIntervals } from './variables.ts';

const NOW = Date.UTC(2026, 10, 30, 10, 30, 0);
const iso = async (value: string | number, roundUp = false) => showIso(await readInstant(value, NOW, { roundUp }));

describe('readInstant', () => {
  it.each([
    ['10:05', 'UTC', '2026-11-30T10:05:00Z'],
    ['10:29:56.123456789', 'UTC', '2026-11-30T10:29:56.123456789Z'],
    ['10:30:00', 'UTC', '2026-11-30T10:30:00Z'],
    ['10:31', 'UTC', '2026-11-29T10:31:00Z'],
    ['9:05', 'Europe/Berlin', '2026-11-30T08:05:00Z'],
    ['23:30', 'America/New_York', '2026-11-30T04:30:00Z'],
    ['11-28 10:05:01', 'UTC', '2026-11-28T10:05:01Z'],
    ['12-24 18:00', 'UTC', '2025-12-24T18:00:00Z'],
  ])('a time of day as rows show it, the last before now: %s in %s', async (text, zone, expected) =>
    expect(showIso(await readInstant(text, NOW, { zone }))).toBe(expected),
  );
  it.each(['24:00', '10:60', '10:05:61', '02-30 10:00', '10:5'])('%s is no time of day', (text) =>
    expect(readInstant(text, NOW)).rejects.toThrow(/is not a time/),
  );

  it.each([
    ['2026-11-30T10:29:56.123456789Z', '2026-11-30T10:29:56.123456789Z'],
    ['2026-11-30T10:29:56.5+02:00', '2026-11-30T08:29:56.500Z'],
    ['2026-11-30 10:29', '2026-11-30T10:29:00Z'],
    ['2026-11-30', '2026-11-30T00:00:00Z'],
    ['1700000000', '2023-11-14T22:13:20Z'],
    [1700000000, '2023-11-14T22:13:20Z'],
    ['1700000000.5', '2023-11-14T22:13:20.500Z'],
    ['1700000000123', '2023-11-14T22:13:20.123Z'],
    ['1700000000123456', '2023-11-14T22:13:20.123456Z'],
    ['1700000000123456789', '2023-11-14T22:13:20.123456789Z'],
    ['now', '2026-11-30T10:30:00Z'],
    ['now-1h', '2026-11-30T09:30:00Z'],
    ['now - 1h30m', '2026-11-30T09:00:00Z'],
    ['now-1d/d', '2026-11-29T00:00:00Z'],
    ['now-1M', '2026-10-30T10:30:00Z'],
    ['15m', '2026-11-30T10:15:00Z'],
    ['-15m', '2026-11-30T10:15:00Z'],
    ['1h30m', '2026-11-30T09:00:00Z'],
  ])('%s is %s', async (value, expected) => expect(await iso(value)).toBe(expected));

  it('rounds the end of a range up, as Grafana does', async () =>
    expect(await iso('now-1d/d', true)).toBe('2026-11-29T23:59:59.999Z'));

  it.each(['yesterday', '', '2026-02-30', '2026-11-30T25:00:00Z', 'now-1x', 'now-', '1h2', 'NaN', '2026'])(
    'refuses %s',
    async (value) => {
      const error = await readInstant(value, NOW).catch((e: unknown) => e);
      expect(error).toBeInstanceOf(GatewayError);
      expect((error as GatewayError).code).toBe('bad_time');
      expect((error as GatewayError).remedy).toContain('RFC 3339');
    },
  );

  it('reads back what it showed, to the nanosecond, in every zone', async () => {
    await fc.assert(
      fc.asyncProperty(fc.bigInt({ min: 10n ** 17n, max: 9_223_372_036_854_775_807n }), async (ns) => {
        expect(await readInstant(showIso(ns), NOW)).toBe(ns);
        expect(await readInstant(String(ns), NOW)).toBe(ns);
        expect(await readInstant(showInstant(ns, 'UTC', 'nano'), NOW)).toBe(ns);
      }),
    );
  });
});

it('shows the same local time as Intl', () => {
  for (const zone of ['Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe']) {
    const format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeStyle: 'medium' });
    fc.assert(
      fc.property(fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2037, 0) }), (ms) => {
        expect(showTime(BigInt(ms) * 1_000_000n, zone, 'second')).toBe(format.format(ms));
      }),
    );
  }
});

describe('durations', () => {
  it.each([
    [15, 15_000],
    ['15', 15_000],
    ['15s', 15_000],
    ['1m', 60_000],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['1d', 86_400_000],
    ['500ms', 500],
  ])('%s is %d ms', (value, ms) => expect(readDuration(value)).toBe(ms));
  it.each(['0', 0, -1, '-1', 'abc', '', '5min', '1m 5'])('refuses %s', (value) =>
    expect(() => readDuration(value)).toThrow(/not a duration/),
  );
  it('reads back what it showed', () =>
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e12 }), (ms) => {
        expect(readDuration(showSpan(ms))).toBe(ms);
      }),
    ));
});

describe('windows', () => {
  const shown = async (args: { start?: string; end?: string }, zone = 'UTC') =>
    showWindow(await resolveWindow(args, NOW), zone);
  it.each([
    [{}, '09:30:00–10:30:00 UTC (default: last hour)'],
    [{ start: '5m' }, '10:25:00–10:30:00 UTC'],
    [{ start: '2026-11-29T10:00:00Z', end: '2026-11-29T11:00:00Z' }, '2026-11-29 10:00:00–11:00:00 UTC'],
    [{ start: 'now-1d' }, '2026-11-29 10:30:00–2026-11-30 10:30:00 UTC'],
    [{ end: 'now-1h' }, '08:30:00–09:30:00 UTC'],
    [{ start: '1796034599.000000001', end: '1796034600' }, '10:29:59.000000001–10:30:00.000000000 UTC'],
  ])('%j', async (args, expected) => expect(await shown(args)).toBe(expected));
  it('shows another zone by its name', async () =>
    expect(await shown({ start: '5m' }, 'Europe/Berlin')).toBe('11:25:00–11:30:00 Europe/Berlin'));
  it('refuses start ≥ end with both as resolved', async () => {
    await expect(resolveWindow({ start: 'now', end: 'now-1h' }, NOW)).rejects.toThrow(
      'start (2026-11-30T10:30:00Z) must be before end (2026-11-30T09:30:00Z).',
    );
    await expect(resolveWindow({ start: 'now' }, NOW)).rejects.toThrow(/must be before end/);
  });
});

describe('steps', () => {
  const hours = (n: number) => ({ start: 0n, end: BigInt(n) * 3_600_000_000_000n });
  it.each([
    [0.5, undefined, 15_000],
    [0.5, 15_000, 15_000],
    [0.5, 60_000, 60_000],
    [1, 10_000, 30_000],
    [6, 15_000, 300_000],
    [24, 15_000, 900_000],
    [168, 15_000, 7_200_000],
    [24 * 365, 15_000, 7 * 86_400_000],
  ])('%d h at scrape %s is %d ms', (h, scrapeMs, stepMs) => {
    const window = { start: 0n, end: BigInt(h * 3600) * 1_000_000_000n };
    expect(chooseStep(window, { scrapeMs })).toEqual({ stepMs, auto: true });
  });
  it('takes a given step as it is', () =>
    expect(chooseStep(hours(1), { given: '7s' })).toEqual({ stepMs: 7000, auto: false }));
  it('refuses one that is too small with the smallest that fits', () => {
    try {
      chooseStep(hours(168), { given: '15s' });
      expect.fail();
    } catch (error) {
      expect(error).toMatchObject({ code: 'too_many_points' });
      expect((error as Error).message).toBe('A step of 15s over 7d gives 40,320 points a series; the limit is 11,000.');
      expect((error as GatewayError).remedy).toContain('step="55s"');
    }
    expect(chooseStep(hours(168), { given: '55s' }).stepMs).toBe(55_000);
  });
  it('never exceeds 11,000 points', () =>
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4e9 }), fc.integer({ min: 1, max: 20_000 }), (seconds, points) => {
        const w = { start: 0n, end: BigInt(seconds) * 1_000_000_000n };
        expect((seconds * 1000) / chooseStep(w, { points, scrapeMs: 15_000 }).stepMs).toBeLessThanOrEqual(11_000);
      }),
    ));
});

it('replaces interval variables and says so', () =>
  expect(
    expandIntervals('rate(x[$__rate_interval]) + $job + y[$__range]', { stepMs: 30_000, rangeMs: 3_600_000 }),
  ).toEqual({
    query: 'rate(x[1m]) + $job + y[1h]',
    replaced: ['$__rate_interval = 1m', '$__range = 1h'],
  }));
