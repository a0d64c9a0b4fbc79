import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../sandbox/main.ts';
import { ask, type Gateways, startGateways } from '../support/gateway.ts';
import { shopData } from './metric-data.ts';
import { installedPrometheus, type PrometheusServer, startPrometheus } from './prometheus-server.ts';

const version = installedPrometheus();
const PROXY = '/api/datasources/proxy/uid/prometheus-demo';

// One datasource's upstream is a real Prometheus, the other gateway's the sandbox with the same samples: a client must
// not see a difference.
describe.skipIf(version === undefined)(`the gateway before a real Prometheus (${version ?? 'none here'})`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'samples-'));
  let real: PrometheusServer;
  let sandbox: Sandbox;
  let front: Server;
  let gateways: Gateways[];
  let clients: Client[];

  beforeAll(async () => {
    const text = shopData(1, Math.floor(Date.now() / 15_000) * 15 - 60);
    const file = join(folder, 'samples.om');
    writeFileSync(file, text);
    [real, sandbox] = await Promise.all([startPrometheus(text), startSandbox({ prometheusData: file })]);
    front = createServer(async (request, response) => {
      const path = request.url ?? '/';
      const target = path.startsWith(PROXY) ? real.url + path.slice(PROXY.length) : sandbox.url + path;
      const { authorization = '', 'content-type': type } = request.headers;
      const body = Buffer.concat(await request.toArray());
      const answer = await fetch(target, {
        method: request.method ?? 'GET',
        headers: { authorization, ...(type === undefined ? {} : { 'content-type': type }) },
        ...(body.length === 0 ? {} : { body }),
      });
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
      response.end(Buffer.from(await answer.arrayBuffer()));
    }).listen(0, '127.0.0.1');
    await once(front, 'listening');
    const address = front.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    gateways = await Promise.all([`http://127.0.0.1:${port}`, sandbox.url].map((url) => startGateways(url)));
    clients = await Promise.all(gateways.map((one) => one.connect('streamable', sandbox.tokens.viewer)));
  });
  afterAll(async () => {
    await Promise.all(gateways?.map((one) => one.close()) ?? []);
    front?.close();
    front?.closeAllConnections();
    await Promise.all([real?.stop(), sandbox?.close()]);
    rmSync(folder, { recursive: true });
  });

  test.each<[string, Record<string, unknown>]>([
    ['query_prometheus', { promql: 'count by (job) (up)', end: 'now-5m' }],
    [
      'query_prometheus',
      { promql: 'sum by (status) (rate(http_requests_total[5m]))', start: 'now-30m', end: 'now-5m' },
    ],
    ['query_prometheus', { promql: 'db_pool_in_use', start: 'now-30m', end: 'now-5m', step: '1m' }],
    ['query_prometheus', { promql: 'nosuch', end: 'now-5m' }],
    ['search_metrics', { match: 'pool' }],
    ['search_metrics', { match: '^http_.*total$' }],
    ['list_prometheus_labels', {}],
    ['list_prometheus_labels', { label: 'job', selector: 'up' }],
  ])('%s %j answers alike', async (name, args) => {
    const given = { datasource: 'prometheus-demo', ...args };
    const [from, like] = await Promise.all(clients.map((client) => ask(client, name, given)));
    expect(alike(from)).toBe(alike(like));
  });

  test.each(['rate(up)', 'sum(', 'up{job=~"("}', 'histogram_quantile(0.9)'])('%s is refused alike', async (promql) => {
    const given = { datasource: 'prometheus-demo', promql };
    const [from, like] = await Promise.all(clients.map((client) => ask(client, 'query_prometheus', given, 'error')));
    expect(alike(from)).toBe(alike(like));
  });
});

/** Without what differs from call to call: the mark of the fence, seconds of "now", the link's address. */
function alike(text = ''): string {
  return text
    .replace(/(--- (?:data|end) )\w+/g, '$1')
    .replace(/\d\d:\d\d:\d\d/g, 'TIME')
    .replace(/https?:\/\/\S+/g, 'LINK');
}
