import { Agent } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import axios from 'axios';
import { ms, paired, quantiles, table, timed } from './measure.ts';
import { residentMb, type Started, startPrinter, startServe, stop } from './processes.ts';

// What bench/README.md explains. Every figure is measured in this one run; nothing is remembered from another.
const here = dirname(fileURLToPath(import.meta.url));
const bundle = process.env.BENCH_BUNDLE ?? join(here, 'grafana-mcp-gateway.mjs');
/** Calls of a process before its steady time is measured: until V8 has compiled what runs often. */
const WARM = 600;
const rounds = Number(process.env.BENCH_ROUNDS ?? 6);

const LOGQL = '{app="bench"}';
const direct =
  '/api/datasources/proxy/uid/bench-loki/loki/api/v1/query_range?query=%7Bapp%3D%22bench%22%7D&limit=101&direction=backward';

const bare = await startPrinter(join(here, 'bare.mjs'));
const report: string[][] = [
  [
    'upstream',
    'callers',
    'straight p50',
    'p95',
    'gateway p50',
    'p95',
    'own p50',
    'own p95',
    'ratio',
    'bare SDK hop p50',
    'p95',
  ],
];
for (const delay of [0, 20]) report.push(...(await compare(delay)));
process.stdout.write(
  `One log query of 100 lines, straight to the upstream and through the gateway\n\n${table(report)}\n\n`,
);
await stop(bare);
process.stdout.write(`${table(await lifecycle())}\n`);

async function compare(delay: number): Promise<string[][]> {
  const upstream = await startPrinter(join(here, 'upstream.mjs'), [String(delay)]);
  const gateway = await startServe(bundle, upstream.url);
  const rows: string[][] = [];
  for (const callers of [1, 16]) {
    const http = axios.create({ httpAgent: new Agent({ keepAlive: true }) });
    const straight = Array.from({ length: callers }, () => () => http.get(upstream.url + direct));
    const clients = await Promise.all(Array.from({ length: callers }, () => connect(gateway)));
    const hops = await Promise.all(Array.from({ length: callers }, () => connect(bare)));
    const through = clients.map((client) => () => call(client, 'query_loki_logs', { logql: LOGQL, limit: 100 }));
    const hop = hops.map((client) => () => call(client, 'any', {}));
    const count = Math.ceil(60 / callers);
    const { a, b } = await paired(straight, through, rounds, count, Math.ceil(WARM / callers));
    await timed(hop, Math.ceil(WARM / callers));
    const bareTimes = await timed(hop, count * 2);
    const [s50 = 0, s95 = 0] = quantiles(a, [0.5, 0.95]);
    const [g50 = 0, g95 = 0] = quantiles(b, [0.5, 0.95]);
    const [h50 = 0, h95 = 0] = quantiles(bareTimes, [0.5, 0.95]);
    rows.push([
      delay === 0 ? 'at once' : `${delay} ms`,
      String(callers),
      ms(s50),
      ms(s95),
      ms(g50),
      ms(g95),
      ms(g50 - s50),
      ms(g95 - s95),
      (g50 / s50).toFixed(2),
      ms(h50),
      ms(h95),
    ]);
    await Promise.all([...clients, ...hops].map((client) => client.close()));
  }
  await stop(gateway);
  await stop(upstream);
  return rows;
}

async function lifecycle(): Promise<string[][]> {
  const upstream = await startPrinter(join(here, 'upstream.mjs'), ['0']);
  const starts: number[] = [];
  const first: number[] = [];
  const early: number[] = [];
  for (let i = 0; i < 3; i++) {
    const started = await startServe(bundle, upstream.url);
    starts.push(started.readyMs);
    const caller = await connect(started);
    const ask = () => call(caller, 'query_loki_logs', { logql: LOGQL, limit: 100 });
    first.push(...(await timed([ask], 1)));
    early.push(...(await timed([ask], 100)));
    await caller.close();
    await stop(started);
  }
  const gateway = await startServe(bundle, upstream.url);
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  const idleMb = residentMb(gateway.child);

  for (let i = 0; i < 1000; i += 20) {
    const batch = await Promise.all(Array.from({ length: 20 }, () => connect(gateway)));
    await Promise.all(batch.map((c) => (c.transport as StreamableHTTPClientTransport).terminateSession()));
    await Promise.all(batch.map((c) => c.close()));
  }
  const afterMb = residentMb(gateway.child);

  const client = await connect(gateway);
  await client.listResources();
  const listing = await timed([() => client.listResources()], 200);
  const hop = await timed([() => client.ping()], 200);
  const [list50 = 0] = quantiles(listing, [0.5]);
  const [ping50 = 0] = quantiles(hop, [0.5]);
  const share = await cacheShare(gateway);
  await client.close();
  await stop(gateway);
  await stop(upstream);
  const [cold = 0] = quantiles(starts, [0.5]);
  return [
    ['cold start to /healthz, median of 3', ms(cold)],
    ['resident memory 10 s after start', `${idleMb.toFixed(0)} MB`],
    ['resident memory after 1,000 sessions opened and ended', `${afterMb.toFixed(0)} MB`],
    [
      'the log query through a process just started: first call, p50 of the next 100',
      [first, early].map((times) => ms(quantiles(times, [0.5])[0] ?? Number.NaN)).join(', '),
    ],
    ['resources/list, warm, p50 (a ping on the same session beside it)', `${ms(list50)} (${ms(ping50)})`],
    ['cache hits over a scripted session of repeated reads', `${(share * 100).toFixed(1)} %`],
  ];
}

/** A session as an engineer's client makes it: lists, descriptions, labels, and the same again; hit share from /metrics. */
async function cacheShare(gateway: Started): Promise<number> {
  const before = await cacheCounts(gateway);
  const client = await connect(gateway);
  for (let i = 0; i < 10; i++) {
    await call(client, 'list_datasources', {});
    await call(client, 'list_loki_labels', {});
    await call(client, 'list_prometheus_labels', {});
    await call(client, 'search_metrics', { match: 'up' });
    await call(client, 'describe_datasource', { datasource: 'bench-loki' });
    await client.listResources();
    await client.readResource({ uri: 'datasource:loki:bench-loki' });
  }
  await client.close();
  const after = await cacheCounts(gateway);
  const hits = after.hits - before.hits;
  return hits / (hits + after.misses - before.misses);
}

async function cacheCounts(gateway: Started): Promise<{ hits: number; misses: number }> {
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  const value = (pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? Number.NaN);
  return {
    hits: value(/^grafana_mcp_gateway_cache_hits_total(?:\{[^}]*\})? (\S+)/m),
    misses: value(/^grafana_mcp_gateway_cache_misses_total(?:\{[^}]*\})? (\S+)/m),
  };
}

async function connect(server: Started): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', server.url)) as Parameters<Client['connect']>[0],
  );
  return client;
}

async function call(client: Client, name: string, args: Record<string, unknown>): Promise<void> {
  const result = await client.callTool({ name, arguments: args });
  if (result.isError) throw new Error(`${name}: ${JSON.stringify(result.content)}`);
}
