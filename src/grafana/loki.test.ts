import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { GrafanaClient } from './client.ts';
import { lokiLabels, lokiLabelValues, lokiQuery, lokiQueryRange, lokiSeries } from './loki.ts';
import { lokiStats, lokiVolume } from './loki-index.ts';
import { callerOf, clientOf, LOKI, upstreamOf } from './testing/callers.ts';
import { json, proxied, type ScriptedServer, scriptedServer } from './testing/scripted-server.ts';

const PROXY = '/api/datasources/proxy/uid/logs/loki/api/v1';
const RESOURCES = '/api/datasources/uid/logs/resources';
const START = 1796032800000000001n;
const END = 1796034600000000000n;
const empty = json({ status: 'success', data: { resultType: 'streams', result: [] } });

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

const entriesCap = (asked: number, cap: number) =>
  proxied(400, `max entries limit per query exceeded, limit > max_entries_limit_per_query (${asked} > ${cap})`);

describe('query_range', () => {
  test('sends nanoseconds as they are and keeps them', async () => {
    const value = [String(START), 'line', { structuredMetadata: { trace_id: 'a1' }, parsed: { status: '500' } }];
    const result = {
      stream: { app: 'shop' },
      values: [value, ['1796032800000000000', 'old form'], ['1796032799999999999', 'bare', {}]],
    };
    server.script({
      [`${PROXY}/query_range`]: json({
        status: 'success',
        warnings: ['partial'],
        data: { resultType: 'streams', result: [result] },
      }),
    });
    const q = { query: '{app="shop"} |= "é+&"', start: START, end: END, limit: 10, direction: 'forward' as const };
    expect(await lokiQueryRange(upstreamOf(client), LOKI, q)).toEqual({
      type: 'streams',
      streams: [
        {
          labels: { app: 'shop' },
          entries: [
            { ts: START, line: 'line', metadata: { trace_id: 'a1' }, parsed: { status: '500' } },
            { ts: START - 1n, line: 'old form', metadata: {}, parsed: {} },
            { ts: START - 2n, line: 'bare', metadata: {}, parsed: {} },
          ],
        },
      ],
      warnings: ['partial'],
      infos: [],
      sentLimit: 11,
    });
    const [seen] = server.seen;
    expect(seen?.method).toBe('GET');
    expect(Object.fromEntries(seen?.query ?? [])).toEqual({
      query: '{app="shop"} |= "é+&"',
      start: '1796032800000000001',
      end: '1796034600000000000',
      limit: '11',
      direction: 'forward',
    });
    expect(seen?.headers['x-loki-response-encoding-flags']).toBe('categorize-labels');
  });

  test.each([
    ['result null', { resultType: 'streams', result: null }],
    ['data null', null],
  ])('%s is nothing found', async (_what, data) => {
    server.script({ '*': json({ status: 'success', data }) });
    const found = await lokiQueryRange(upstreamOf(client), LOKI, { query: '{a="b"}', start: START, end: END });
    expect(found).toMatchObject({ type: 'streams', streams: [] });
  });

  test.each([
    [
      'a number as timestamp',
      { resultType: 'streams', result: [{ stream: {}, values: [[1796032800000000000, 'x']] }] },
    ],
    ['another type', { resultType: 'table', result: [] }],
    ['no list', { resultType: 'streams', result: {} }],
    ['a label that is no text', { resultType: 'streams', result: [{ stream: { a: 1 }, values: [] }] }],
    ['a line that is no text', { resultType: 'streams', result: [{ stream: {}, values: [['1', null]] }] }],
  ])('%s is not guessed at', async (_what, data) => {
    server.script({ '*': json({ status: 'success', data }) });
    const run = lokiQueryRange(upstreamOf(client), LOKI, { query: '{a="b"}', start: START, end: END });
    await expect(run).rejects.toMatchObject({ code: 'bad_upstream_answer' });
  });

  test('an answer that is cut off or empty', async () => {
    for (const [text, why] of [
      ['{"status":"success","da', 'cut off'],
      ['', 'empty'],
    ] as const) {
      server.script({ '*': proxied(200, text, 'application/json') });
      const run = lokiQueryRange(upstreamOf(client), LOKI, { query: '{a="b"}', start: START, end: END });
      await expect(run).rejects.toThrow(why);
    }
  });

  test('a cap below what was wanted: once more at the cap, told, and remembered', async () => {
    server.script({ [`${PROXY}/query_range`]: [entriesCap(10001, 5000), empty] });
    const up = upstreamOf(client);
    const ask = (limit: number) => lokiQueryRange(up, LOKI, { query: '{a="b"}', start: START, end: END, limit });
    expect(await ask(10_000)).toMatchObject({ loweredTo: 5000, sentLimit: 5000 });
    expect(await ask(6000)).toMatchObject({ loweredTo: 5000, sentLimit: 5000 });
    // All that was wanted fits; only the one more does not.
    const exact = await ask(5000);
    expect([exact, 'loweredTo' in exact]).toMatchObject([{ sentLimit: 5000 }, false]);
    expect(server.seen.map((s) => s.query.get('limit'))).toEqual(['10001', '5000', '5000', '5000']);
  });

  test('the older wording, and no loop when the cap is refused as well', async () => {
    const older = proxied(400, 'max entries limit per query exceeded, limit > max_entries_limit (6001 > 100)');
    server.script({ [`${PROXY}/query_range`]: older });
    const run = lokiQueryRange(upstreamOf(client), LOKI, { query: '{a="b"}', start: START, end: END, limit: 6000 });
    await expect(run).rejects.toMatchObject({ code: 'datasource_limit' });
    expect(server.seen.map((s) => s.query.get('limit'))).toEqual(['6001', '100']);
  });

  test('a long query goes as a form, and as GET where that is refused', async () => {
    const query = `{app=~"${'x|'.repeat(4000)}"}`;
    server.script({ [`${PROXY}/query_range`]: empty });
    await lokiQueryRange(upstreamOf(client), LOKI, { query, start: START, end: END });
    const [post] = server.seen;
    expect([post?.method, post?.headers['content-type'], [...(post?.query ?? [])]]).toEqual([
      'POST',
      'application/x-www-form-urlencoded',
      [],
    ]);
    expect(new URLSearchParams(post?.body).get('query')).toBe(query);

    for (const refusal of [
      proxied(405, 'Method Not Allowed'),
      json({ message: 'non allow-listed POSTs not allowed' }, 403),
    ]) {
      server.script({ [`${PROXY}/query_range`]: [refusal, empty] });
      await lokiQueryRange(upstreamOf(client), LOKI, { query, start: START, end: END });
      expect(server.seen.map((s) => s.method)).toEqual(['POST', 'GET']);
    }
  });

  test('a matrix, a vector and a scalar', async () => {
    server.script({
      '*': [
        json({
          status: 'success',
          data: {
            resultType: 'matrix',
            result: [
              {
                metric: { level: 'error' },
                values: [
                  [1796032800, '12'],
                  [1796032815.5, '+Inf'],
                ],
              },
            ],
          },
        }),
        json({
          status: 'success',
          data: { resultType: 'vector', result: [{ metric: {}, value: [1796032800.123, '42'] }] },
        }),
        json({ status: 'success', data: { resultType: 'scalar', result: [1796032800, '2'] } }),
      ],
    });
    const up = upstreamOf(client);
    expect(await lokiQueryRange(up, LOKI, { query: 'q', start: START, end: END, stepMs: 15_500 })).toMatchObject({
      type: 'matrix',
      series: [
        { labels: { level: 'error' }, times: [1796032800000, 1796032815500], values: [12, Number.POSITIVE_INFINITY] },
      ],
    });
    expect(server.seen[0]?.query.get('step')).toBe('15.5');
    expect(await lokiQuery(up, LOKI, { query: 'q', time: END })).toMatchObject({
      type: 'vector',
      series: [{ times: [1796032800123], values: [42] }],
    });
    expect(server.seen[1]?.query.get('time')).toBe(String(END));
    expect(await lokiQuery(up, LOKI, { query: '1+1', time: END })).toMatchObject({ type: 'scalar', value: 2 });
  });
});

