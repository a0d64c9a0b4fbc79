import { z } from 'zod';
import { json, message } from './answer.ts';
import { ask, refused } from './backends.ts';
import { byId, byUid, type DemoDatasource } from './datasources.ts';
import type { Frame } from './frame.ts';
import { lokiFrames } from './loki-frames.ts';
import { prometheusFrames } from './prometheus-frames.ts';
import type { Handler, Visit } from './world.ts';

const oneQuery = z.object({
  refId: z.string().default('A'),
  datasource: z.object({ uid: z.string().default('') }).optional(),
  datasourceId: z.number().optional(),
  expr: z.string().default(''),
  intervalMs: z.number().default(1000),
  maxDataPoints: z.number().default(100),
  hide: z.boolean().optional(),
  instant: z.boolean().optional(),
  range: z.boolean().optional(),
  queryType: z.string().optional(),
  maxLines: z.number().optional(),
  direction: z.string().optional(),
  legendFormat: z.string().optional(),
});
type Query = z.output<typeof oneQuery>;
const requestBody = z.object({
  from: z.string().default('now-1h'),
  to: z.string().default('now'),
  queries: z.array(oneQuery),
});

type Result = { frames: Frame[] } | { error: string; status: number };

/** POST /api/ds/query: 400 with all results when one of the queries failed. */
export const dsQuery: Handler = (visit) => {
  let body: z.output<typeof requestBody>;
  try {
    body = requestBody.parse(JSON.parse(visit.request.body));
  } catch {
    return message(400, 'bad request data', true);
  }
  if (body.queries.length === 0) return refusal('query.noQueries', 'No queries found');
  const { now } = visit.request;
  const range = { from: instant(body.from, now), to: instant(body.to, now) };
  const results: Record<string, unknown> = {};
  let failed = false;
  for (const query of [...body.queries].sort((a, b) => (a.refId < b.refId ? -1 : 1))) {
    if (query.hide) continue;
    if (!query.datasource?.uid && query.datasourceId === undefined) {
      return refusal('query.invalidDatasourceId', 'Query does not contain a valid data source identifier');
    }
    const ds = query.datasource?.uid ? byUid(query.datasource.uid) : byId(String(query.datasourceId));
    const expression = query.datasource?.uid === '__expr__';
    if (!ds && !expression) return message(404, 'Data source not found', true);
    const result: Result = ds
      ? run(visit, ds, query, range)
      : { error: 'server-side expressions are not in the sandbox', status: 500 };
    failed ||= 'error' in result;
    results[query.refId] =
      'error' in result
        ? {
            error: result.error,
            ...(visit.world.flavour.errorSource && { errorSource: 'downstream' }),
            status: result.status,
          }
        : { status: 200, ...(result.frames.length > 0 && result) };
  }
  return json(failed ? 400 : 200, { results });
};

interface Range {
  /** ms since epoch */
  from: number;
  to: number;
}

function run(visit: Visit, ds: DemoDatasource, query: Query, range: Range): Result {
  if (ds.type === 'loki') return runLoki(visit, ds, query, range);
  if (ds.type === 'prometheus') return runPrometheus(visit, ds, query, range);
  return { error: 'plugin unavailable', status: 500 };
}

