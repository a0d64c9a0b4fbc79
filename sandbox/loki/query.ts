import type { ApiAnswer, ApiRequest, Labels, LogStore } from '../data/store.ts';
import type { LogQuery, MetricQuery } from '../logql/ast.ts';
import { LogqlError } from '../logql/errors.ts';
import { evaluateMetric, type Matrix } from '../logql/evaluate.ts';
import { evaluateLogs } from '../logql/logs.ts';
import { parseQuery } from '../logql/parse.ts';
import type { Steps } from '../logql/samples.ts';
import { showFloat } from '../logql/units.ts';
import { success } from './answers.ts';
import { type Bounds, bounds, checkLength, checkOrder, direction, instant, interval, limit, step } from './params.ts';
import { queryStats } from './stats.ts';

const MAX_ENTRIES = 5000;

/** `/query_range`: log queries give streams, metric queries a matrix. */
export function queryRange(store: LogStore, request: ApiRequest): ApiAnswer {
  const { params } = request;
  const window = bounds(params, request.now);
  checkOrder(window);
  const asked = limit(params, 100);
  const way = direction(params);
  const width = step(params, window);
  const gap = interval(params);
  const query = parseQuery(params.get('query') ?? '');
  checkLength(window);
  if (query.kind !== 'log') return matrixAnswer(query, store, window, width);
  if (asked > MAX_ENTRIES) {
    throw new LogqlError(
      `max entries limit per query exceeded, limit > max_entries_limit_per_query (${asked} > ${MAX_ENTRIES})`,
    );
  }
  return streamsAnswer(query, store, { ...window, limit: asked, direction: way, interval: gap }, request.headers);
}

/** `/query`: a vector, or a scalar for literals. */
export function queryInstant(store: LogStore, request: ApiRequest): ApiAnswer {
  const { params } = request;
  const time = instant(params, 'time') ?? BigInt(request.now) * 1_000_000n;
  limit(params, 100);
  direction(params);
  const query = parseQuery(params.get('query') ?? '');
  if (query.kind === 'log') {
    throw new LogqlError(
      'log queries are not supported as an instant query type, please change your query to a range query type',
    );
  }
  const steps: Steps = { start: time, step: 1n, count: 1 };
  const matrix = evaluateMetric(query, store, steps);
  const stats = queryStats(matrix.counters, matrix.series.length);
  if (matrix.scalar) {
    // Loki writes this one time in milliseconds.
    const value = matrix.series[0]?.points[0]?.value ?? Number.NaN;
    return success({ resultType: 'scalar', result: [Number(time / 1_000_000n), showFloat(value)], stats });
  }
  const result = matrix.series.map(({ labels, points }) => ({
    metric: labels,
    value: [seconds(time), showFloat(points[0]?.value ?? Number.NaN)],
  }));
  return success({ resultType: 'vector', result, stats });
}

/** Steps are aligned to multiples of their width: the start down, the end up. */
function matrixAnswer(query: MetricQuery, store: LogStore, { start, end }: Bounds, width: bigint): ApiAnswer {
  const first = start - (start % width);
  const last = end % width === 0n ? end : end - (end % width) + width;
  const steps: Steps = { start: first, step: width, count: Number((last - first) / width) + 1 };
  const matrix: Matrix = evaluateMetric(query, store, steps);
  const result = matrix.series.map(({ labels, points }) => ({
    metric: labels,
    values: points.map((point) => [seconds(first + width * BigInt(point.step)), showFloat(point.value)]),
  }));
  return success({ resultType: 'matrix', result, stats: queryStats(matrix.counters, matrix.series.length) });
}

function streamsAnswer(
  query: LogQuery,
  store: LogStore,
  window: Parameters<typeof evaluateLogs>[2],
  headers: ApiRequest['headers'],
): ApiAnswer {
  const found = evaluateLogs(query, store, window);
  const categorised = header(headers, 'x-loki-response-encoding-flags')
    .split(',')
    .some((flag) => flag.trim() === 'categorize-labels');
  let returned = 0;
  const result = found.streams.map(({ labels, entries }) => {
    returned += entries.length;
    return {
      stream: labels,
      values: entries.map(({ ts, line, structured, parsed }) =>
        categorised
          ? [String(ts), line, { ...unlessEmpty('structuredMetadata', structured), ...unlessEmpty('parsed', parsed) }]
          : [String(ts), line],
      ),
    };
  });
  const flags = categorised ? { encodingFlags: ['categorize-labels'] } : {};
  return success({ resultType: 'streams', ...flags, result, stats: queryStats(found, returned) });
}

function unlessEmpty(name: string, labels: Labels): Record<string, Labels> {
  return Object.keys(labels).length === 0 ? {} : { [name]: labels };
}

function header(headers: ApiRequest['headers'], name: string): string {
  const key = Object.keys(headers).find((known) => known.toLowerCase() === name);
  return (key === undefined ? undefined : headers[key]) ?? '';
}

/** JSON number of seconds, to the millisecond. */
export function seconds(ns: bigint): number {
  return Number(ns / 1_000_000n) / 1000;
}
