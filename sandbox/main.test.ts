import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from './main.ts';

// The whole sandbox over HTTP, engines included, as the gateway meets it.
const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
const own = join(folder, 'my app.log');
let sandbox: Sandbox;
let startMs: number;

beforeAll(async () => {
  writeFileSync(own, `${new Date(Date.now() - 60_000).toISOString()} mine 日本\n`);
  const before = performance.now();
  sandbox = await startSandbox({ seed: 2, logs: [own], subPath: '/grafana' });
  startMs = performance.now() - before;
});
afterAll(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it then compares.
async function get(path: string, query: Record<string, string> = {}, token = sandbox.tokens.viewer): Promise<any> {
  const answer = await fetch(`${sandbox.url}${path}?${new URLSearchParams(query)}`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  const text = await answer.text();
  return answer.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text) : text;
}
const LOKI = '/api/datasources/proxy/uid/loki-demo/loki/api/v1';
const PROMETHEUS = '/api/datasources/proxy/uid/prometheus-demo/api/v1';

test('starts in under 300 ms', () => expect(startMs).toBeLessThan(300));

describe('the incident can be found', () => {
  test('by its new error in the logs', async () => {
    const { service, error } = sandbox.facts;
    const query = `sum by (app) (count_over_time({env="prod"} |= "${error}" [5m]))`;
    const { data } = await get(`${LOKI}/query`, { query });
    expect(data.result.map((s: { metric: unknown }) => s.metric)).toEqual([{ app: service }]);
  });

  test('by its error ratio, in logs and in metrics alike', async () => {
    const { service, job } = sandbox.facts;
    const metrics = await get(`${PROMETHEUS}/query`, {
      query: `sum(rate(http_requests_total{job="${job}",status="500"}[5m])) / sum(rate(http_requests_total{job="${job}"}[5m]))`,
    });
    const parser = service === 'checkout' ? 'logfmt' : 'json';
    const count = (filter: string) => `sum(count_over_time({app="${service}"} | ${parser} | ${filter} [5m]))`;
    const logs = await get(`${LOKI}/query`, { query: `${count('status="500"')} / ${count('status!=""')}` });
    const ratio = Number(metrics.data.result[0].value[1]);
    expect(ratio).toBeGreaterThan(0.2);
    expect(Math.abs(Number(logs.data.result[0].value[1]) - ratio)).toBeLessThan(0.05);
  });

  test('by the deployment and the alert', async () => {
    const { service, version, deployedAt } = sandbox.facts;
    const annotations = await get('/api/annotations', { tags: 'deploy' });
    expect(annotations).toMatchObject([{ time: deployedAt, text: `Deployed ${service} ${version}` }]);
    const { data } = await get('/api/prometheus/grafana/api/v1/rules');
    expect(data.groups[0].rules[0]).toMatchObject({ state: 'firing', alerts: [{ labels: { job: service } }] });
  });
});

test('each Loki shows its own streams', async () => {
  const apps = async (uid: string): Promise<string[]> =>
    (await get(`/api/datasources/proxy/uid/${uid}/loki/api/v1/label/app/values`)).data;
  expect(await apps('edge-logs')).toEqual(['frontend', 'notifications']);
  expect(await apps('loki-demo')).toHaveLength(9);
});

test("a person's own file is a stream", async () => {
  const { data } = await get(`${LOKI}/query_range`, { query: '{app="my app"}' });
  expect(data.result[0].stream).toMatchObject({ app: 'my app', env: 'local', filename: own });
  expect(data.result[0].values[0][1]).toMatch(/mine 日本$/);
});

test('frames tell the same as the proxy', async () => {
  const answer = await fetch(`${sandbox.url}/api/ds/query`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${sandbox.tokens.editor}` },
    body: JSON.stringify({
      from: 'now-5m',
      to: 'now',
      queries: [
        { refId: 'A', datasource: { uid: 'prometheus-demo' }, expr: 'up{job="dead"}', instant: true },
        { refId: 'B', datasource: { uid: 'loki-demo' }, expr: '{app="cart"} |= "cart"', maxLines: 5 },
        { refId: 'C', datasource: { uid: 'loki-demo' }, expr: '{app=' },
      ],
    }),
  });
  const { results } = (await answer.json()) as Record<string, Record<string, Record<string, unknown>>>;
  expect(answer.status).toBe(400);
  expect(results?.A).toMatchObject({ frames: [{ data: { values: [[expect.any(Number)], [0]] } }] });
  expect(results?.B).toMatchObject({ frames: [{ data: { values: { 2: { length: 5 } } } }] });
  expect(results?.C).toMatchObject({ error: expect.stringContaining('parse error at line 1, col 6') });
});

test('the settings link to the address that was started', async () => {
  const settings = await get('/api/frontend/settings');
  expect([settings.appUrl, settings.appSubUrl]).toEqual([`${sandbox.url}/`, '/grafana']);
});
