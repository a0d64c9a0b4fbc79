import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { STALE } from '../promql/values.ts';
import { FAKE_SECRETS } from './secrets.ts';
import { createShop, type Shop } from './shop.ts';
import type { MetricSeries } from './store.ts';

const START = Date.UTC(2026, 10, 30, 10, 0, 0);
const HOUR = 3_600_000;
const ns = (ms: number): bigint => BigInt(ms) * 1_000_000n;
const all = (): boolean => true;
const shopAt = (seed: number, now = START): Shop => createShop(seed, START, () => now);

describe('the shop', () => {
  test('is made at once, and holds at least 200,000 lines and 2,000 series', () => {
    const before = performance.now();
    const shop = createShop(1, START, () => START);
    expect(performance.now() - before).toBeLessThan(300);
    expect(shop.metrics.series(all, START - HOUR, START).length).toBeGreaterThanOrEqual(2000);
    const streams = shop.logs.select(all, ns(START - 6 * HOUR), ns(START));
    expect(streams.reduce((sum, s) => sum + s.lines.length, 0)).toBeGreaterThanOrEqual(200_000);
    expect(new Set(streams.map((s) => s.labels.app)).size).toBe(8);
    expect(new Set(streams.map((s) => s.labels.env))).toEqual(new Set(['prod', 'staging']));
    expect(new Set(streams.flatMap((s) => Object.keys(s.labels)))).toEqual(
      new Set(['app', 'env', 'namespace', 'pod', 'container']),
    );
    for (const { lines } of streams) expect(ascending(lines.map((line) => line.ts))).toBe(true);
  });

  test('is the same for the same seed and start, in whatever order it is read', () => {
    const [one, two] = [shopAt(3), shopAt(3)];
    two.logs.select(all, ns(START - 5 * HOUR), ns(START - 4 * HOUR));
    two.metrics.select(all, START - HOUR, START);
    const logsOf = (shop: Shop) => shop.logs.select(all, ns(START - HOUR), ns(START - HOUR / 2));
    const samplesOf = (shop: Shop) =>
      shop.metrics.select((l) => l.__name__ !== 'demo_user_sessions', START - HOUR, START);
    expect(logsOf(one)).toEqual(logsOf(two));
    expect(samplesOf(one)).toEqual(samplesOf(two));
    expect(logsOf(shopAt(4))).not.toEqual(logsOf(one));
  });

  test('goes on while it runs, and has nothing from the future', () => {
    const later = START + 10 * 60_000;
    const past = shopAt(1).logs.select(all, ns(START - 60_000), ns(later));
    const present = shopAt(1, later).logs.select(all, ns(START - 60_000), ns(later));
    expect(past.flatMap((s) => s.lines).every((line) => line.ts < ns(START))).toBe(true);
    expect(present.flatMap((s) => s.lines).filter((line) => line.ts < ns(START))).toEqual(past.flatMap((s) => s.lines));
    expect(present.flatMap((s) => s.lines).length).toBeGreaterThan(5 * past.flatMap((s) => s.lines).length);
    const [up] = shopAt(1).metrics.select((l) => l.__name__ === 'up', START - 60_000, later);
    expect(Math.max(...(up?.times ?? []))).toBeLessThanOrEqual(START);
  });

  test('names exactly the streams that have lines', () => {
    const shop = shopAt(1);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40 * 60_000 }), fc.integer({ min: 1, max: 200_000 }), (ago, width) => {
        const [start, end] = [ns(START - ago - width), ns(START - ago)];
        expect(shop.logs.streams(start, end)).toEqual(shop.logs.select(all, start, end).map((s) => s.labels));
      }),
      { numRuns: 40 },
    );
  });
});

