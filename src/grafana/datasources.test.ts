import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { GrafanaClient } from './client.ts';
import { datasourceHealth, listDatasources, resolveDatasource } from './datasources.ts';
import { callerOf, clientOf, LOKI, upstreamOf } from './testing/callers.ts';
import { json, loginPage, type ScriptedServer, scriptedServer } from './testing/scripted-server.ts';

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

const denied = json(
  { accessErrorId: 'ACE1', message: "You'll need … Permissions needed: datasources:read", title: 'Access denied' },
  403,
);
const SETTINGS = {
  appUrl: 'https://grafana.example.test/',
  datasources: {
    Metrics: {
      id: 1,
      uid: 'm',
      type: 'prometheus',
      name: 'Metrics',
      url: '/api/datasources/proxy/uid/m',
      isDefault: true,
      jsonData: {},
    },
    '-- Grafana --': { id: -1, type: 'grafana', uid: 'grafana', name: '-- Grafana --', meta: {} },
    '-- Mixed --': { id: -2, type: 'mixed', uid: '-- Mixed --', name: '-- Mixed --' },
    '-- Dashboard --': { type: 'dashboard', uid: '-- Dashboard --', name: '-- Dashboard --' },
    __expr__: { type: '__expr__', uid: '__expr__', name: '__expr__' },
    Old: { id: 9, type: 'loki', name: 'Old' },
  },
};

describe('the list', () => {
  test('as recorded, sorted, with addresses', async () => {
    const recorded = readFileSync(new URL('../../test/fixtures/captures/grafana/cases.jsonl', import.meta.url), 'utf8')
      .split('\n')
      .filter((line) => line.includes('"grafana-002"'))
      .map((line) => JSON.parse(line).body);
    server.script({ '/api/datasources': json(recorded[0]) });
    const { datasources, limited } = await listDatasources(upstreamOf(client));
    expect(datasources.map((ds) => [ds.uid, ds.type, ds.isDefault, ds.url])).toMatchInlineSnapshot(`
      [
        [
          "am-demo",
          "alertmanager",
          false,
          "http://127.0.0.1:9093",
        ],
        [
          "broken",
          "prometheus",
          false,
          "http://127.0.0.1:9999",
        ],
        [
          "loki-demo",
          "loki",
          false,
          "http://127.0.0.1:3100",
        ],
        [
          "prometheus-demo",
          "prometheus",
          true,
          "http://127.0.0.1:9090",
        ],
        [
          "testdata",
          "testdata",
          false,
          undefined,
        ],
      ]
    `);
    expect(limited).toBe(false);
  });

  test('without datasources:read it comes from the settings, without built-ins and addresses', async () => {
    server.script({ '/api/datasources': denied, '/api/frontend/settings': json(SETTINGS) });
    expect(await listDatasources(upstreamOf(client))).toEqual({
      datasources: [{ uid: 'm', name: 'Metrics', type: 'prometheus', isDefault: true, jsonData: {} }],
      limited: true,
      ageMs: 0,
    });
  });

  test('when both are denied the permission is named; another failure is not mistaken for it', async () => {
    server.script({ '/api/datasources': denied, '/api/frontend/settings': denied });
    await expect(listDatasources(upstreamOf(client))).rejects.toMatchObject({
      code: 'grafana_forbidden',
      message: expect.stringContaining('datasources:read'),
    });
    server.script({
      '/api/datasources': json({ message: 'Failed to query datasources' }, 500),
      '/api/frontend/settings': json(SETTINGS),
    });
    await expect(listDatasources(upstreamOf(client))).rejects.toMatchObject({ code: 'grafana_error' });
    server.script({ '/api/datasources': loginPage });
    await expect(listDatasources(upstreamOf(client))).rejects.toMatchObject({ code: 'not_grafana' });
  });

  test('what a caller may see is narrowed after the cache, not inside it', async () => {
    server.script({ '/api/datasources': json(['a', 'b', 'c'].map((uid) => ({ uid, name: uid, type: 'loki' }))) });
    client.close();
    client = clientOf(server.url, { denyDatasources: 'c' });
    const see = async (extra: object) =>
      (await listDatasources(upstreamOf(client, callerOf('anna', extra)))).datasources.map((ds) => ds.uid);
    expect(await see({})).toEqual(['a', 'b']);
    expect(await see({ allowDatasources: ['b', 'c'] })).toEqual(['b']);
    expect(await see({ denyDatasources: ['b'] })).toEqual(['a']);
    expect(server.seen).toHaveLength(1);
  });
});

