import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { planIncident } from '../data/incident.ts';
import type { ApiRequest, LogStore, MetricStore } from '../data/store.ts';
import { createFaults, type FaultInput, type Faults } from '../faults.ts';
import { createRequestLog, type RequestLog } from '../request-log.ts';
import { firstAnnotations } from './annotations.ts';
import { FLAVOURS } from './flavours.ts';
import { grafanaServer } from './server.ts';
import { makeToken, serviceAccounts, wellFormed } from './tokens.ts';

const NOW = Date.UTC(2026, 10, 30, 10, 0, 0);
const accounts = serviceAccounts(1);
const incident = planIncident(1, NOW);
const empty: LogStore & MetricStore = {
  streams: () => [],
  select: () => [],
  series: () => [],
  metadata: () => new Map(),
  exemplars: () => [],
};

let server: Server;
let root: string;
let faults: Faults;
let log: RequestLog;
let asked: ApiRequest[];

beforeEach(async () => {
  faults = createFaults();
  log = createRequestLog();
  asked = [];
  const engine = (_: unknown, request: ApiRequest) => {
    asked.push(request);
    return { status: 200, contentType: 'application/json', body: '{"status":"success"}' };
  };
  const world = {
    incident,
    accounts: Object.values(accounts),
    logs: empty,
    edgeLogs: empty,
    metrics: empty,
    loki: engine,
    prometheus: engine,
    appUrl: '',
    subPath: '/grafana',
    annotations: firstAnnotations(incident),
    flavour: FLAVOURS['10.1'],
  };
  server = grafanaServer({ world, faults, log, now: () => NOW });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

function get(
  path: string,
  init: RequestInit = {},
  token: string | undefined = accounts.viewer.token,
): Promise<Response> {
  const headers = { ...(token && { Authorization: `Bearer ${token}` }), ...(init.headers as Record<string, string>) };
  return fetch(`${root}/grafana${path}`, { redirect: 'manual', ...init, headers });
}

/** JSON of an answer whose shape the expectation states. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads what it then compares.
async function jsonOf(answer: Response | Promise<Response>): Promise<any> {
  return (await answer).json();
}

describe('identity', () => {
  test.each([
    ['expired', accounts.expired.token, 401, 'api-key.expired'],
    ['revoked', accounts.revoked.token, 401, 'api-key.revoked'],
    ['unknown', makeToken(1, 'unknown'), 401, 'api-key.invalid'],
    ['none', '', 401, 'auth.unauthorized'],
    ['another viewer', accounts.other.token, 200, undefined],
  ])('%s', async (_, token, status, messageId) => {
    const answer = await get('/api/org', {}, token);
    expect(answer.status).toBe(status);
    expect((await jsonOf(answer)).messageId).toBe(messageId);
  });

  test('tokens have the checksum of the documentation, and differ by name and seed', () => {
    const tokens = [1, 2].flatMap((seed) => Object.values(serviceAccounts(seed)).map((a) => a.token));
    expect(new Set(tokens).size).toBe(16);
    expect(tokens.every(wellFormed)).toBe(true);
    const [first = ''] = tokens;
    expect(wellFormed(first.replace(/.$/, (last) => (last === '0' ? '1' : '0')))).toBe(false);
    // Computed by another implementation (Python's zlib).
    expect(wellFormed(`glsa_${'a'.repeat(32)}_b1a40a94`)).toBe(true);
  });

  test('a role without datasources:read may not list, but query and read the settings', async () => {
    const { token } = accounts.limited;
    expect((await get('/api/datasources', {}, token)).status).toBe(403);
    const settings = await jsonOf(get('/api/frontend/settings', {}, token));
    expect(Object.keys(settings.datasources)).toContain('東京 / Edge Logs');
    expect((await get('/api/datasources/proxy/uid/loki-demo/loki/api/v1/labels', {}, token)).status).toBe(200);
  });
});

describe('datasources', () => {
  test('the dead one fails as Grafana lets it fail', async () => {
    const proxied = await get('/api/datasources/proxy/uid/broken/api/v1/query?query=up');
    expect([proxied.status, await proxied.text()]).toEqual([502, '']);
    const health = await get('/api/datasources/uid/broken/health');
    expect([health.status, (await jsonOf(health)).status]).toEqual([400, 'ERROR']);
  });

  test('are found by a name that must be encoded', async () => {
    const answer = await get(`/api/datasources/name/${encodeURIComponent('東京 / Edge Logs')}`);
    expect((await jsonOf(answer)).uid).toBe('edge-logs');
  });

  test('get the form and the harmless headers of a POST, and not the credential', async () => {
    await get('/api/datasources/proxy/uid/prometheus-demo/api/v1/query?time=1', {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'X-Test': 'yes', 'X-Grafana-Org-Id': '1' },
      body: 'query=up',
    });
    expect(asked.map((r) => [r.method, r.path, r.params.toString(), r.now])).toEqual([
      ['POST', '/api/v1/query', 'time=1&query=up', NOW],
    ]);
    expect(asked[0]?.headers).toMatchObject({ 'x-test': 'yes' });
    expect(Object.keys(asked[0]?.headers ?? {}).filter((name) => /authorization|grafana/.test(name))).toEqual([]);
  });

  test('an editor may annotate', async () => {
    const body = JSON.stringify({ text: 'rolled back', tags: ['deploy'] });
    const added = await get('/api/annotations', { method: 'POST', body }, accounts.editor.token);
    expect(await added.json()).toEqual({ id: 3, message: 'Annotation added' });
    const listed: { text: string }[] = await jsonOf(get('/api/annotations?tags=deploy'));
    expect(listed.map((a) => a.text)).toEqual(['rolled back', 'Deployed checkout 2.3.1']);
  });
});

describe('faults on demand', () => {
  const cases: [FaultInput, (answer: Response, ms: number) => Promise<void>][] = [
    [{ kind: 'latency', ms: 120 }, async (a, ms) => expect([a.status, ms > 100]).toEqual([200, true])],
    [
      { kind: 'status', status: 429, body: 'slow down', headers: { 'Retry-After': '1' } },
      async (a) => expect([a.status, a.headers.get('retry-after'), await a.text()]).toEqual([429, '1', 'slow down']),
    ],
    [
      { kind: 'html' },
      async (a) => expect([a.status, (await a.text()).slice(0, 15)]).toEqual([200, '<!DOCTYPE html>']),
    ],
    [
      { kind: 'redirect' },
      async (a) => expect([a.status, a.headers.get('location')]).toEqual([302, 'https://login.example.com/']),
    ],
    [
      { kind: 'contentType' },
      async (a) => expect([a.headers.get('content-type'), (await jsonOf(a)).id]).toEqual(['text/plain', 1]),
    ],
    [{ kind: 'truncate', bytes: 5 }, async (a) => expect(a.text()).rejects.toThrow()],
  ];
  test.each(cases.map(([fault, check]) => [fault.kind, fault, check] as const))('%s', async (_, fault, check) => {
    const posted = await fetch(`${root}/__sandbox/faults`, {
      method: 'POST',
      body: JSON.stringify({ ...fault, match: '^/grafana/api/org', times: 1 }),
    });
    expect(posted.status).toBe(200);
    expect((await get('/api/user')).status).toBe(404);
    const before = performance.now();
    const answer = await get('/api/org');
    await check(answer, performance.now() - before);
    expect((await jsonOf(get('/api/org'))).name).toBe('Main Org.');
  });

  test('reset and hang', async () => {
    faults.add({ kind: 'reset', times: 1 });
    await expect(get('/api/org')).rejects.toThrow();
    faults.add({ kind: 'hang' });
    await expect(get('/api/org', { signal: AbortSignal.timeout(80) })).rejects.toThrow();
    await expect.poll(() => log.list().at(-1)?.outcome).toBe('aborted');
    faults.clear();
    expect((await get('/api/org')).status).toBe(200);
  });

  test('an upstream 401 is a 400 of the proxy, a 503 a 500 of resources', async () => {
    faults.add({ kind: 'upstream', status: 401, times: 1 });
    const proxied = await get('/api/datasources/proxy/uid/loki-demo/loki/api/v1/labels');
    expect([proxied.status, await proxied.text()]).toEqual([400, 'Authentication to data source failed']);
    faults.add({ kind: 'upstream', status: 503, times: 1 });
    expect((await get('/api/datasources/uid/loki-demo/resources/labels?start=1')).status).toBe(500);
  });

  test('one that is not known is refused', async () => {
    const posted = await fetch(`${root}/__sandbox/faults`, { method: 'POST', body: '{"kind":"explode"}' });
    expect(posted.status).toBe(400);
    expect(faults.list()).toEqual([]);
  });
});

test('the log tells what came, and never a credential', async () => {
  await get('/api/datasources?x=1', { headers: { 'X-Request-Id': 'r-1', 'User-Agent': 'test/1' } });
  const text = await (await fetch(`${root}/__sandbox/log`)).text();
  expect(text).not.toContain(accounts.viewer.token);
  expect(JSON.parse(text).requests).toEqual([
    {
      time: expect.any(Number),
      method: 'GET',
      path: '/grafana/api/datasources',
      query: 'x=1',
      headerNames: expect.arrayContaining(['authorization', 'user-agent', 'x-request-id']),
      headers: { 'x-request-id': 'r-1', 'user-agent': 'test/1' },
      authorizationSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      outcome: 'answered',
      status: 200,
    },
  ]);
});