describe.each([1, 2, 3])('the incident of seed %i', (seed) => {
  const shop = shopAt(seed);
  const { facts } = shop.incident;
  const windowBefore = [facts.deployedAt - HOUR, facts.deployedAt - 60_000] as const;
  const windowNow = [START - 5 * 60_000, START] as const;

  test('shows in the error ratio of one service', () => {
    const ratio = (job: string, [from, to]: readonly [number, number]) => {
      const requests = shop.metrics.select((l) => l.__name__ === 'http_requests_total' && l.job === job, from, to);
      return increase(requests.filter((s) => s.labels.status === '500')) / increase(requests);
    };
    expect(ratio(facts.job, windowBefore)).toBeLessThan(0.02);
    expect(ratio(facts.job, windowNow)).toBeGreaterThan(0.2);
    expect(ratio('search', windowNow)).toBeLessThan(0.05);
  });

  test('brings an error that is new, next to noise that is not', () => {
    const errors = (app: string, [from, to]: readonly [number, number]) =>
      shop.logs
        .select((l) => l.app === app && l.env === 'prod', ns(from), ns(to))
        .flatMap((s) => s.lines)
        .filter((line) => line.metadata?.detected_level === 'error');
    const before = errors(facts.service, windowBefore);
    const after = errors(facts.service, windowNow);
    expect(before.length).toBeGreaterThan(0);
    expect(before.filter((line) => line.line.includes(facts.error))).toEqual([]);
    const fresh = after.filter((line) => line.line.includes(facts.error));
    expect(fresh.length).toBeGreaterThan(20);
    const traces = new Set(fresh.map((line) => line.metadata?.trace_id));
    const knockedOn = errors(facts.knockOn, windowNow).filter((line) => traces.has(line.metadata?.trace_id));
    expect(knockedOn.length).toBeGreaterThan(5);
    expect(knockedOn.every((line) => line.line.includes(facts.service))).toBe(true);
  });

  test('fills the pool, slows requests down and changes the version', () => {
    const gauge = (name: string, at: number) =>
      shop.metrics
        .select((l) => l.__name__ === name && l.instance === `${facts.service}-0:8080`, at - 15_000, at)
        .map((s) => s.values[0] ?? 0)[0] ?? 0;
    expect(gauge(facts.poolMetric, windowBefore[1]) / gauge(facts.poolMaxMetric, START)).toBeLessThan(0.4);
    expect(gauge(facts.poolMetric, START) / gauge(facts.poolMaxMetric, START)).toBeGreaterThan(0.9);
    const mean = ([from, to]: readonly [number, number]) => {
      const of = (name: string) => shop.metrics.select((l) => l.__name__ === name && l.job === facts.job, from, to);
      return increase(of('http_request_duration_seconds_sum')) / increase(of('http_request_duration_seconds_count'));
    };
    expect(mean(windowNow)).toBeGreaterThan(8 * mean(windowBefore));
    const versions = (at: number) =>
      shop.metrics
        .series((l) => l.__name__ === 'build_info' && l.job === facts.job, at - 30_000, at)
        .map((l) => l.version);
    const [old] = shop.metrics.select(
      (l) => l.version === facts.oldVersion && l.job === facts.job,
      START - HOUR,
      START,
    );
    expect(old?.values.at(-1)).toBe(STALE);
    expect((old?.times.at(-1) ?? 0) - facts.deployedAt).toBeLessThan(15_000);
    expect(versions(windowBefore[1])).toEqual([facts.oldVersion]);
    expect(versions(START)).toEqual([facts.version]);
    expect(shop.incident.firingSince).toBeLessThan(START);
  });
});

test('neighbouring seeds differ in service, error, metric and times; seed 1 is the one described', () => {
  const [one, two, three] = [1, 2, 3].map((seed) => shopAt(seed).incident.facts);
  expect(one).toEqual({
    service: 'checkout',
    knockOn: 'payments',
    version: '2.3.1',
    oldVersion: '2.3.0',
    error: 'connection pool exhausted',
    poolMetric: 'db_pool_in_use',
    poolMaxMetric: 'db_pool_max',
    deployedAt: START - 25 * 60_000,
    job: 'checkout',
  });
  for (const key of ['service', 'error', 'poolMetric', 'deployedAt'] as const) {
    expect(new Set([one?.[key], two?.[key], three?.[key]]).size).toBe(3);
  }
});

