import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { VERSION } from '../version.ts';
import { listDatasources } from './datasources.ts';
import { lokiLabels } from './loki.ts';
import { promQuery } from './prometheus.ts';
import { callerOf, clientOf, LOKI, PROMETHEUS } from './testing/callers.ts';
import { json, type ScriptedServer, scriptedServer } from './testing/scripted-server.ts';
import { grafanaOrg, grafanaPermissions, grafanaSite } from './whoami.ts';

let server: ScriptedServer;
beforeAll(async () => {
  server = await scriptedServer();
});
beforeEach(() =>
  server.script({ '*': json({ status: 'success', data: null, id: 1, name: 'Main' }), '/api/datasources': json([]) }),
);
afterAll(() => server.close());

const call = { caller: callerOf('anna'), signal: new AbortController().signal, requestId: 'request-7' };

test('these headers go upstream and no others', async () => {
  const client = clientOf(server.url, { forwardHeaders: 'X-Team' });
  const forwarded = {
    'X-Team': 'red',
    'X-Scope-OrgID': 'other-tenant',
    Cookie: 'grafana_session=fake',
    Authorization: 'Bearer fake-gateway-token',
    'X-Forwarded-For': '10.0.0.1',
  };
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  await grafanaOrg(client.for({ ...call, traceparent, forwarded }));
  expect(server.seen[0]?.headers).toEqual({
    host: new URL(server.url).host,
    connection: 'keep-alive',
    accept: 'application/json',
    'accept-encoding': 'gzip',
    'user-agent': `grafana-mcp-gateway/${VERSION}`,
    'x-request-id': 'request-7',
    'x-team': 'red',
    traceparent,
    authorization: 'Bearer fake-token-of-anna',
  });
  client.close();
});

test('the own bearer of the gateway is not forwarded, even when a setting says so', async () => {
  const client = clientOf(server.url, { forwardHeaders: 'Authorization,Cookie,X-Scope-OrgID' });
  const forwarded = { authorization: 'Bearer fake-gateway-token', cookie: 'sso=fake', 'X-Scope-OrgID': 'team-a' };
  await grafanaOrg(client.for({ ...call, caller: callerOf('nobody', { headers: async () => ({}) }), forwarded }));
  expect(server.seen[0]?.headers).toMatchObject({ cookie: 'sso=fake', 'x-scope-orgid': 'team-a' });
  expect(server.seen[0]?.headers.authorization).toBeUndefined();
  client.close();
});

test('the organisation goes with every call', async () => {
  const client = clientOf(server.url, { orgId: 6 });
  const up = client.for({ ...call, caller: callerOf('anna', { headers: async () => ({ 'X-Grafana-Org-Id': '1' }) }) });
  const query = 'x'.repeat(5000);
  await Promise.allSettled([
    grafanaOrg(up),
    grafanaPermissions(up),
    grafanaSite(up),
    listDatasources(up),
    lokiLabels(up, LOKI, { start: 1n, end: 2n }),
    promQuery(up, PROMETHEUS, { query, time: 1 }),
    client.ping(),
  ]);
  expect(server.seen.map((s) => s.path).sort()).toEqual([
    '/api/access-control/user/permissions',
    '/api/datasources',
    '/api/datasources/proxy/uid/logs/loki/api/v1/labels',
    '/api/datasources/proxy/uid/prom/api/v1/query',
    '/api/frontend/settings',
    '/api/health',
    '/api/health',
    '/api/org',
  ]);
  expect(new Set(server.seen.map((s) => s.headers['x-grafana-org-id']))).toEqual(new Set(['6']));
  client.close();
});

test('a file of extra headers, also for the probe', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'headers-')), 'headers.txt');
  writeFileSync(file, '# the auth proxy in front\nX-Proxy-Key:  fake-key \r\n\nX-Two: b: c\n');
  const client = clientOf(server.url, { grafanaHeadersFile: file });
  await client.ping();
  expect(server.seen[0]?.headers).toMatchObject({ 'x-proxy-key': 'fake-key', 'x-two': 'b: c' });
  client.close();
  writeFileSync(file, 'no colon here\n');
  expect(() => clientOf(server.url, { grafanaHeadersFile: file })).toThrow(/line 1: not of the form/);
});

test('two callers at once never see each other, in headers or in what is cached', async () => {
  server.script({
    '/api/datasources': (seen, response) => {
      const name = seen.headers.authorization?.replace('Bearer fake-token-of-', '') ?? 'nobody';
      setTimeout(() => json([{ uid: name, name, type: 'loki' }])(seen, response), Math.random() * 10);
    },
  });
  const client = clientOf(server.url, { forwardHeaders: 'X-Team' });
  const names = Array.from({ length: 60 }, (_, i) => ['anna', 'bert', 'cleo'][i % 3] ?? '');
  const seen = await Promise.all(
    names.map(async (name) => {
      const up = client.for({ ...call, caller: callerOf(name) });
      return (await listDatasources(up)).datasources[0]?.uid;
    }),
  );
  expect(seen).toEqual(names);
  expect(server.seen).toHaveLength(3);
  // The same credential with another forwarded header is another identity.
  await listDatasources(client.for({ ...call, caller: callerOf('anna'), forwarded: { 'x-team': 'red' } }));
  expect(server.seen).toHaveLength(4);
  expect(client.stats()).toMatchObject({ cacheMisses: 4, cacheHits: 57, cacheEntries: 4, upstreamCalls: 4 });
  client.close();
});