describe('labels', () => {
  test('start and end always go along, no data is none, and the second ask comes from the cache', async () => {
    server.script({
      [`${PROXY}/labels`]: json({ status: 'success' }),
      [`${PROXY}/label/app/values`]: json({ status: 'success', data: ['b', 'a'] }),
    });
    const up = upstreamOf(client);
    expect((await lokiLabels(up, LOKI, { start: START, end: END })).values).toEqual([]);
    expect((await lokiLabelValues(up, LOKI, 'app', { start: START, end: END, query: '{env="x"}' })).values).toEqual([
      'a',
      'b',
    ]);
    await lokiLabelValues(up, LOKI, 'app', { start: START, end: END, query: '{env="x"}' });
    expect(server.seen.map((s) => Object.fromEntries(s.query))).toEqual([
      { start: String(START), end: String(END) },
      { start: String(START), end: String(END), query: '{env="x"}' },
    ]);
  });

  test('"the last hour" is the same question a moment later; another window is not', async () => {
    server.script({ '*': json({ status: 'success', data: ['app'] }) });
    const up = upstreamOf(client);
    const now = BigInt(Date.now()) * 1_000_000n;
    const hour = 3600n * 1_000_000_000n;
    for (const end of [now, now + 1_000_000n, now + 999_000_000n])
      await lokiLabels(up, LOKI, { start: end - hour, end });
    expect(server.seen).toHaveLength(1);
    await lokiLabels(up, LOKI, { start: now - 2n * hour, end: now });
    await lokiLabels(up, LOKI, { start: now - 2n * hour, end: now - hour });
    expect(server.seen).toHaveLength(3);
  });

  test('many at once are one call, and the one who asked first may leave', async () => {
    server.script({
      '*': (seen, response) => void setTimeout(() => json({ status: 'success', data: ['app'] })(seen, response), 50),
    });
    const first = new AbortController();
    const leaver = lokiLabels(upstreamOf(client, callerOf('anna'), first.signal), LOKI, { start: START, end: END });
    const others = [1, 2, 3].map(() => lokiLabels(upstreamOf(client), LOKI, { start: START, end: END }));
    setTimeout(() => first.abort(), 10);
    await expect(leaver).rejects.toMatchObject({ code: 'cancelled' });
    expect(await Promise.all(others)).toEqual(Array(3).fill({ values: ['app'], ageMs: 0 }));
    expect([server.seen.length, server.hungUp()]).toEqual([1, 0]);
  });

  test.each(['', '9x', 'a-b', 'a/../b', 'a b', 'a"'])('%j is no name', async (name) => {
    const run = lokiLabelValues(upstreamOf(client), LOKI, name, { start: START, end: END });
    await expect(run).rejects.toMatchObject({ code: 'bad_argument' });
  });
});

