import { GatewayError } from '../errors.ts';
import { badAnswer, readEnvelope, readList, readStrings } from './envelope.ts';
import { readResult } from './result.ts';
import { callDatasource } from './route.ts';
import { isRecord, readLabels } from './series.ts';
import type { Datasource, Labels, QueryResult, Upstream } from './upstream.ts';
import { windowKey } from './window-key.ts';

// Prometheus HTTP API, /api/v1. Times come in ms since epoch and go out as seconds.

export interface PromWindow {
  start: number;
  end: number;
  match?: string[];
  /** Most values wanted; servers before 2.54 ignore it. */
  limit?: number;
}

export interface MetricMetadata {
  type: string;
  help: string;
  unit: string;
}

/** Query at one instant. */
export async function promQuery(
  up: Upstream,
  ds: Datasource,
  q: { query: string; time: number },
): Promise<QueryResult> {
  const fields = { query: q.query, time: seconds(q.time) };
  return readResult(await callDatasource(up, ds, { path: 'query', fields, post: true, twin: true }), ds, 'vector');
}

/** Query over a window, one point every `stepMs`. */
export async function promQueryRange(
  up: Upstream,
  ds: Datasource,
  q: { query: string; start: number; end: number; stepMs: number },
): Promise<QueryResult> {
  const fields = { query: q.query, start: seconds(q.start), end: seconds(q.end), step: seconds(q.stepMs) };
  return readResult(
    await callDatasource(up, ds, { path: 'query_range', fields, post: true, twin: true }),
    ds,
    'matrix',
  );
}

/** Label names in the window, sorted. */
export async function promLabels(up: Upstream, ds: Datasource, q: PromWindow) {
  return await names(up, ds, 'labels', q, true);
}

/** Values of one label in the window, sorted. `__name__` gives the names of the metrics. */
export async function promLabelValues(up: Upstream, ds: Datasource, name: string, q: PromWindow) {
  if (name === '') {
    throw new GatewayError('bad_argument', 'The name of the label is empty.', {
      remedy: 'list_prometheus_labels without label lists the names.',
    });
  }
  return await names(up, ds, `label/${encodeURIComponent(escapeLabel(name))}/values`, q, false);
}

/** Label sets of the series that match one of the selectors. */
export async function promSeries(
  up: Upstream,
  ds: Datasource,
  q: { match: string[]; start: number; end: number; limit?: number },
): Promise<Labels[]> {
  const answer = await callDatasource(up, ds, { path: 'series', fields: windowFields(q), post: true, twin: true });
  return readList(readEnvelope(answer, ds).data, ds).map((labels) => readLabels(labels, ds));
}

/** Type, help and unit by metric name; the first entry where targets disagree. Empty where the server keeps none. */
export async function promMetadata(
  up: Upstream,
  ds: Datasource,
): Promise<{ value: Map<string, MetricMetadata>; ageMs: number }> {
  return await up.cached('metadata', ds.uid, async (shared) => {
    const answer = await callDatasource(shared, ds, { path: 'metadata', fields: {}, twin: true });
    const { data } = readEnvelope(answer, ds);
    if (data === undefined || data === null) return new Map<string, MetricMetadata>();
    if (!isRecord(data)) throw badAnswer(ds, 'metadata is not an object');
    return new Map(Object.entries(data).map(([metric, entries]) => [metric, readMetadata(entries)]));
  });
}

function readMetadata(entries: unknown): MetricMetadata {
  const first: unknown = Array.isArray(entries) ? entries[0] : undefined;
  const field = (key: string) => {
    const value = isRecord(first) ? first[key] : undefined;
    return typeof value === 'string' ? value : '';
  };
  return { type: field('type') || 'unknown', help: field('help'), unit: field('unit') };
}

async function names(up: Upstream, ds: Datasource, path: string, q: PromWindow, post: boolean) {
  const window = windowKey(BigInt(Math.floor(q.start)) * 1_000_000n, BigInt(Math.ceil(q.end)) * 1_000_000n);
  const key = JSON.stringify([ds.uid, path, window, q.match ?? [], q.limit ?? 0]);
  const { value, ageMs } = await up.cached('labels', key, async (shared) => {
    const answer = await callDatasource(shared, ds, { path, fields: windowFields(q), post, twin: true });
    return readStrings(readEnvelope(answer, ds).data, ds).sort();
  });
  // A copy: what is cached is shared by all who ask.
  return { values: [...value], ageMs };
}

function windowFields(q: PromWindow) {
  return {
    'match[]': q.match,
    start: seconds(q.start),
    end: seconds(q.end),
    limit: q.limit === undefined ? undefined : String(q.limit),
  };
}

/** ms → seconds with at most three decimals; a division is exact to that. */
function seconds(ms: number): string {
  return String(ms / 1000);
}

/**
 * Names beyond letters, digits and underscores (Prometheus 3) are escaped in a path:
 * `http.status` → `U__http_2e_status` (value encoding of prometheus/common).
 */
function escapeLabel(name: string): string {
  if (/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name)) return name;
  const escaped = [...name].map((char, i) => {
    if (char === '_') return '__';
    if (/[a-zA-Z:]/.test(char) || (i > 0 && /\d/.test(char))) return char;
    return `_${char.codePointAt(0)?.toString(16)}_`;
  });
  return `U__${escaped.join('')}`;
}
