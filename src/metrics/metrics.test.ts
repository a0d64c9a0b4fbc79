import { describe, expect, it } from 'vitest';
import type { Series } from '../grafana/upstream.ts';
import { rawCounter } from './counter.ts';
import { manySeries } from './many.ts';
import { numberFormat, plain } from './numbers.ts';
import { pointRows, thin } from './points.ts';
import { explainPromError } from './problems.ts';
import { checkPromql } from './promql.ts';
import { withMatcher } from './selectors.ts';
import { seriesTable, vectorTable } from './table.ts';
import { queryUnit } from './units.ts';

const START = Date.UTC(2026, 10, 30, 10, 0, 0);
const range = (labels: Record<string, string>, values: (number | undefined)[], stepMs = 30_000): Series => {
  const points = values.flatMap((value, i) => (value === undefined ? [] : [{ time: START + i * stepMs, value }]));
  return { labels, times: points.map((p) => p.time), values: points.map((p) => p.value) };
};
const OPT = { zone: 'UTC', stepMs: 30_000, start: START, end: START + 59 * 30_000 };

describe('seriesTable', () => {
  it('shows what an engineer needs, the most changed first', async () => {
    const gap = Array.from({ length: 60 }, (_, i) => (i >= 20 && i < 25 ? undefined : 0.1));
    const up = Array.from({ length: 60 }, (_, i) => (i < 30 ? 0.2 : Math.min(18, 0.2 + (i - 29) * 1.5)));
    expect(
      await seriesTable([range({ job: 'b', env: 'p' }, gap), range({ job: 'a', env: 'p' }, up)], {
        ...OPT,
        unit: { suffix: '/s' },
      }),
    ).toEqual({
      shared: { env: 'p' },
      header: '       first   last          min            max     mean',
      rows: [
        'job=a  0.2/s   18/s  0.2/s 10:00  18/s 10:20:30  7.487/s  ▁▁▁▁▁▁▁▁▁▁▂▄▆███████  up 90 × since 10:15:30',
        'job=b  0.1/s  0.1/s        0.1/s          0.1/s    0.1/s  ▄▄▄▄▄▄▄ ▄▄▄▄▄▄▄▄▄▄▄▄  flat, no data 10:10:00–10:12:30',
      ],
    });
  });

  it('calls noise no trend: what ends inside the range of its beginning is neither up nor down', async () => {
    const noise = Array.from({ length: 60 }, (_, i) => (i % 7 === 0 ? 9 : i > 50 ? 3 : 1));
    const { rows } = await seriesTable([range({ job: 'a' }, noise)], OPT);
    expect(rows[0]).toMatch(/ {2}(varies|peak .*)$/);
  });

  it('keeps NaN and Inf, and never takes a gap for 0', async () => {
    const table = await seriesTable(
      [
        range({ a: '1' }, [Number.NaN, 1, 3, Number.NaN]),
        range({ a: '2' }, [1, Number.POSITIVE_INFINITY, 2]),
        range({ a: '3' }, [Number.NaN]),
      ],
      { zone: 'UTC' },
    );
    expect(table.rows).toHaveLength(3);
    expect(table.rows.find((row) => row.startsWith('a=1'))).toMatch(/NaN +NaN +1 10:00:30 +3 10:01 +2 {2}.*NaN × 2/);
    expect(table.rows.find((row) => row.startsWith('a=2'))).toContain('+Inf 10:00:30');
    expect(table.rows.find((row) => row.startsWith('a=3'))).toContain('no number');
  });

  it('shows native histograms', async () => {
    const one: Series = {
      labels: { a: '1' },
      times: [],
      values: [],
      histograms: [{ time: START, count: 4, sum: 10, buckets: [[0, 1, 2, 4]] }],
    };
    expect((await seriesTable([one], OPT)).rows).toEqual([
      'value  histogram: count 4, sum 10, mean 2.5, p50 1.5, p95 1.95, 1 bucket',
    ]);
    expect((await vectorTable([one])).rows).toEqual([
      'value  histogram: count 4, sum 10, mean 2.5, p50 1.5, p95 1.95, 1 bucket',
    ]);
  });

  it('shows eight series of twenty minutes in 2,500 characters', async () => {
    const series = Array.from({ length: 8 }, (_, s) =>
      range(
        { job: `service-${s}`, instance: `10.0.0.${s}:8080` },
        Array.from({ length: 81 }, (_, i) => Math.sin(i / (s + 3)) * 10 + 20 + s * i),
        15_000,
      ),
    );
    const table = await seriesTable(series, { zone: 'UTC', stepMs: 15_000, start: START, end: START + 80 * 15_000 });
    expect([table.header, ...table.rows].join('\n').length).toBeLessThan(2_000);
  });
});