describe('logs and metrics', () => {
  const shop = shopAt(1);

  test('agree request by request', () => {
    for (const [app, instance] of [
      ['payments', 'payments-1:8080'],
      ['inventory', 'inventory-0:8080'],
      ['search', 'search-staging-0:8080'],
    ] as const) {
      const series = shop.metrics.select(
        (l) => l.__name__ === 'http_requests_total' && l.instance === instance,
        START - HOUR,
        START,
      );
      const times = series[0]?.times ?? [];
      const window = [ns(times[0] ?? 0), ns(times.at(-1) ?? 0)] as const;
      const env = instance.includes('staging') ? 'staging' : 'prod';
      const streams = shop.logs.select((l) => l.app === app && l.env === env, ...window);
      const lines = streams[Number(/(\d):/.exec(instance)?.[1])]?.lines ?? [];
      for (const status of ['200', '404', '500', '504']) {
        const logged = lines.filter((line) => new RegExp(`status"?[=:]${status}\\b`).test(line.line)).length;
        const counted = increase(series.filter((s) => s.labels.status === status));
        expect([instance, status, logged]).toEqual([instance, status, counted]);
      }
    }
  });

  test('counters never fall, buckets nest and add up', () => {
    const counters = shop.metrics.select(
      (l) => /(_total|_bucket|_count|_sum)$/.test(l.__name__ ?? ''),
      START - 6 * HOUR,
      START,
    );
    for (const { values } of counters) expect(ascending(values)).toBe(true);
    const last = new Map<string, Record<string, number>>();
    for (const { labels, values } of counters) {
      const own = last.get(labels.instance ?? '') ?? {};
      last.set(labels.instance ?? '', own);
      const key = `${labels.__name__}${labels.le ?? ''}`;
      own[key] = (own[key] ?? 0) + (values.at(-1) ?? 0);
    }
    for (const own of last.values()) {
      const buckets = ['0.005', '0.01', '0.025', '0.05', '0.1', '0.25', '0.5', '1', '2.5', '5', '10', '+Inf'];
      expect(ascending(buckets.map((le) => own[`http_request_duration_seconds_bucket${le}`] ?? -1))).toBe(true);
      expect(own['http_request_duration_seconds_bucket+Inf']).toBe(own.http_request_duration_seconds_count);
      expect(own.http_requests_total).toBe(own.http_request_duration_seconds_count);
    }
  });

  test('share trace ids through exemplars', () => {
    const [exemplar] = shop.metrics.exemplars(START - 10 * 60_000, START).filter((e) => e.seriesLabels.job === 'cart');
    const at = ns(exemplar?.time ?? 0);
    const lines = shop.logs
      .select((l) => l.app === 'cart', at - 1_000_000_000n, at + 1_000_000_000n)
      .flatMap((s) => s.lines);
    expect(lines.some((line) => line.line.includes(exemplar?.labels.trace_id ?? '?'))).toBe(true);
  });

  test('one target is down', () => {
    const down = shop.metrics
      .select((l) => l.__name__ === 'up', START - 15_000, START)
      .filter((s) => s.values.at(-1) === 0);
    expect(down.map((s) => s.labels.job)).toEqual(['dead']);
  });

  test('an hour holds every kind of line', () => {
    const lines = shop.logs.select(all, ns(START - HOUR), ns(START)).flatMap((s) => s.lines.map((line) => line.line));
    const kinds: Record<string, (line: string) => boolean> = {
      logfmt: (l) => /^ts=\S+ level=info msg="/.test(l),
      json: (l) => l.startsWith('{') && typeof JSON.parse(l) === 'object',
      nginx: (l) =>
        /^10\.0\.\d+\.\d+ - - \[\d\d\/\w{3}\/\d{4}:[\d:]+ \+0000\] "GET \S+ HTTP\/1.1" 200 \d+ "-" "/.test(l),
      'multi-line Java': (l) => /ERROR .*\n\S+Exception: .*\n\tat /.test(l),
      ANSI: (l) => l.includes('\u001b[31m'),
      CJK: (l) => l.includes('邮件已发送'),
      'very long': (l) => l.length > 30_000,
      ...Object.fromEntries(
        Object.entries(FAKE_SECRETS).map(([kind, text]) => [kind, (l: string) => l.includes(text)]),
      ),
    };
    expect(Object.keys(kinds).filter((kind) => !lines.some((line) => kinds[kind]?.(line)))).toEqual([]);
  });
});

function increase(series: readonly MetricSeries[]): number {
  return series.reduce((sum, { values }) => sum + (values.at(-1) ?? 0) - (values[0] ?? 0), 0);
}
function ascending(values: readonly (number | bigint)[]): boolean {
  return values.every((value, i) => i === 0 || (values[i - 1] ?? value) <= value);
}
