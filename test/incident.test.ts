import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, startWorld, TRANSPORTS, type World } from './support/world.ts';

// The main job as an on-call engineer's client does it: every seed changes the service, the error, the pool and the times.
const SECRETS = ['hunter2', 'eyJhbGciOi', 'AKIA', 'BEGIN RSA PRIVATE KEY', 'BEGIN PRIVATE KEY'];
const BUDGET = 7500;

for (const seed of [1, 2, 3]) {
  describe(`seed ${seed}`, () => {
    let world: World;
    beforeAll(async () => {
      world = await startWorld({ seed });
    });
    afterAll(() => world.close());

    // One seed over every transport, the others over one: what differs by seed does not differ by transport.
    for (const transport of seed === 1 ? TRANSPORTS : (['streamable'] as const)) {
      test(`the incident is found over ${transport}`, async () => {
        const client = await world.connect(transport);
        const facts = world.sandbox.facts;
        const since = new Date(facts.deployedAt).toISOString();

        const datasources = JSON.parse(await ask(client, 'list_datasources'));
        const loki = datasources.datasources.find((d: { name: string }) => d.name === 'Loki Demo').uid;
        const prometheus = datasources.datasources.find((d: { isDefault: boolean }) => d.isDefault).uid;

        const counts = await ask(client, 'query_loki_logs', {
          datasource: loki,
          logql: 'topk(3, sum by (app) (count_over_time({env="prod"} |~ "(?i)error" [20m])))',
        });
        expect(firstRow(counts)).toContain(facts.service);

        const services = await ask(client, 'summarize_loki_logs', { datasource: loki });
        expect(services.split('\n').find((line) => line.startsWith(`${facts.service} `))).toBe(services.split('\n')[3]);
        const selector = `{app="${facts.service}", env="prod"}`;
        const summary = await ask(client, 'summarize_loki_logs', { datasource: loki, logql: selector });
        const first = summary.slice(summary.indexOf('NEW '), summary.indexOf('NEW ') + 900);
        expect(first).toMatch(/^NEW error × \d+ \(before 0\) \d\d:\d\d:\d\d–/);
        expect(first).toContain(facts.error);
        expect(summary).toMatch(/traces [0-9a-f]{16,}/);
        const trace = /follow="(\w+)"/.exec(summary)?.[1];
        const followed = await ask(client, 'summarize_loki_logs', { datasource: loki, follow: trace });
        expect(followed).toContain(facts.error);
        expect(followed).toContain(facts.knockOn);

        const logs = await ask(client, 'query_loki_logs', {
          datasource: loki,
          logql: `{app="${facts.service}", env="prod"} |= "${facts.error}"`,
          start: since,
        });
        expect(logs).toContain(facts.error);
        expect(logs).toMatch(/trace_id/);

        const rate = await ask(client, 'query_prometheus', {
          datasource: prometheus,
          promql: `sum(rate(http_requests_total{job="${facts.job}",status="500"}[5m]))`,
          start: 'now-1h',
        });
        expect(rate).toMatch(/rising|up \d|×/);

        const pool = await ask(client, 'search_metrics', {
          match: facts.poolMetric.replaceAll('_', ' '),
          datasource: prometheus,
        });
        expect(pool).toContain(facts.poolMetric);

        await expectDatasource(client, `datasource:prometheus:${prometheus}`);
        await expectDatasource(client, 'datasource:prometheus:Prometheus Demo');
        await expectDatasource(client, 'datasource:prometheus:Prometheus%20Demo');

        const prompt = await client.getPrompt({
          name: 'debug-error',
          arguments: { error: facts.error, service: facts.service },
        });
        expect(prompt.messages.map((m) => m.role)).toEqual(['user', 'assistant', 'user']);
        expect(JSON.stringify(prompt.messages)).toContain(facts.error);
      });
    }

    test('no secret and nothing above the budget is ever shown', async () => {
      const client = await world.connect('streamable');
      const apps: string[] = [];
      const labels = await client.callTool({
        name: 'list_loki_labels',
        arguments: { datasource: 'Loki Demo', label: 'app' },
      });
      for (const value of (labels.structuredContent as { values: unknown[] }).values) {
        apps.push(typeof value === 'string' ? value : String((value as { value: string }).value));
      }
      expect(apps.length).toBeGreaterThanOrEqual(8);
      for (const app of apps) {
        for (const args of [
          { detail: 'raw', limit: 500 },
          { direction: 'forward', limit: 500, start: 'now-6h' },
          { logql: `{app="${app}"} |~ "(?i)pass|token|key|cookie|auth|postgres"`, detail: 'raw', start: 'now-6h' },
        ]) {
          const result = await client.callTool({
            name: 'query_loki_logs',
            arguments: { datasource: 'Loki Demo', logql: `{app="${app}"}`, ...args },
          });
          const wire = JSON.stringify(result);
          expect(wire.length).toBeLessThanOrEqual(BUDGET);
          for (const secret of SECRETS) expect(wire).not.toContain(secret);
        }
      }
    });
  });
}

async function expectDatasource(client: Client, uri: string): Promise<void> {
  const read = await client.readResource({ uri });
  const body = JSON.parse(String((read.contents[0] as { text: string }).text));
  expect(body).toMatchObject({ name: 'Prometheus Demo', type: 'prometheus', uid: 'prometheus-demo', isDefault: true });
  expect(Object.keys(body)).toEqual(expect.arrayContaining(['url', 'uri', 'source', 'generated_at', 'age_seconds']));
}

/** The first row between the fence lines of an answer. */
function firstRow(text: string): string {
  const lines = text.split('\n');
  const fence = lines.findIndex((line) => /^---/.test(line));
  return lines.slice(fence + 1).find((line) => line.trim() !== '') ?? '';
}
