import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';

const SCRIPT = fileURLToPath(new URL('../../scripts/sample-app.mjs', import.meta.url));
const pushSchema = z.object({
  streams: z.array(
    z.object({
      stream: z.record(z.string(), z.string()),
      values: z.array(z.tuple([z.string(), z.string()], z.record(z.string(), z.string()))),
    }),
  ),
});

const streams = new Map<string, { ts: bigint; line: string }[]>();
let requests = 0;
let largest = 0;
const loki = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString('utf8');
  // Not there at first, then one that knows no structured metadata.
  if (requests++ < 2) return void response.writeHead(503).end();
  const { streams: sent } = pushSchema.parse(JSON.parse(body));
  if (sent.some(({ values }) => values.some((value) => value.length > 2))) {
    return void response.writeHead(400).end('stream includes structured metadata, but this feature is disallowed');
  }
  largest = Math.max(largest, body.length);
  for (const { stream, values } of sent) {
    const known = streams.get(JSON.stringify(stream)) ?? [];
    streams.set(JSON.stringify(stream), known);
    for (const [ts, line] of values) known.push({ ts: BigInt(ts), line });
  }
  response.writeHead(204).end();
});
let child: ReturnType<typeof spawn>;
let metrics = '';

beforeAll(async () => {
  loki.listen(0, '127.0.0.1');
  await once(loki, 'listening');
  const address = loki.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  child = spawn(process.execPath, [SCRIPT, '--loki', url, '--port', '0'], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  await new Promise<void>((resolve) => {
    child.stderr?.on('data', (chunk) => {
      said += chunk;
      if (/\d+ lines sent/.test(said)) resolve();
    });
  });
  metrics = /http:\S+/.exec(said)?.[0] ?? '';
});
afterAll(() => {
  child.kill('SIGKILL');
  loki.close();
});

test('sends the last hour in order, stream by stream, in requests of a bounded size, and the new error among it', () => {
  const all = [...streams.values()].flat();
  expect(all.length).toBeGreaterThan(20_000);
  expect(largest).toBeLessThan(3_000_000);
  for (const lines of streams.values()) {
    for (const [i, { ts }] of lines.entries()) expect(ts >= (lines[i - 1]?.ts ?? 0n)).toBe(true);
  }
  const of = (label: string) => new Set([...streams.keys()].map((key) => JSON.parse(key)[label]));
  expect([...of('env')].sort()).toEqual(['prod', 'staging']);
  expect(of('app').size).toBe(8);
  const failing = [...streams].filter(([key]) => key.includes('"app":"checkout"')).flatMap(([, lines]) => lines);
  expect(failing.some(({ line }) => line.includes('connection pool exhausted'))).toBe(true);
});

test('exposes the metrics, each family once with its type; counters grow; ends with 0 when told', async () => {
  const read = async () => await (await fetch(metrics)).text();
  const first = await read();
  const types = [...first.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => `${name} ${type}`);
  expect(types).toEqual(
    expect.arrayContaining([
      'db_pool_in_use gauge',
      'http_request_duration_seconds histogram',
      'http_requests_total counter',
    ]),
  );
  expect(new Set(types).size).toBe(types.length);
  expect(first).toMatch(/^http_request_duration_seconds_bucket\{.*le="\+Inf".*\} \d+$/m);
  const sum = (text: string) =>
    [...text.matchAll(/^http_requests_total\{.*\} (\d+)$/gm)].reduce((total, [, value]) => total + Number(value), 0);
  await new Promise((resolve) => setTimeout(resolve, 16_000));
  expect(sum(await read())).toBeGreaterThan(sum(first));
  expect((await fetch(metrics.replace('/metrics', '/healthz'))).status).toBe(200);
  child.kill('SIGTERM');
  expect((await once(child, 'exit'))[0]).toBe(0);
}, 40_000);
