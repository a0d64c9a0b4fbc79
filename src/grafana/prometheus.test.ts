import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { GrafanaClient } from './client.ts';
import { promLabels, promLabelValues, promMetadata, promQuery, promQueryRange, promSeries } from './prometheus.ts';
import { readResult } from './result.ts';
import { clientOf, PROMETHEUS, upstreamOf } from './testing/callers.ts';
import { json, proxied, type ScriptedServer, scriptedServer } from './testing/scripted-server.ts';

const PROXY = '/api/datasources/proxy/uid/prom/api/v1';
const window = { start: 1796032800000, end: 1796034600123 };

let server: ScriptedServer;
let client: GrafanaClient;
beforeAll(async () => {
  server = await scriptedServer();
});
beforeEach(() => {
  client = clientOf(server.url);
  return () => client.close();
});
afterAll(() => server.close());

test('range and instant: ms become seconds, warnings and infos are kept, what is unknown is tolerated', async () => {
  server.script({
    [`${PROXY}/query_range`]: json({
      status: 'success',
      isPartial: false,
      data: {
        resultType: 'matrix',
        result: [
          {
            metric: { job: 'a' },
            values: [
              [1796032800, '1e-7'],
              [1796032815.25, 'NaN'],
              [1796032830, '-Inf'],
            ],
          },
        ],
      },
      warnings: ['store x unavailable'],
      infos: ['PromQL info: metric might not be a counter'],
    }),
    [`${PROXY}/query`]: json({ status: 'success', data: { resultType: 'string', result: [1796032800, 'hello'] } }),
  });
  const up = upstreamOf(client);
  expect(await promQueryRange(up, PROMETHEUS, { ...window, query: 'up', stepMs: 1500 })).toEqual({
    type: 'matrix',
    series: [
      {
        labels: { job: 'a' },
        times: [1796032800000, 1796032815250, 1796032830000],
        values: [1e-7, Number.NaN, Number.NEGATIVE_INFINITY],
      },
    ],
    warnings: ['store x unavailable'],
    infos: ['PromQL info: metric might not be a counter'],
  });
  expect(Object.fromEntries(server.seen[0]?.query ?? [])).toEqual({
    query: 'up',
    start: '1796032800',
    end: '1796034600.123',
    step: '1.5',
  });
  expect(await promQuery(up, PROMETHEUS, { query: '"hello"', time: 1796032800123 })).toMatchObject({
    type: 'string',
    text: 'hello',
  });
  expect(Object.fromEntries(server.seen[1]?.query ?? [])).toEqual({ query: '"hello"', time: '1796032800.123' });
});

test('native histograms, beside floats and instead of them', async () => {
  const histogram = {
    count: '60',
    sum: '33.1',
    buckets: [
      [0, '0.1', '0.2', '5'],
      [3, '-0.001', '+Inf', '1'],
    ],
  };
  const read = {
    time: 1796032800000,
    count: 60,
    sum: 33.1,
    buckets: [
      [0, 0.1, 0.2, 5],
      [3, -0.001, Number.POSITIVE_INFINITY, 1],
    ],
  };
  server.script({
    '*': [
      json({
        status: 'success',
        data: { resultType: 'vector', result: [{ metric: { a: 'b' }, histogram: [1796032800, histogram] }] },
      }),
      json({
        status: 'success',
        data: {
          resultType: 'matrix',
          result: [{ metric: {}, values: [[1796032815, '1']], histograms: [[1796032800, histogram]] }],
        },
      }),
    ],
  });
  const up = upstreamOf(client);
  expect(await promQuery(up, PROMETHEUS, { query: 'h', time: 0 })).toMatchObject({
    series: [{ labels: { a: 'b' }, times: [], values: [], histograms: [read] }],
  });
  expect(await promQueryRange(up, PROMETHEUS, { ...window, query: 'h', stepMs: 15_000 })).toMatchObject({
    series: [{ times: [1796032815000], values: [1], histograms: [read] }],
  });
});

test.each([
  ['an empty text as value', [[1796032800, '']]],
  ['a word as value', [[1796032800, 'abc']]],
  ['a text as time', [['1796032800', '1']]],
  ['no pair', [5]],
])('%s is not guessed at', async (_what, values) => {
  server.script({ '*': json({ status: 'success', data: { resultType: 'matrix', result: [{ metric: {}, values }] } }) });
  const run = promQueryRange(upstreamOf(client), PROMETHEUS, { ...window, query: 'up', stepMs: 15_000 });
  await expect(run).rejects.toMatchObject({ code: 'bad_upstream_answer' });
});

