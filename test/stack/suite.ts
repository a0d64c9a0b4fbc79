import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, startGateways, type TransportName } from '../support/gateway.ts';

/** Where the suite runs: the sandbox, or a Grafana with the provisioning of testdata/ and the sample app behind it. */
export interface Stack {
  url: string;
  /** A service account token; Viewer suffices. */
  token: string;
  close(): Promise<void>;
}

// Only what the sample app and the provisioning put there, and nothing in which the supported versions differ.
const SECRETS = /hunter2|eyJhbGciOi|AKIA[0-9A-Z]{12}/;
const PROD = '{app="checkout", env="prod"}';

export function stackSuite(name: string, open: () => Promise<Stack>): void {
  describe(name, () => {
    let stack: Stack;
    let gateways: Awaited<ReturnType<typeof startGateways>>;
    let client: Client;
    const loki = (args: Record<string, unknown>, expected?: 'error') =>
      ask(client, 'query_loki_logs', { datasource: 'loki-demo', ...args }, expected);
    const prometheus = (args: Record<string, unknown>, expected?: 'error') =>
      ask(client, 'query_prometheus', { datasource: 'prometheus-demo', ...args }, expected);

    beforeAll(async () => {
      stack = await open();
      gateways = await startGateways(stack.url);
      client = await gateways.connect('streamable', stack.token);
    });
    afterAll(async () => {
      await gateways?.close();
      await stack?.close();
    });

    test('datasources are listed, described, and healthy', async () => {
      const { datasources } = JSON.parse(await ask(client, 'list_datasources'));
      const uids = datasources.map(({ uid }: { uid: string }) => uid);
      expect(uids).toEqual(expect.arrayContaining(['loki-demo', 'prometheus-demo']));
      for (const uid of ['loki-demo', 'prometheus-demo']) {
        expect(await ask(client, 'describe_datasource', { datasource: uid })).toMatch(/ok/i);
      }
      expect(await ask(client, 'check_access')).toMatch(/loki/i);
    });

    test('labels and their values', async () => {
      const labels = JSON.parse(await ask(client, 'list_loki_labels', { datasource: 'loki-demo' }));
      expect(labels.labels).toEqual(expect.arrayContaining(['app', 'env']));
      const apps = await ask(client, 'list_loki_labels', { datasource: 'loki-demo', label: 'app' });
      expect(apps).toContain('"checkout"');
      const jobs = await ask(client, 'list_prometheus_labels', { datasource: 'prometheus-demo', label: 'job' });
      expect(jobs).toContain('"checkout"');
    });

    test('log lines in order, shared labels once, pages without loss', async () => {
      const [start, end] = [30, 1].map((minutes) => new Date(Date.now() - minutes * 60_000).toISOString());
      const args = { logql: `${PROD} |= "status="`, start, end, direction: 'forward', detail: 'raw' };
      const whole = rowsOf(await loki({ ...args, limit: 8 }));
      const first = await loki({ ...args, limit: 4 });
      const cursor = /cursor="([^"]+)"/.exec(first)?.[1];
      const second = rowsOf(await loki({ ...args, limit: 4, cursor }));
      expect([...times(rowsOf(first)), ...times(second)]).toEqual(times(whole));
      expect(times(whole)).toEqual([...times(whole)].sort());
      expect(whole[0]).toMatch(/^all: .*app=checkout/);
    });

    test('log lines are counted, over time and at an instant', async () => {
      const logql = `sum by (app) (count_over_time({env="prod"} [5m]))`;
      expect(await loki({ logql })).toMatch(/checkout/);
      expect(await loki({ logql, start: 'now-20m' })).toMatch(/checkout/);
    });

    test('metrics: instant, range, search', async () => {
      expect(await prometheus({ promql: 'count by (job) (up)' })).toMatch(/checkout/);
      const rate = 'sum by (status) (rate(http_requests_total{job="checkout"}[5m]))';
      expect(await prometheus({ promql: rate, start: 'now-15m' })).toMatch(/200/);
      const found = await ask(client, 'search_metrics', { datasource: 'prometheus-demo', match: 'pool in use' });
      expect(found).toContain('db_pool_in_use');
    });

    test('nothing found is said as such, with what is near', async () => {
      const near = await loki({ logql: '{app="chekout"}' });
      expect(near).toMatch(/^no lines/);
      expect(near).toContain('checkout');
      expect(await prometheus({ promql: 'db_pool_in_us' })).toMatch(/db_pool_in_use/);
    });

    test('a query that cannot be read is the fault of the caller, with the place and a correction', async () => {
      const log = await loki({ logql: '{app="checkout" env="prod"}' }, 'error');
      expect(log).toContain('try: {app="checkout", env="prod"}');
      expect(log).toContain('code: bad_query · hop: caller');
      expect(await prometheus({ promql: 'rate(up)' }, 'error')).toContain('try: rate(up[5m])');
    });

    test('resources and the prompt', async () => {
      const { resources } = await client.listResources();
      expect(resources.map(({ uri }) => uri)).toEqual(
        expect.arrayContaining([
          'grafana:overview',
          'datasource:loki:loki-demo',
          'datasource:prometheus:prometheus-demo',
        ]),
      );
      for (const uri of ['datasource:prometheus:prometheus-demo', 'datasource:prometheus:Prometheus%20Demo']) {
        const [content] = (await client.readResource({ uri })).contents;
        expect(JSON.stringify(content)).toContain('prometheus-demo');
      }
      const prompt = await client.getPrompt({ name: 'debug-error', arguments: { error: 'pool exhausted' } });
      expect(prompt.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    });

    test('no fake secret of the sample app is shown, and no answer is above the budget', async () => {
      for (const filter of ['password', 'token', 'postgres://', 'AKIA', 'cookie']) {
        const result = await client.callTool({
          name: 'query_loki_logs',
          arguments: { datasource: 'loki-demo', logql: `{env="prod"} |= "${filter}"`, detail: 'raw', limit: 200 },
        });
        const wire = JSON.stringify(result);
        expect(wire).not.toMatch(SECRETS);
        expect(wire.length).toBeLessThanOrEqual(7500);
      }
    });

    test.each<TransportName>(['stateless', 'sse'])('the same over %s', async (transport) => {
      const other = await gateways.connect(transport, stack.token);
      const args = { datasource: 'loki-demo', label: 'env' };
      expect(await ask(other, 'list_loki_labels', args)).toContain('"prod"');
    });
  });
}

function rowsOf(text: string): string[] {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => line.startsWith('--- data'));
  return lines.slice(
    from + 1,
    lines.findIndex((line) => line.startsWith('--- end')),
  );
}

const times = (rows: string[]): string[] => rows.flatMap((row) => /^\d\d:\d\d:\d\d\.\d+/.exec(row)?.[0] ?? []);
