import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { memoryLogStore } from './memory-logs.ts';
import { openMetricsStore } from './memory-metrics.ts';
import type { LogStore, MetricStore } from './store.ts';

const lineSchema = z.object({
  labels: z.record(z.string(), z.string()),
  ts: z.string().regex(/^\d{1,19}$/),
  line: z.string(),
  structuredMetadata: z.record(z.string(), z.string()).optional(),
});

/**
 * Log lines of a file, one JSON object a line: `{"labels": {…}, "ts": "<ns since epoch>", "line": "…",
 * "structuredMetadata"?: {…}}`. Throws an Error that names the line that is none.
 */
export function readLogData(path: string): LogStore {
  const entries = textOf(path)
    .split('\n')
    .flatMap((text, i) => {
      if (text.trim() === '') return [];
      const { labels, ts, line, structuredMetadata } = readLine(text, `${path}:${i + 1}`);
      return [{ labels, ts: BigInt(ts), line, ...(structuredMetadata && { metadata: structuredMetadata }) }];
    });
  return memoryLogStore(entries);
}

function readLine(text: string, place: string): z.output<typeof lineSchema> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(`${place} is not JSON.`);
  }
  const read = lineSchema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new Error(`${place} is no log line: ${issue?.path.join('.') || 'it'}: ${issue?.message}.`);
}

/** Samples of a file in the OpenMetrics text format, each with its time. Throws an Error that names the fault. */
export function readMetricData(path: string): MetricStore {
  return openMetricsStore(textOf(path));
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
