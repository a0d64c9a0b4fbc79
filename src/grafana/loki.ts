import { GatewayError } from '../errors.ts';
import { readEnvelope, readList, readStrings } from './envelope.ts';
import { readResult } from './result.ts';
import { callDatasource } from './route.ts';
import { readLabels } from './series.ts';
import type { Datasource, Labels, QueryResult, Upstream } from './upstream.ts';
import { windowKey } from './window-key.ts';

// Loki HTTP API, /loki/api/v1. Times are ns since epoch and go out as decimal strings: a number of more than ten
// digits is read as nanoseconds there, so milliseconds would ask for 1970.

/** Index labels, structured metadata and parsed labels stay apart (Loki ≥ 3.0; older ones ignore it). */
const CATEGORIZE = { 'x-loki-response-encoding-flags': 'categorize-labels' };

export interface LokiRange {
  query: string;
  start: bigint;
  end: bigint;
  /** Lines wanted; one more is asked for, so that the caller can tell whether more exist. */
  limit?: number;
  direction?: 'forward' | 'backward';
  stepMs?: number;
}

export interface LokiWindow {
  start: bigint;
  end: bigint;
  /** Selector that narrows. */
  query?: string;
}

/**
 * Log or metric query over a window. Streams hold up to `limit` + 1 entries over all streams together (`sentLimit`);
 * where the server's cap is lower, the query is repeated once at the cap, and `loweredTo` is set when the cap is below
 * what was wanted.
 */
export async function lokiQueryRange(up: Upstream, ds: Datasource, q: LokiRange): Promise<QueryResult> {
  const wanted = q.limit;
  const knownCap = Number(up.routes?.get(capKey(ds)) ?? Number.POSITIVE_INFINITY);
  const limit = wanted === undefined ? undefined : Math.min(wanted + 1, knownCap);
  try {
    return withLimit(await queryRange(up, ds, q, limit), wanted, limit);
  } catch (error) {
    const cap = capOf(error);
    if (cap === undefined || wanted === undefined || cap >= (limit ?? 0)) throw error;
    up.routes?.set(capKey(ds), String(cap));
    return withLimit(await queryRange(up, ds, q, cap), wanted, cap);
  }
}

/** Metric query at one instant. Throws bad_query for a log query. */
export async function lokiQuery(
  up: Upstream,
  ds: Datasource,
  q: { query: string; time: bigint; limit?: number },
): Promise<QueryResult> {
  const fields = { query: q.query, time: String(q.time), limit: text(q.limit) };
  const answer = await callDatasource(up, ds, { path: 'query', fields, post: true, headers: CATEGORIZE });
  return told(up, readResult(answer, ds, 'vector'));
}

/** Names of index labels in the window, sorted. */
export async function lokiLabels(up: Upstream, ds: Datasource, q: LokiWindow) {
  return await names(up, ds, 'labels', q);
}

/** Values of one index label in the window, sorted. Throws bad_argument for what cannot be a label. */
export async function lokiLabelValues(up: Upstream, ds: Datasource, name: string, q: LokiWindow) {
  if (!/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name)) {
    throw new GatewayError('bad_argument', `"${name.slice(0, 100)}" cannot be the name of a Loki label.`, {
      remedy: 'Names hold letters, digits and underscores; list_loki_labels without label lists them.',
    });
  }
  return await names(up, ds, `label/${name}/values`, q);
}

/** Label sets of the streams that match one of the selectors. */
export async function lokiSeries(
  up: Upstream,
  ds: Datasource,
  q: { match: string[]; start: bigint; end: bigint },
): Promise<Labels[]> {
  const fields = { 'match[]': q.match, start: String(q.start), end: String(q.end) };
  const answer = await callDatasource(up, ds, { path: 'series', fields, post: true, twin: true });
  return readList(readEnvelope(answer, ds).data, ds).map((labels) => readLabels(labels, ds));
}

async function queryRange(up: Upstream, ds: Datasource, q: LokiRange, limit: number | undefined): Promise<QueryResult> {
  const fields = {
    query: q.query,
    start: String(q.start),
    end: String(q.end),
    limit: text(limit),
    direction: q.direction,
    step: q.stepMs === undefined ? undefined : String(q.stepMs / 1000),
  };
  const answer = await callDatasource(up, ds, { path: 'query_range', fields, post: true, headers: CATEGORIZE });
  return within(told(up, readResult(answer, ds, 'streams')), Number(q.start / 1_000_000n), Number(q.end / 1_000_000n));
}

/** Loki moves a metric query's window to multiples of the step, outwards: what lies outside was not asked for. */
function within(result: QueryResult, start: number, end: number): QueryResult {
  if (result.type !== 'matrix') return result;
  const series = result.series.map((one) => {
    const from = one.times.findLastIndex((time) => time < start) + 1;
    const to = one.times.findLastIndex((time) => time <= end) + 1;
    if (from === 0 && to === one.times.length) return one;
    return { ...one, times: one.times.slice(from, to), values: one.values.slice(from, to) };
  });
  return { ...result, series: series.filter((one) => one.times.length > 0) };
}

/** Loki says in every answer what it cost. */
function told(up: Upstream, result: QueryResult): QueryResult {
  if (result.bytesRead !== undefined) up.scanned?.(result.bytesRead);
  return result;
}

function withLimit(result: QueryResult, wanted: number | undefined, sent: number | undefined): QueryResult {
  if (result.type !== 'streams' || wanted === undefined || sent === undefined) return result;
  return { ...result, sentLimit: sent, ...(sent < wanted ? { loweredTo: sent } : {}) };
}

// The setting's name in this text changed with Loki 3.4; the figures did not.
function capOf(error: unknown): number | undefined {
  const said = error instanceof GatewayError ? (error.details.upstreamText ?? '') : '';
  const match = /max entries limit per query exceeded.*?\((\d+) > (\d+)\)/.exec(said);
  return match ? Number(match[2]) : undefined;
}

function capKey(ds: Datasource): string {
  return `${ds.uid}|cap`;
}

/** The label endpoints default to the last hours of their own; start and end are always sent. */
async function names(up: Upstream, ds: Datasource, path: string, q: LokiWindow) {
  const key = [ds.uid, path, windowKey(q.start, q.end), q.query ?? ''].join('|');
  const { value, ageMs } = await up.cached('labels', key, async (shared) => {
    const fields = { start: String(q.start), end: String(q.end), query: q.query };
    const answer = await callDatasource(shared, ds, { path, fields, twin: true });
    return readStrings(readEnvelope(answer, ds).data, ds).sort();
  });
  // A copy: what is cached is shared by all who ask.
  return { values: [...value], ageMs };
}
function text(value: number | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}
