import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openMetricsStore } from '../../sandbox/data/memory-metrics.ts';
import { prometheusApi } from '../../sandbox/prometheus/api.ts';
import { jsonDifference } from '../json-difference.ts';
import { metricData } from './metric-data.ts';
import { installedPrometheus, type PrometheusServer, startPrometheus } from './prometheus-server.ts';
import { request } from './promql-queries.ts';

// DIFFERENTIAL_SEED and DIFFERENTIAL_RUNS try others than the ones that are known to agree.
const seed = Number(process.env.DIFFERENTIAL_SEED ?? 1);
const numRuns = Number(process.env.DIFFERENTIAL_RUNS ?? 2000);
const version = installedPrometheus();
const reason = version ? `version ${version}` : 'no prometheus and promtool on this machine';

describe.skipIf(version !== '2.42.0')(`generated queries against Prometheus 2.42 (${reason})`, () => {
  const data = metricData(seed);
  const store = openMetricsStore(data);
  let server: PrometheusServer;
  beforeAll(async () => {
    server = await startPrometheus(data);
  });
  afterAll(() => server?.stop());

  test('sandbox and server give equal answers', async () => {
    const property = fc.asyncProperty(request, async ({ path, params }) => {
      const search = new URLSearchParams(params);
      const answer = prometheusApi(store, { method: 'GET', path, params: search, headers: {}, now: 0 });
      const real = await fetch(`${server.url}${path}?${search}`);
      const wanted: unknown = await real.json();
      if (answer.body.includes('the sandbox does not implement')) return;
      expect(answer.status, answer.body).toBe(real.status);
      expect(jsonDifference(comparable(wanted), comparable(JSON.parse(answer.body)))).toBeUndefined();
    });
    await fc.assert(property, { seed, numRuns });
  }, 300_000);
});

/** Without what is not the same twice on the server: the order of a vector, and which duplicates an error names. */
function comparable(body: unknown): unknown {
  const text = JSON.stringify(body);
  if (text.includes('found duplicate series')) return text.replace(/match group .*? on the|operation: .*?;/g, '');
  const parsed = JSON.parse(text);
  if (parsed.data?.resultType === 'vector') {
    const key = ({ metric }: { metric: Record<string, string> }): string =>
      JSON.stringify(Object.entries(metric).sort());
    parsed.data.result = Object.fromEntries(
      parsed.data.result.map((one: { metric: Record<string, string> }) => [key(one), one]),
    );
  }
  return parsed;
}