it('shows a vector, largest first', async () =>
  expect(
    await vectorTable([
      { labels: { __name__: 'm', a: '1', j: 'x' }, times: [START], values: [2] },
      { labels: { __name__: 'm', a: '2', j: 'x' }, times: [START], values: [51_204] },
      { labels: { __name__: 'm', a: 'b c', j: 'x' }, times: [START], values: [Number.NaN] },
    ]),
  ).toEqual({ shared: { __name__: 'm', j: 'x' }, rows: ['a=2      51,204', 'a=1           2', 'a="b c"     NaN'] }));

it('counts too many series and offers what the grammar reads', async () => {
  const series = Array.from(
    { length: 2000 },
    (_, i): Series => ({
      labels: { __name__: 'sessions', user: `u${i}`, region: `r${i % 4}`, job: 'demo' },
      times: [START],
      values: [i % 50],
    }),
  );
  const start = performance.now();
  const many = await manySeries('sessions', series);
  expect(performance.now() - start).toBeLessThan(150);
  expect(many).toEqual({
    line: '2,000 series. Labels: user 2,000 values · region 4 · job 1 (demo)',
    rows: [
      'highest 5: region=r1 user=u49 49 · region=r3 user=u99 49 · region=r1 user=u149 49 · region=r3 user=u199 49 · region=r1 user=u249 49',
      'sum 49,000 · mean 24.5 · zero 40',
    ],
    rewrites: ['sum by (region) (sessions)', 'topk(10, sessions)', 'sessions{region="r0"}', 'count(sessions)'],
  });
});

it.each([
  [0, '0'],
  [1, '1'],
  [51_204, '51,204'],
  [0.123456, '0.1235'],
  [17.94, '17.94'],
  [1.5e18, '1.5e+18'],
  [1e-7, '1e-7'],
  [Number.NaN, 'NaN'],
  [Number.POSITIVE_INFINITY, '+Inf'],
  [Number.NEGATIVE_INFINITY, '-Inf'],
  [-0.5, '-0.5'],
])('%d is %s', (value, text) => expect(plain(value)).toBe(text));

it.each([
  ['up', {}],
  ['sum by (job) (rate(http_requests_total[5m]))', { suffix: '/s' }],
  ['process_resident_memory_bytes', { format: 'bytes' }],
  ['rate(net_bytes_total[5m])', { format: 'binBps' }],
  ['histogram_quantile(0.95, sum by (le) (rate(http_request_duration_seconds_bucket[5m])))', { format: 's' }],
  ['rate(cpu_seconds_total[5m])', { suffix: 's/s' }],
  ['disk_used_ratio', { format: 'percentunit' }],
  ['max_over_time(x_seconds[5m])', { format: 's' }],
  ['count(x_bytes)', {}],
  ['a_bytes / b_bytes', {}],
  ['process_start_time_seconds', {}],
  ['rate(x_seconds_count[5m])', { suffix: '/s' }],
  ['topk(3, x_bytes)', { format: 'bytes' }],
])('the unit of %s', (query, unit) => expect(queryUnit(query)).toEqual(unit));

it('takes the unit from metadata first, and shows it', async () => {
  const unit = queryUnit('odd', () => 'bytes');
  const show = await numberFormat(unit);
  expect([show(0), show(1536), show(3 * 2 ** 30), show(Number.NaN)]).toEqual(['0 B', '1.50 KiB', '3.00 GiB', 'NaN']);
  expect((await numberFormat({ format: 's' }))(0.0042)).toBe('4.20 ms');
});

describe('checkPromql', () => {
  it.each([
    ['up', ['up']],
    ['sum by (a) (rate(x_total{a="b"}[5m])) / on (a) {__name__="y"}', ['x_total', 'y']],
    ['{"a.b", x="y"}', ['a.b']],
    ['rate(sum(x)[5m:])', ['x']],
    ['time() + vector(1)', []],
  ])('%s is valid', (query, metrics) => expect(checkPromql(query)).toEqual({ valid: true, metrics }));

  it.each([
    ['up{job="a" status="b"}', 1, 12, 'up{job="a", status="b"}'],
    ['up{job=a}', 1, 8, 'up{job="a"}'],
    ['up{job=="a"}', 1, 8, 'up{job="a"}'],
    ['up{job=\u201ca\u201d}', 1, 8, 'up{job="a"}'],
    ['sum by job (up)', 1, 8, 'sum by (job) (up)'],
    ['rate(up)', 1, 8, 'rate(up[5m])'],
    ['rate(sum(up)[5m])', 1, 13, 'rate(sum(up)[5m:])'],
    ['rate(sum(up))', 1, 13, 'rate(sum(up)[5m:])'],
    ['rate(up[5m]', 1, 12, 'rate(up[5m])'],
    ['rate(up[5x])', 1, 10, 'rate(up[5m])'],
    ['up}', 1, 3, 'up'],
    ['1 +', 1, 4, '1'],
    ['{job=~".*"}', 1, 1, '{job=~".+"}'],
    ['up +\u00a0up', 1, 5, 'up + up'],
    ['sum(', 1, 5, undefined],
    ['', 1, 1, undefined],
  ])('%s is corrected', (query, line, column, remedy) => {
    const { valid, problem } = checkPromql(query);
    expect({ valid, line: problem?.line, column: problem?.column, remedy: problem?.remedy }).toEqual({
      valid: false,
      line,
      column,
      remedy,
    });
    if (remedy !== undefined) expect(checkPromql(remedy).valid).toBe(true);
  });
});

