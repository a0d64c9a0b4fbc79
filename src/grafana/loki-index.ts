import { GatewayError } from '../errors.ts';
import { badAnswer, parseJson, readEnvelope, readList } from './envelope.ts';
import { callDatasource } from './route.ts';
import { isRecord, readSeries } from './series.ts';
import type { Datasource, Labels, Upstream, UpstreamAnswer } from './upstream.ts';
import { windowKey } from './window-key.ts';

// What Loki knows of streams without reading their lines. Times are ns since epoch.

/** The index answers at once or not soon, and what it says is never the answer itself, ms. */
const INDEX_DEADLINE = 10_000;

export interface IndexStats {
  streams: number;
  chunks: number;
  bytes: number;
  entries: number;
}

/** What the index knows of a selector; undefined when the server cannot say. */
export async function lokiStats(
  up: Upstream,
  ds: Datasource,
  q: { query: string; start: bigint; end: bigint },
): Promise<IndexStats | undefined> {
  const fields = { query: q.query, start: String(q.start), end: String(q.end) };
  const key = [ds.uid, 'index/stats', windowKey(q.start, q.end), q.query].join('|');
  const { value } = await up.cached('stats', key, async (shared) => {
    const call = { path: 'index/stats', fields, post: true, twin: true, deadlineMs: INDEX_DEADLINE };
    return readStats(ds, await orUndefined(callDatasource(shared, ds, call)));
  });
  return value;
}

function readStats(ds: Datasource, answer: UpstreamAnswer | undefined): IndexStats | undefined {
  if (answer === undefined) return undefined;
  // The one answer without an envelope.
  const body = parseJson(answer, ds);
  if (!isRecord(body)) throw badAnswer(ds, 'it is not a JSON object');
  const count = (key: string) => {
    const value = body[key];
    return typeof value === 'number' ? value : 0;
  };
  return { streams: count('streams'), chunks: count('chunks'), bytes: count('bytes'), entries: count('entries') };
}

/** Bytes by label set, largest first; undefined when the server cannot say (no index/volume, or switched off). */
export async function lokiVolume(
  up: Upstream,
  ds: Datasource,
  q: { query: string; start: bigint; end: bigint; limit?: number; targetLabels?: string[] },
): Promise<{ labels: Labels; bytes: number }[] | undefined> {
  const fields = {
    query: q.query,
    start: String(q.start),
    end: String(q.end),
    limit: text(q.limit),
    targetLabels: q.targetLabels?.join(','),
  };
  const answer = await orUndefined(
    callDatasource(up, ds, { path: 'index/volume', fields, post: true, twin: true, deadlineMs: INDEX_DEADLINE }),
  );
  if (answer === undefined) return undefined;
  const { data } = readEnvelope(answer, ds);
  const series = readSeries(isRecord(data) ? data.result : data, ds);
  return series.map(({ labels, values }) => ({ labels, bytes: values.at(-1) ?? 0 })).sort((a, b) => b.bytes - a.bytes);
}

/**
 * What the pattern ingester (Loki ≥ 3.0) found among the lines of a selector, most lines first; undefined when the server
 * keeps no patterns. It knows the last hours alone.
 */
export async function lokiPatterns(
  up: Upstream,
  ds: Datasource,
  q: { query: string; start: bigint; end: bigint },
): Promise<{ pattern: string; level?: string; lines: number }[] | undefined> {
  const fields = { query: q.query, start: String(q.start), end: String(q.end) };
  const answer = await orUndefined(
    callDatasource(up, ds, { path: 'patterns', fields, twin: true, deadlineMs: INDEX_DEADLINE }),
  );
  if (answer === undefined) return undefined;
  const found = readList(readEnvelope(answer, ds).data, ds).map((one) => {
    if (!isRecord(one) || typeof one.pattern !== 'string') throw badAnswer(ds, 'a pattern is none');
    const counts = (Array.isArray(one.samples) ? one.samples : []).map((pair: unknown) =>
      Array.isArray(pair) ? Number(pair[1]) : 0,
    );
    const lines = counts.reduce((sum, n) => sum + (Number.isFinite(n) ? n : 0), 0);
    const { pattern, level } = one;
    return { pattern, lines, ...(typeof level === 'string' && level !== '' ? { level } : {}) };
  });
  return found.sort((a, b) => b.lines - a.lines);
}

/** Older Loki and lookalikes have no index endpoints. */
async function orUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    const status =
      error instanceof GatewayError && error.code === 'datasource_error' ? error.details.status : undefined;
    if (status === 404 || status === 405 || status === 501) return undefined;
    throw error;
  }
}

function text(value: number | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}