function runPrometheus(visit: Visit, ds: DemoDatasource, query: Query, range: Range): Result {
  const scrapeMs =
    ds.jsonData.timeInterval === undefined ? 15_000 : Number.parseInt(String(ds.jsonData.timeInterval), 10) * 1000;
  const points = Math.ceil((range.to - range.from) / 11_000);
  const stepMs = Math.max(query.intervalMs, scrapeMs, points);
  const expr = interpolate(query.expr, stepMs, range, scrapeMs);
  const asked = { refId: query.refId, expr, legend: query.legendFormat, stepMs };
  const frames: Frame[] = [];
  for (const kind of query.instant ? (query.range ? ['range', 'instant'] : ['instant']) : ['range']) {
    const path = kind === 'range' ? '/api/v1/query_range' : '/api/v1/query';
    const params =
      kind === 'range'
        ? new URLSearchParams({
            query: expr,
            start: seconds(Math.floor(range.from / stepMs) * stepMs),
            end: seconds(Math.floor(range.to / stepMs) * stepMs),
            step: seconds(stepMs),
          })
        : new URLSearchParams({ query: expr, time: seconds(range.to) });
    const request = { method: 'POST', path, params, headers: {}, now: visit.request.now };
    const answer = ask(visit.world, ds, request, visit.request.upstream);
    if (!answer) return { error: refused(ds, 'POST', path), status: 502 };
    if (answer.status >= 400) return { error: prometheusError(answer.body), status: answer.status };
    frames.push(...prometheusFrames(answer.body, asked));
  }
  return { frames };
}

const errorBody = z.object({ errorType: z.string(), error: z.string() });
function prometheusError(body: string): string {
  try {
    const { errorType, error } = errorBody.parse(JSON.parse(body));
    return `${errorType}: ${error}`;
  } catch {
    return `unexpected response: ${body.slice(0, 200)}`;
  }
}

function runLoki(visit: Visit, ds: DemoDatasource, query: Query, range: Range): Result {
  const type = query.queryType || 'range';
  if (type !== 'range' && type !== 'instant') return { error: `invalid queryType: ${type}`, status: 500 };
  const stepMs = Math.max(query.intervalMs, Math.ceil((range.to - range.from) / 11_000), 1);
  const expr = interpolate(query.expr, stepMs, range, stepMs);
  const ns = (ms: number): string => `${Math.floor(ms)}000000`;
  const params = new URLSearchParams({ direction: query.direction || 'backward', query: expr });
  if (type === 'instant') params.set('time', ns(range.to));
  else {
    params.set('start', ns(range.from));
    params.set('end', ns(range.to));
    params.set('step', `${stepMs}ms`);
  }
  if (query.maxLines) params.set('limit', String(query.maxLines));
  const path = type === 'instant' ? '/loki/api/v1/query' : '/loki/api/v1/query_range';
  const request = { method: 'GET', path, params, headers: {}, now: visit.request.now };
  const answer = ask(visit.world, ds, request, visit.request.upstream);
  if (!answer) return { error: refused(ds, 'GET', `${path}?${params}`), status: 502 };
  // 10.1 lost Loki's own status on the way.
  const { errorSource } = visit.world.flavour;
  if (answer.status >= 400) return { error: answer.body.trim(), status: errorSource ? answer.status : 500 };
  const asked = { refId: query.refId, expr, legend: query.legendFormat };
  return { frames: lokiFrames(answer.body, { ...asked, stepMs: type === 'instant' ? undefined : stepMs }) };
}

function interpolate(expr: string, stepMs: number, range: Range, scrapeMs: number): string {
  const rangeMs = range.to - range.from;
  const rate = Math.max(stepMs + scrapeMs, 4 * scrapeMs);
  const values: Record<string, string> = {
    __interval_ms: String(stepMs),
    __interval: span(stepMs),
    __rate_interval: span(rate),
    __range_ms: String(rangeMs),
    __range_s: String(Math.round(rangeMs / 1000)),
    __range: `${Math.round(rangeMs / 1000)}s`,
    __auto: span(stepMs),
  };
  return expr.replace(/\$\{?(__\w+)\}?/g, (whole, name) => values[name] ?? whole);
}

function span(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
}
function seconds(ms: number): string {
  return String(ms / 1000);
}

const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
function instant(text: string, now: number): number {
  if (/^\d+$/.test(text)) return Number(text);
  const m = /^now(?:-(\d+)([smhd]))?$/.exec(text);
  return m ? now - Number(m[1] ?? 0) * (UNITS[m[2] ?? 's'] ?? 0) : now;
}

function refusal(messageId: string, text: string) {
  return json(400, { message: text, messageId, statusCode: 400, traceID: '' });
}