describe('resolving', () => {
  const LIST = [
    { uid: 'l1', name: 'Logs', type: 'loki' },
    { uid: 'l2', name: 'logs EU / 日本', type: 'loki' },
    { uid: 'p1', name: 'LOGS', type: 'prometheus', isDefault: true },
    { uid: 'p2', name: 'Cloud', type: 'grafana-amazonprometheus-datasource' },
    { uid: 'l1x', name: 'p1', type: 'loki' },
    { uid: 'sql', name: 'Orders', type: 'mysql' },
  ];
  beforeEach(() => server.script({ '/api/datasources': json(LIST) }));

  test.each([
    ['l1', undefined, 'l1'],
    ['Logs', undefined, 'l1'],
    ['LOGS', undefined, 'p1'],
    ['logs', 'loki', 'l1'],
    ['logs', 'prometheus', 'p1'],
    ['  logs eu / 日本 ', 'loki', 'l2'],
    ['cloud', 'prometheus', 'p2'],
    // A uid wins over a name.
    ['p1', undefined, 'p1'],
    [undefined, undefined, 'p1'],
    [undefined, 'prometheus', 'p1'],
  ] as const)('%s as %s is %s', async (ref, family, uid) => {
    expect((await resolveDatasource(upstreamOf(client), ref, family)).uid).toBe(uid);
  });

  test.each([
    [
      'logs',
      undefined,
      'ambiguous_datasource',
      'More than one datasource is called "logs": l1 ("Logs", loki), p1 ("LOGS", prometheus).',
    ],
    [
      undefined,
      'loki',
      'ambiguous_datasource',
      'There is more than one Loki datasource: l1 ("Logs", loki), l2 ("logs EU / 日本", loki), l1x ("p1", loki).',
    ],
    [
      'l1',
      'prometheus',
      'wrong_datasource_type',
      'The datasource "Logs" (l1) is of type loki, not Prometheus; use query_loki_logs.',
    ],
    [
      'p1',
      'loki',
      'wrong_datasource_type',
      'The datasource "LOGS" (p1) is of type prometheus, not Loki; use query_prometheus.',
    ],
    ['Orders', 'loki', 'wrong_datasource_type', 'The datasource "Orders" (sql) is of type mysql, not Loki.'],
    ['', 'loki', 'no_datasource', 'The datasource is empty.'],
    [
      'nope',
      'prometheus',
      'no_datasource',
      'No datasource has the uid or the name "nope". There are: p2 ("Cloud", grafana-amazonprometheus-datasource), p1 ("LOGS", prometheus).',
    ],
  ] as const)('%s as %s: %s', async (ref, family, code, message) => {
    await expect(resolveDatasource(upstreamOf(client), ref, family)).rejects.toMatchObject({ code, message });
  });

  test('none at all', async () => {
    server.script({ '/api/datasources': json([]) });
    await expect(resolveDatasource(upstreamOf(client), undefined, 'loki')).rejects.toThrow(
      'There is no Loki datasource',
    );
  });
});

test.each([
  [
    'OK',
    json({ status: 'OK', message: 'Successfully queried the Loki API.' }),
    'ok',
    'Successfully queried the Loki API.',
  ],
  [
    'ERROR',
    json(
      {
        status: 'ERROR',
        message: 'Get "http://127.0.0.1:9999/api": dial tcp 127.0.0.1:9999: connect: connection refused',
      },
      400,
    ),
    'error',
    'Get "[address]": dial tcp [address]: connect: connection refused',
  ],
  ['no check', json({ message: 'Not found', traceID: '' }, 404), 'unknown', 'Its plugin has no health check.'],
  ['its backend is down', json({ message: 'Plugin unavailable', traceID: '' }, 503), 'error', 'Plugin unavailable'],
  ['failed check', json({ message: 'Plugin health check failed' }, 500), 'error', 'Plugin health check failed'],
  [
    'Loki before 2.7',
    json(
      {
        status: 'ERROR',
        message: 'There was an error: parse error at line 1, col 1: syntax error: unexpected IDENTIFIER',
      },
      400,
    ),
    'unknown',
    'Its Loki is too old for the health check.',
  ],
] as const)('health: %s', async (_what, reply, status, message) => {
  server.script({ '/api/datasources/uid/logs/health': reply });
  const up = upstreamOf(client);
  expect(await datasourceHealth(up, LOKI)).toEqual({ status, message, ageMs: 0 });
  expect(await datasourceHealth(up, LOKI)).toMatchObject({ status });
  expect(server.seen).toHaveLength(1);
});

test('a plugin without a backend has no health', async () => {
  server.script({ '*': json({ message: 'Plugin unavailable', traceID: '' }, 503) });
  expect(await datasourceHealth(upstreamOf(client), { ...LOKI, type: 'alertmanager' })).toMatchObject({
    status: 'unknown',
    message: 'Its plugin has no health check.',
  });
});

test.each([
  ['up to 11', 'Unable to load datasource metadata', 500],
  ['since 12', 'Data source not found', 404],
  ['since 12, by its metadata', 'Unable to load datasource meta data', 404],
] as const)('health of a uid that Grafana does not know, %s', async (_since, message, status) => {
  server.script({ '*': json({ message, traceID: '' }, status) });
  await expect(datasourceHealth(upstreamOf(client), LOKI)).rejects.toMatchObject({ code: 'no_datasource' });
});
