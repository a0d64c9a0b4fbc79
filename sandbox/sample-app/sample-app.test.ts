import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';

const SCRIPT = fileURLToPath(new URL('../../scripts/sample-app.mjs', import.meta.url));
const labelsSchema = z.record(z.string(), z.string());
const pushSchema = z.object({
  streams: z.array(
    z.object({ stream: labelsSchema, values: z.array(z.tuple([z.string(), z.string()], labelsSchema)) }),
  ),
});

interface Received {
  ts: bigint;
  line: string;
  metadata: Record<string, string> | undefined;
}

/** A Loki that is not there at first and knows structured metadata or not. */
class FakeLoki {
  readonly streams = new Map<string, Received[]>();
  requests = 0;
  refusals = 0;
  largest = 0;
  readonly server: Server;

  constructor(knowsMetadata: boolean) {
    this.server = createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString('utf8');
      if (this.requests++ === 0) return void request.socket.destroy();
      if (this.requests === 2) return void response.writeHead(503).end();
      if (request.method !== 'POST' || request.url !== '/loki/api/v1/push') return void response.writeHead(404).end();
      const { streams } = pushSchema.parse(JSON.parse(body));
      if (!knowsMetadata && streams.some(({ values }) => values.some((value) => value.length > 2))) {
        this.refusals++;
        return void response.writeHead(400).end('stream includes structured metadata, but this feature is disallowed');
      }
      this.largest = Math.max(this.largest, body.length);
      for (const { stream, values } of streams) {
        const known = this.streams.get(JSON.stringify(stream)) ?? [];
        this.streams.set(JSON.stringify(stream), known);
        for (const [ts, line, metadata] of values) known.push({ ts: BigInt(ts), line, metadata });
      }
      response.writeHead(204).end();
    });
  }

  async url(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    const address = this.server.address();
    return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  }

  all(): Received[] {
    return [...this.streams.values()].flat();
  }

  labels(): Record<string, string>[] {
    return [...this.streams.keys()].map((key) => labelsSchema.parse(JSON.parse(key)));
  }
}

/** ms */
const newest = (lines: Received[]): number =>
  lines.reduce((most, { ts }) => Math.max(most, Number(ts / 1_000_000n)), 0);
const started: { child: ChildProcess; loki: FakeLoki }[] = [];

/** A sample app that has sent its history. */
async function start(loki: FakeLoki, ...flags: string[]): Promise<{ child: ChildProcess; metrics: string }> {
  const args = [SCRIPT, '--loki', await loki.url(), '--port', '0', ...flags];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  started.push({ child, loki });
  let said = '';
  await new Promise<void>((resolve) => {
    child.stderr?.on('data', (chunk) => {
      said += chunk;
      if (/\d+ lines sent/.test(said)) resolve();
    });
  });
  return { child, metrics: /http:\S+/.exec(said)?.[0] ?? '' };
}

afterAll(() => {
  for (const { child, loki } of started) {
    child.kill('SIGKILL');
    loki.server.close();
    loki.server.closeAllConnections();
  }
});

