import type { ApiAnswer, ApiRequest, Labels, LogLine, LogStore } from '../data/store.ts';
import { LogqlError } from '../logql/errors.ts';
import { selectorTest } from '../logql/matchers.ts';
import { parseSelector } from '../logql/parse.ts';
import { success } from './answers.ts';
import { bounds, checkLength, checkOrder, limit, step } from './params.ts';
import { seconds } from './query.ts';

interface Bucket {
  metric: Labels;
  name: string;
  bytes: number;
}

/** `/index/volume` and `/index/volume_range`: bytes of lines and their structured metadata, largest first. */
export function volume(store: LogStore, request: ApiRequest, overTime: boolean): ApiAnswer {
  const { params } = request;
  const window = bounds(params, request.now);
  checkOrder(window);
  checkLength(window);
  const most = limit(params, 100);
  const width = step(params, window);
  const aggregateBy = params.get('aggregateBy') || 'series';
  if (aggregateBy !== 'series' && aggregateBy !== 'labels') throw new LogqlError('invalid aggregation option');
  const matchers = parseSelector(params.get('query') ?? '');
  const targets = (params.get('targetLabels') ?? '').split(',').filter((name) => name !== '');
  const named = targets.length > 0 ? targets : matchers.map((matcher) => matcher.name);
  const chosen = store.select(selectorTest(matchers), window.start, window.end);
  const metricsOf = (labels: Labels): Labels[] => {
    // By labels, every label counts unless some are asked for; the metric has the name only.
    if (aggregateBy === 'labels')
      return Object.keys(labels)
        .filter((name) => targets.length === 0 || targets.includes(name))
        .map((name) => ({ [name]: '' }));
    return [
      Object.fromEntries(
        named
          .filter((name) => name in labels)
          .sort()
          .map((name) => [name, labels[name] ?? '']),
      ),
    ];
  };
  const measure = (from: bigint, to: bigint): Bucket[] => {
    const buckets = new Map<string, Bucket>();
    for (const { labels, lines } of chosen) {
      const bytes = bytesBetween(lines, from, to);
      if (bytes === 0) continue;
      for (const metric of metricsOf(labels)) {
        const name = JSON.stringify(metric);
        const known = buckets.get(name) ?? { metric, name, bytes: 0 };
        known.bytes += bytes;
        buckets.set(name, known);
      }
    }
    return [...buckets.values()].sort((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1)).slice(0, most);
  };
  if (!overTime) {
    const result = measure(window.start, window.end).map(({ metric, bytes }) => ({
      metric,
      value: [seconds(window.end), String(bytes)],
    }));
    return success({ resultType: 'vector', result });
  }
  const series = new Map<string, { metric: Labels; values: [number, string][] }>();
  for (let from = window.start; from < window.end; from += width) {
    const to = earlier(from + width, window.end);
    // A bucket is named by its last millisecond, the last one by the end.
    const at = to === window.end ? seconds(to) : seconds(to - 1_000_000n);
    for (const { metric, name, bytes } of measure(from, to)) {
      const known = series.get(name) ?? { metric, values: [] };
      known.values.push([at, String(bytes)]);
      series.set(name, known);
    }
  }
  const result = [...series.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
  if (result.length > 0 && result.every((one) => one.values.length === 1)) {
    return success({
      resultType: 'vector',
      result: result.map(({ metric, values }) => ({ metric, value: values[0] })),
    });
  }
  return success({ resultType: 'matrix', result });
}

function earlier(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}

function bytesBetween(lines: LogLine[], from: bigint, to: bigint): number {
  let bytes = 0;
  for (const { ts, line, metadata } of lines) {
    if (ts < from || ts >= to) continue;
    bytes += Buffer.byteLength(line);
    for (const name in metadata) bytes += name.length + Buffer.byteLength(metadata[name] ?? '');
  }
  return bytes;
}