describe('a refused proxy', () => {
  const window = { start: START, end: END };
  const good = json({ status: 'success', data: ['app'] });

  test.each([
    ['400 of its credentials', proxied(400, 'Authentication to data source failed')],
    ['403 of a hosted Grafana', json({ message: 'proxy is not available' }, 403)],
    ['404', json({ message: 'Not found' }, 404)],
    ['405', proxied(405, '')],
    ['501', proxied(501, '')],
  ])('%s: /resources, remembered for this caller and this datasource', async (_what, refusal) => {
    server.script({
      [`${PROXY}/labels`]: refusal,
      [`${RESOURCES}/labels`]: good,
      [`${RESOURCES}/series`]: json({ status: 'success', data: [{ app: 'a' }] }),
    });
    const up = upstreamOf(client);
    expect((await lokiLabels(up, LOKI, window)).values).toEqual(['app']);
    expect(await lokiSeries(up, LOKI, { ...window, match: ['{app="a"}', '{app="b"}'] })).toEqual([{ app: 'a' }]);
    await lokiLabels(upstreamOf(client, callerOf('bert')), LOKI, window);
    expect(server.seen.map((s) => s.path)).toEqual([
      `${PROXY}/labels`,
      `${RESOURCES}/labels`,
      `${RESOURCES}/series`,
      `${PROXY}/labels`,
      `${RESOURCES}/labels`,
    ]);
    expect(server.seen[2]?.query.getAll('match[]')).toEqual(['{app="a"}', '{app="b"}']);
  });

  test.each([
    ['a missing permission', json({ message: 'Access denied to datasource' }, 403), 'grafana_forbidden'],
    ['a dead datasource', proxied(502, ''), 'datasource_unreachable'],
    ['a bad query', proxied(400, 'parse error : syntax error'), 'bad_query'],
  ])('%s is no reason to try', async (_what, refusal, code) => {
    server.script({ [`${PROXY}/labels`]: refusal, [`${RESOURCES}/labels`]: good });
    await expect(lokiLabels(upstreamOf(client), LOKI, window)).rejects.toMatchObject({ code });
    expect(server.seen).toHaveLength(1);
  });

  test('when both refuse, the first refusal is told; what the datasource says of the query comes before', async () => {
    server.script({
      [`${PROXY}/labels`]: proxied(400, 'Authentication to data source failed'),
      [`${RESOURCES}/labels`]: json({ message: 'Failed to call resource' }, 500),
    });
    await expect(lokiLabels(upstreamOf(client), LOKI, window)).rejects.toMatchObject({
      code: 'datasource_auth',
      details: { status: 400 },
    });
    server.script({
      [`${PROXY}/labels`]: proxied(405, ''),
      [`${RESOURCES}/labels`]: json({ message: 'parse error : x' }, 400),
    });
    await expect(lokiLabels(upstreamOf(client), LOKI, window)).rejects.toMatchObject({ code: 'bad_query' });
  });
});