describe('before a Loki without structured metadata', () => {
  const loki = new FakeLoki(false);
  let child: ChildProcess;
  let metrics: string;
  beforeAll(async () => {
    ({ child, metrics } = await start(loki));
  });

  test('sends the last hour in order, stream by stream, in requests of a bounded size, and the new error among it', () => {
    expect(loki.all().length).toBeGreaterThan(20_000);
    expect(loki.refusals).toBe(1);
    expect(loki.largest).toBeLessThan(3_000_000);
    for (const lines of loki.streams.values()) {
      for (const [i, { ts }] of lines.entries()) expect(ts >= (lines[i - 1]?.ts ?? 0n)).toBe(true);
    }
    for (const labels of loki.labels()) {
      expect(Object.keys(labels).sort()).toEqual(['app', 'container', 'env', 'namespace', 'pod']);
    }
    expect([...new Set(loki.labels().map(({ env }) => env))].sort()).toEqual(['prod', 'staging']);
    expect(new Set(loki.labels().map(({ app }) => app)).size).toBe(8);
    const failing = [...loki.streams].filter(([key]) => key.includes('"app":"checkout"')).flatMap(([, lines]) => lines);
    const hit = failing.filter(({ line }) => line.includes('connection pool exhausted'));
    expect(hit.length).toBeGreaterThan(0);
    // The incident began 25 minutes ago, not with the history.
    expect(hit.every(({ ts }) => ts > BigInt(Date.now() - 26 * 60_000) * 1_000_000n)).toBe(true);
  });

  test('exposes the metrics, each family once with its type; counters grow; lines go on; ends with 0 when told', async () => {
    const response = await fetch(metrics);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const first = samples(await response.text());
    expect([...first.types]).toEqual(
      expect.arrayContaining([
        ['db_pool_in_use', 'gauge'],
        ['http_request_duration_seconds', 'histogram'],
        ['http_requests_total', 'counter'],
      ]),
    );
    const before = newest(loki.all());
    await sleep(16_000);

    const second = samples(await (await fetch(metrics)).text());
    let grown = 0;
    for (const [series, value] of second.values) {
      if (!/^\w+(?:_total|_bucket|_count|_sum)\{/.test(series)) continue;
      const was = first.values.get(series) ?? 0;
      expect(value, series).toBeGreaterThanOrEqual(was);
      if (value > was) grown++;
    }
    expect(grown).toBeGreaterThan(20);
    expect([...second.values.keys()]).toEqual(expect.arrayContaining([...first.values.keys()]));
    expect([...first.values.keys()].some((series) => /^db_pool_in_use\{.*job="checkout"/.test(series))).toBe(true);
    expect(newest(loki.all())).toBeGreaterThan(before);
    for (const [key, lines] of loki.streams) {
      expect(new Set(lines.map(({ ts, line }) => `${ts} ${line}`)).size, key).toBe(lines.length);
    }

    expect((await fetch(metrics.replace('/metrics', '/healthz'))).status).toBe(200);
    child.kill('SIGTERM');
    expect((await once(child, 'exit'))[0]).toBe(0);
  }, 40_000);
});

test('sends structured metadata to a Loki that takes it, and no more history than --backfill says', async () => {
  const loki = new FakeLoki(true);
  const from = BigInt(Date.now() - 5 * 60_000) * 1_000_000n;
  await start(loki, '--backfill', '5m');
  expect(loki.all().length).toBeGreaterThan(1_000);
  expect(loki.all().every(({ ts }) => ts >= from)).toBe(true);
  expect(loki.all().some(({ metadata }) => /^[0-9a-f]{32}$/.test(metadata?.trace_id ?? ''))).toBe(true);
});

test.each([
  ['--backfill must be', '--loki', 'http://127.0.0.1:1', '--backfill', '7h'],
  ['--loki needs', '--loki', 'somewhere'],
])('refuses in words: %s', async (words, ...flags) => {
  const child = spawn(process.execPath, [SCRIPT, '--port', '0', ...flags], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  expect((await once(child, 'exit'))[0]).toBe(2);
  expect(said).toContain(words);
});

/** Text format 0.0.4, read strictly: a family's type stands once, before its samples, and no series twice. */
function samples(text: string): { types: Map<string, string>; values: Map<string, number> } {
  const types = new Map<string, string>();
  const values = new Map<string, number>();
  for (const line of text.trimEnd().split('\n')) {
    const [, family, type] = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line) ?? [];
    if (family !== undefined && type !== undefined) {
      expect(types.has(family), line).toBe(false);
      types.set(family, type);
    } else if (!line.startsWith('# HELP ')) {
      const [, series = '', name = '', value = ''] =
        /^((\w+)\{(?:\w+="(?:[^"\\\n]|\\[\\n"])*"(?:,(?!\})|(?=\})))*\}) (\S+)$/.exec(line) ?? [];
      expect(Number.isFinite(Number(value)) && value !== '', line).toBe(true);
      expect(types.has(name) || types.has(name.replace(/_(?:bucket|sum|count)$/, '')), line).toBe(true);
      expect(values.has(series), line).toBe(false);
      values.set(series, Number(value));
    }
  }
  return { types, values };
}
