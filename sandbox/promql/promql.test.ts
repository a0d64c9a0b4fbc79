import { describe, expect, test } from 'vitest';
import { memoryMetrics } from '../data/memory-metrics.ts';
import type { Labels } from '../data/store.ts';
import { prometheusApi } from '../prometheus/api.ts';
import { STALE } from './values.ts';

// What the recorded cases do not reach; the messages are those of Prometheus 2.42.

const SECOND = 1000;

function ask(store: ReturnType<typeof memoryMetrics>, params: Record<string, string>, path = '/api/v1/query') {
  const request = { method: 'GET', path, params: new URLSearchParams(params), headers: {}, now: 0 };
  return JSON.parse(prometheusApi(store, request).body);
}

function series(labels: Labels, ...samples: [number, number][]) {
  return { labels, times: samples.map(([time]) => time * SECOND), values: samples.map(([, value]) => value) };
}

describe('refused queries', () => {
  const nothing = memoryMetrics({ series: [] });
  const parseError = (text: string) => `invalid parameter "query": ${text}`;
  test.each([
    ['limitk(2, up)', '1:1: parse error: unknown function with name "limitk"'],
    [
      'double_exponential_smoothing(up[5m], 0.1, 0.1)',
      '1:1: parse error: unknown function with name "double_exponential_smoothing"',
    ],
    [
      'holt_winters(up, 1, 1)',
      '1:14: parse error: expected type range vector in call to function "holt_winters", got instant vector',
    ],
    ['up{a=~"[z-a]"}', '1:4: parse error: error parsing regexp: invalid character class range: `z-a`'],
    ['up{a=~"a**"}', '1:4: parse error: error parsing regexp: invalid nested repetition operator: `**`'],
    ['sum(up,)', '1:7: parse error: trailing commas not allowed in function call args'],
    ['up offset 5m offset 5m', '1:1: parse error: offset may not be set multiple times'],
    [
      '-up[5m]',
      '1:1: parse error: unary expression only allowed on expressions of type scalar or instant vector, got "range vector"',
    ],
    ['1 > 2', '1:3: parse error: comparisons between scalars must use BOOL modifier'],
    ['up[5m3h]', '1:4: parse error: not a valid duration string: "5m3h"'],
  ])('%s', (query, message) => {
    expect(ask(nothing, { query, time: '0' })).toEqual({
      status: 'error',
      errorType: 'bad_data',
      error: parseError(message),
    });
  });

  test.each([
    ['up[300]', '1:4'],
    ['5m', '1:1'],
    ['up[5m+1m]', '1:6'],
    ['{"up"}', '1:2'],
    ['up smoothed', '1:4'],
    ['up +\n  fill(0)', '2:3'],
    ['日', '1:1'],
    ['a{b="日本"} 5', '1:15'],
  ])('newer or wrong syntax: %j at %s', (query, position) => {
    expect(ask(nothing, { query, time: '0' }).error).toMatch(new RegExp(`"query": ${position}: parse error: `));
  });
});

describe('samples', () => {
  test('a stale marker ends a series at once, the lookback after five minutes', () => {
    const store = memoryMetrics({
      series: [series({ __name__: 'a' }, [0, 1], [30, STALE]), series({ __name__: 'b' }, [0, 2])],
    });
    const at = (time: number) =>
      ask(store, { query: '{__name__=~"a|b"}', time: String(time) }).data.result.map(
        (one: { metric: Labels }) => one.metric.__name__,
      );
    expect([at(29), at(30), at(300), at(301)]).toEqual([['a', 'b'], ['b'], ['b'], []]);
    expect(ask(store, { query: 'count_over_time(a[1m])', time: '30' }).data.result[0].value[1]).toBe('1');
  });

  test('operators bind as in Prometheus, and modifiers to the last operand', () => {
    const store = memoryMetrics({ series: [series({ __name__: 'a' }, [0, 10], [60, 3])] });
    const value = (query: string) => ask(store, { query, time: '60' }).data.result[0].value[1];
    expect(['a + a offset 1m * a', '-a ^ 2', 'a - a - a', '2 ^ a ^ 2 % 100', 'a == bool a + a'].map(value)).toEqual([
      '33',
      '-9',
      '-3',
      '12',
      '0',
    ]);
  });

  test('holt_winters, which the current grammar no longer knows', () => {
    const store = memoryMetrics({ series: [series({ __name__: 'a' }, [0, 1], [10, 3], [20, 2], [30, 8])] });
    const { result } = ask(store, { query: 'holt_winters(a[1m], 0.5, 0.5)', time: '30' }).data;
    expect(result[0].value[1]).toBe('6.375');
  });

  test('small and large numbers as Go writes them', () => {
    const value = (query: string) => ask(memoryMetrics({ series: [] }), { query, time: '0' }).data.result[1];
    expect(['1e-7', '1e21', '1e20', '010', '0x1F', '-0'].map(value)).toEqual([
      '1e-07',
      '1e+21',
      '100000000000000000000',
      '8',
      '31',
      '-0',
    ]);
  });
});