test('stats and volume, and a server that has neither', async () => {
  const q = { query: '{app="a"}', start: START, end: END };
  const vector = {
    resultType: 'vector',
    result: [
      { metric: { app: 'a' }, value: [1796034600, '10'] },
      { metric: { app: 'b' }, value: [1796034600, '20'] },
    ],
  };
  server.script({
    [`${PROXY}/index/stats`]: json({ streams: 1, chunks: 2, bytes: 3, entries: 4 }),
    [`${PROXY}/index/volume`]: json({ status: 'success', data: vector }),
  });
  const up = upstreamOf(client);
  expect(await lokiStats(up, LOKI, q)).toEqual({ streams: 1, chunks: 2, bytes: 3, entries: 4 });
  expect(await lokiVolume(up, LOKI, { ...q, targetLabels: ['app', 'env'], limit: 5 })).toEqual([
    { labels: { app: 'b' }, bytes: 20 },
    { labels: { app: 'a' }, bytes: 10 },
  ]);
  expect(server.seen[1]?.query.get('targetLabels')).toBe('app,env');
  // What is known of a selector and a window is not asked again at once.
  const other = { ...q, query: '{app="b"}' };
  server.script({ '*': proxied(404, 'not found') });
  expect(await lokiStats(up, LOKI, q)).toMatchObject({ bytes: 3 });
  expect([await lokiStats(up, LOKI, other), await lokiVolume(up, LOKI, q)]).toEqual([undefined, undefined]);
  server.script({ '*': proxied(400, 'only label matchers are supported') });
  await expect(lokiStats(up, LOKI, { ...q, query: '{app="c"}' })).rejects.toMatchObject({ code: 'bad_query' });
});
