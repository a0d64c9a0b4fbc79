import { createShop } from '../../sandbox/data/shop.ts';
import { STALE } from '../../sandbox/promql/values.ts';

export const START = 1_796_032_800;
export const END = START + 2_400;

/**
 * Forty minutes of series that bring out what is special: counters with resets, gaps longer than the lookback, NaN and
 * infinities, negative and equal values, histograms, uneven times, a series that ends and one that begins.
 */
export function metricData(seed: number): string {
  const random = randomNumbers(seed);
  const lines: string[] = [];
  const series = (name: string, labels: string, value: (i: number) => number | undefined, interval = 15): void => {
    for (let i = 0; START + i * interval <= END; i++) {
      const sample = value(i);
      if (sample === undefined) continue;
      const jitter = interval === 15 ? 0 : Math.floor(random() * 4000) / 1000;
      lines.push(`${name}{${labels}} ${shown(sample)} ${(START + i * interval + jitter).toFixed(3)}`);
    }
  };
  const family = (name: string, type: string): number => lines.push(`# TYPE ${name} ${type}`);

  family('requests', 'counter');
  for (const job of ['a', 'b']) {
    for (const instance of ['1', '2']) {
      for (const code of ['200', '500']) {
        let count = 0;
        series('requests_total', `job="${job}",instance="${instance}",code="${code}"`, (i) => {
          count = random() < 0.02 ? Math.floor(random() * 3) : count + Math.floor(random() * 50);
          return job === 'b' && i > 60 && i < 90 ? undefined : count;
        });
      }
    }
  }
  family('temperature', 'gauge');
  for (const [job, instance] of [
    ['a', '1'],
    ['a', '2'],
    ['b', '1'],
  ]) {
    series('temperature', `job="${job}",instance="${instance}"`, () => Math.round(random() * 4000 - 2000) / 100, 17);
  }
  family('level', 'gauge');
  for (const job of ['a', 'b', 'c']) series('level', `job="${job}"`, (i) => Math.floor(i / 20) % 3);
  family('odd', 'gauge');
  series('odd', 'job="a",kind="nan"', (i) => (i % 5 === 0 ? Number.NaN : i));
  series('odd', 'job="a",kind="inf"', (i) => (i % 30 === 7 ? Number.POSITIVE_INFINITY : -i));
  family('info', 'gauge');
  series('info', 'job="a",version="1"', (i) => (i < 80 ? 1 : undefined));
  series('info', 'job="a",version="2"', (i) => (i >= 80 ? 1 : undefined));
  series('info', 'job="b",version="1"', () => 1);
  family('latency', 'gauge');
  for (const job of ['a', 'b']) {
    const counts = [0, 0, 0, 0];
    const bounds = ['0.1', '0.5', '2.5', '+Inf'];
    const steps = Array.from({ length: 200 }, () =>
      counts.map((count, k) => {
        counts[k] = count + Math.floor(random() * 5 * (k + 1));
        return counts.slice(0, k + 1).reduce((sum, one) => sum + one, 0);
      }),
    );
    bounds.forEach((le, k) => {
      series('latency_bucket', `job="${job}",le="${le}"`, (i) => steps[i]?.[k]);
    });
  }
  lines.push(...shopLines(seed, END));
  return `${lines.join('\n')}\n# EOF\n`;
}

/** The shop of the sandbox over the forty minutes before `end` (s since epoch), as OpenMetrics. */
export function shopData(seed: number, end: number): string {
  return `${shopLines(seed, end).join('\n')}\n# EOF\n`;
}

/** As much of the shop as keeps the queries quick. */
function shopLines(seed: number, end: number): string[] {
  const now = end * 1000;
  const { metrics } = createShop(seed, now, () => now);
  return SHOP.flatMap(([family, type, name]) => {
    const wanted = (labels: Record<string, string>) =>
      labels.__name__ === name && /^(?:checkout|payments|dead)$/.test(labels.job ?? '') && labels.route !== '/healthz';
    const all = metrics.select(wanted, now - (END - START) * 1000, now);
    const samples = all.flatMap(({ labels: { __name__, ...labels }, times, values }) => {
      const inner = Object.entries(labels).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
      // The text format has no stale markers.
      return times.flatMap((time, i) => {
        const value = values[i] ?? STALE;
        return value === STALE ? [] : [`${name}{${inner.join(',')}} ${shown(value)} ${(time / 1000).toFixed(3)}`];
      });
    });
    return samples.length === 0 ? [] : [`# TYPE ${family} ${type}`, ...samples];
  });
}

const SHOP = [
  ['up', 'gauge', 'up'],
  ['http_requests', 'counter', 'http_requests_total'],
  ['db_pool_in_use', 'gauge', 'db_pool_in_use'],
  ['build_info', 'gauge', 'build_info'],
] as const;

function shown(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return Number.isFinite(value) ? String(value) : value > 0 ? '+Inf' : '-Inf';
}

/** Mulberry32: the same numbers for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