it('says the day of a time where the window spans days, and what a gap is called', async () => {
  const times = [START, START + 43_200_000, START + 86_400_000];
  const series = [{ labels: { job: 'a' }, times, values: [1, 9, 5] }];
  const opt = {
    zone: 'UTC',
    stepMs: 43_200_000,
    start: START - 86_400_000,
    end: START + 86_400_000,
    absent: 'no lines',
  };
  const { rows } = await seriesTable(series, opt);
  expect(rows[0]).toMatch(/1 11-30 10:00 +9 11-30 22:00 .*no lines until 11-30 10:00:00/);
  expect(await pointRows(series[0] ?? { labels: {}, times: [], values: [] }, { zone: 'UTC' })).toEqual([
    '11-30 10:00:00 1',
    '11-30 22:00:00 9',
    '12-01 10:00:00 5',
  ]);
});

it('explains a refusal with its place and one remedy', () => {
  const body = JSON.stringify({
    status: 'error',
    errorType: 'bad_data',
    error:
      'invalid parameter "query": 1:6: parse error: expected type range vector in call to function "rate", got instant vector',
  });
  expect(explainPromError('rate(up)', 400, body)).toEqual({
    message:
      'Prometheus cannot read this query (line 1, column 6): this function needs a range behind its argument, such as [5m].',
    lines: ['  rate(up)', '       ^'],
    remedy: 'try: rate(up[5m])',
    kind: 'syntax',
  });
  expect(explainPromError('x', 503, 'gone away')).toEqual({
    message: 'Prometheus answered 503 "gone away".',
    lines: [],
    kind: 'other',
  });
});

it('thins without losing an extreme behind NaN', () => {
  const values = Array.from({ length: 1000 }, (_, i) =>
    i === 505 ? 99 : i === 509 ? -99 : i % 10 === 0 ? Number.NaN : 1,
  );
  expect(thin(values, 20)).toEqual(expect.arrayContaining([505, 509]));
});

it('tells resets of a counter, and of nothing else', async () => {
  const series = [range({ job: 'a' }, [10, 20, Number.NaN, 5, 15, 3])];
  expect((await seriesTable(series, { ...OPT, counter: true })).rows[0]).toContain('reset 10:01:30, 10:02:30');
  expect((await seriesTable(series, OPT)).rows[0]).not.toContain('reset');
  const types: Record<string, string> = { x: 'counter', h: 'histogram', odd_total: 'gauge' };
  const counter = (query: string) => rawCounter(query, (metric) => types[metric.replace(/_count$/, '')])?.metric;
  expect(['x{a="b"} offset 5m', '({"x"})', 'h_count', 'y_total'].map(counter)).toEqual([
    'x',
    'x',
    'h_count',
    'y_total',
  ]);
  expect(['rate(x[5m])', 'sum(x)', 'h', 'odd_total', 'x_sum', '{job="x"}'].map(counter)).toEqual(
    Array(6).fill(undefined),
  );
});

it.each([
  [
    'sum(rate(x_total{a="b"}[5m])) / sum(rate(y[5m]))',
    'sum(rate(x_total{a="b", r="e\\"u"}[5m])) / sum(rate(y{r="e\\"u"}[5m]))',
  ],
  ['{"a.b", x="y",}', '{"a.b", x="y",r="e\\"u"}'],
  ['x{}', 'x{r="e\\"u"}'],
  ['1 + 1', undefined],
])('%s with a matcher more', (query, expected) => {
  const made = withMatcher(query, 'r', 'e"u');
  expect(made).toBe(expected);
  if (made !== undefined) expect(checkPromql(made).valid).toBe(true);
});

it('thins points without losing an extreme', async () => {
  const values = Array.from({ length: 5000 }, (_, i) => (i === 3333 ? 99 : i === 44 ? -99 : Math.sin(i)));
  const kept = thin(values, 120);
  expect(kept.length).toBeLessThanOrEqual(120);
  expect(kept).toEqual(expect.arrayContaining([0, 44, 3333, 4999]));
  expect(await pointRows(range({}, [1, undefined, 2.5]), { zone: 'UTC' })).toEqual(['10:00:00 1', '10:01:00 2.5']);
});