test('an error inside a good status', async () => {
  server.script({ '*': json({ status: 'error', errorType: 'internal', error: 'boom' }) });
  const run = promQuery(upstreamOf(client), PROMETHEUS, { query: 'up', time: 0 });
  await expect(run).rejects.toMatchObject({ code: 'datasource_error', details: { said: ['boom'] } });
});

test('names, values, series: matchers repeat, a limit goes along, odd names are escaped', async () => {
  server.script({
    '*': json({ status: 'success', data: ['b', 'a'] }),
    [`${PROXY}/series`]: json({ status: 'success', data: [{ __name__: 'up' }] }),
  });
  const up = upstreamOf(client);
  const match = ['up{job="a"}', 'down'];
  expect((await promLabels(up, PROMETHEUS, { ...window, match, limit: 11 })).values).toEqual(['a', 'b']);
  await promLabelValues(up, PROMETHEUS, '__name__', window);
  await promLabelValues(up, PROMETHEUS, 'http.status_é/..', window);
  await promLabelValues(up, PROMETHEUS, '9x', window);
  expect(await promSeries(up, PROMETHEUS, { ...window, match })).toEqual([{ __name__: 'up' }]);
  expect(server.seen.map((s) => s.path.slice(PROXY.length))).toEqual([
    '/labels',
    '/label/__name__/values',
    '/label/U__http_2e_status___e9__2f__2e__2e_/values',
    '/label/U___39_x/values',
    '/series',
  ]);
  expect([...(server.seen[0]?.query ?? [])]).toEqual([
    ['match[]', 'up{job="a"}'],
    ['match[]', 'down'],
    ['start', '1796032800'],
    ['end', '1796034600.123'],
    ['limit', '11'],
  ]);
  await expect(promLabelValues(up, PROMETHEUS, '', window)).rejects.toMatchObject({ code: 'bad_argument' });
});

test('metadata by metric, the first of several, cached; a server without any', async () => {
  server.script({
    '*': json({
      status: 'success',
      data: {
        up: [{ type: 'gauge', help: 'Up.', unit: '' }, { type: 'counter' }],
        odd: [],
        x: [{ type: 'counter', unit: 's' }],
      },
    }),
  });
  const up = upstreamOf(client);
  expect([...(await promMetadata(up, PROMETHEUS)).value]).toEqual([
    ['up', { type: 'gauge', help: 'Up.', unit: '' }],
    ['odd', { type: 'unknown', help: '', unit: '' }],
    ['x', { type: 'counter', help: '', unit: 's' }],
  ]);
  await promMetadata(up, PROMETHEUS);
  expect(server.seen).toHaveLength(1);
  server.script({ '*': json({ status: 'success', data: null }) });
  expect((await promMetadata(upstreamOf(clientOf(server.url)), PROMETHEUS)).value.size).toBe(0);
});

test('a long query goes as a form; a refused proxy leads to /resources by GET', async () => {
  const query = `up{job=~"${'x|'.repeat(3000)}"}`;
  const good = json({ status: 'success', data: { resultType: 'vector', result: null } });
  server.script({ [`${PROXY}/query`]: proxied(403, ''), '/api/datasources/uid/prom/resources/api/v1/query': good });
  expect(await promQuery(upstreamOf(client), PROMETHEUS, { query, time: 0 })).toMatchObject({
    type: 'vector',
    series: [],
  });
  expect(server.seen.map((s) => `${s.method} ${s.path}`)).toEqual([
    `POST ${PROXY}/query`,
    `GET ${PROXY}/query`,
    'GET /api/datasources/uid/prom/resources/api/v1/query',
  ]);
  expect(server.seen[2]?.query.get('query')).toBe(query);
});

test('a matrix of 10 MB is read in about the time that parsing takes', () => {
  const values = Array.from({ length: 10_000 }, (_, i) => [1796032800 + i * 15, String(i / 7)]);
  const result = Array.from({ length: 30 }, (_, i) => ({ metric: { job: `job-${i}` }, values }));
  const text = JSON.stringify({ status: 'success', data: { resultType: 'matrix', result } });
  expect(text.length).toBeGreaterThan(9_000_000);
  const parsing = timed(() => JSON.parse(text));
  const reading = timed(() => readResult({ status: 200, contentType: 'application/json', text }, PROMETHEUS, 'matrix'));
  // Parsing is part of reading; a schema over every sample would be many times as slow.
  expect(reading).toBeLessThan(parsing * 4 + 100);
});

function timed(run: () => unknown): number {
  const began = performance.now();
  run();
  return performance.now() - began;
}
