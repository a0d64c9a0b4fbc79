import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { installedPrometheus, type PrometheusServer, startPrometheus } from './prometheus-server.ts';

const path = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url));
const version = installedPrometheus();
const answerSchema = z.object({
  data: z.object({
    result: z.array(z.object({ metric: z.record(z.string(), z.string()), value: z.tuple([z.number(), z.string()]) })),
  }),
});

// testdata/prometheus.yml and its rules, but for the address of the sample app and the clock: once a second.
describe.skipIf(version === undefined)(`the sample app before a real Prometheus (${version ?? 'none here'})`, () => {
  let app: ReturnType<typeof spawn>;
  let prometheus: PrometheusServer;
  beforeAll(async () => {
    // Lines go nowhere: metrics do not wait for a Loki.
    const args = [path('scripts/sample-app.mjs'), '--loki', 'http://127.0.0.1:1', '--port', '0'];
    app = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    const [said] = app.stderr === null ? [''] : await once(app.stderr, 'data');
    const address = /http:\/\/([\d.:]+)\/metrics/.exec(String(said))?.[1] ?? '';
    const config = readFileSync(path('testdata/prometheus.yml'), 'utf8')
      .replace('sample-app:9101', address)
      .replace('[prometheus-rules.yml]', `[${path('testdata/prometheus-rules.yml')}]`)
      .replace(/_interval: 15s/g, '_interval: 1s');
    prometheus = await startPrometheus('# EOF\n', config);
  });
  afterAll(async () => {
    app?.kill();
    await prometheus?.stop();
  });

  /** Asks until there is an answer; [] after 20 s without one. */
  async function ask(query: string): Promise<{ metric: Record<string, string>; value: number }[]> {
    for (let tries = 0; tries < 40; tries++) {
      const response = await fetch(`${prometheus.url}/api/v1/query?${new URLSearchParams({ query })}`);
      const { result } = answerSchema.parse(await response.json()).data;
      if (result.length > 0) return result.map(({ metric, value: [, text] }) => ({ metric, value: Number(text) }));
      await sleep(500);
    }
    return [];
  }

  test('is scraped whole, its jobs and instances kept', async () => {
    expect(await ask('up{job="sample-app"} == 1')).toHaveLength(1);
    const jobs = (await ask('count by (job) (up{instance=~".+-0:8080"})')).map(({ metric }) => metric.job);
    expect(jobs).toEqual(expect.arrayContaining(['checkout', 'payments', 'frontend']));
    expect(await ask('up{job="dead"} == 0')).not.toEqual([]);
    const [quantile] = await ask(
      'histogram_quantile(0.9, sum by (le) (http_request_duration_seconds_bucket{job="checkout"}))',
    );
    expect(quantile?.value).toBeGreaterThan(0);
    expect(await ask('{exported_job=~".+"} or {exported_instance=~".+"} or vector(-1)')).toMatchObject([{ value: -1 }]);
    const metadata = await (await fetch(`${prometheus.url}/api/v1/metadata?metric=http_requests_total`)).text();
    expect(metadata).toContain('"type":"counter"');
  });

  test('the alert of the incident is on its way at once', async () => {
    expect(await ask('ALERTS{alertname="PoolNearlyFull",job="checkout"}')).not.toEqual([]);
  });
});
