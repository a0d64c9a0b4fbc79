import type { MetricMetadata } from '../grafana/prometheus.ts';
import { promMetadata } from '../grafana/prometheus.ts';
import type { Datasource, Upstream } from '../grafana/upstream.ts';
import { readDuration } from '../time/read.ts';

/** Longest wait for what only makes an answer nicer. */
const PATIENCE_MS = 1_000;

/** Type, help and unit of all metrics; empty when the server keeps none, fails or takes its time. */
export async function metadataOf(up: Upstream, ds: Datasource): Promise<Map<string, MetricMetadata>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Map<string, MetricMetadata>>((resolve) => {
    timer = setTimeout(() => resolve(new Map()), PATIENCE_MS);
  });
  const known = promMetadata(up, ds).then(
    ({ value }) => value,
    () => new Map<string, MetricMetadata>(),
  );
  try {
    return await Promise.race([known, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The facts of a metric; those of a histogram or summary stand under its name without suffix. */
export function factsOf(metadata: Map<string, MetricMetadata>, metric: string): MetricMetadata | undefined {
  return metadata.get(metric) ?? metadata.get(metric.replace(/_(?:bucket|count|sum|total|created)$/, ''));
}

/** The scrape interval that the datasource's settings name, ms. */
export function scrapeOf(ds: Datasource): number | undefined {
  const { timeInterval } = ds.jsonData;
  if (typeof timeInterval !== 'string' || timeInterval === '') return undefined;
  try {
    return readDuration(timeInterval);
  } catch {
    return undefined;
  }
}
