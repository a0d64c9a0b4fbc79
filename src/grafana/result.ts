import { badAnswer, readEnvelope, type Source } from './envelope.ts';
import { isRecord, readSample, readSeries, readText } from './series.ts';
import { readStreams } from './streams.ts';
import type { QueryResult, UpstreamAnswer } from './upstream.ts';

/** Reads an answer of `query` or `query_range` of Loki or Prometheus. `empty` is its type when there is no data at all. */
export function readResult(
  answer: UpstreamAnswer,
  source: Source,
  empty: 'streams' | 'matrix' | 'vector',
): QueryResult {
  const { data, ...said } = readEnvelope(answer, source);
  if (data !== undefined && data !== null && !isRecord(data)) throw badAnswer(source, 'data is not an object');
  const bytesRead = bytesOf(data?.stats);
  const remarks = { ...said, ...(bytesRead === undefined ? {} : { bytesRead }) };
  const type: unknown = data?.resultType ?? empty;
  const result = data?.result;
  switch (type) {
    case 'streams':
      return { type, streams: readStreams(result, source), ...remarks };
    case 'matrix':
    case 'vector':
      return { type, series: readSeries(result, source), ...remarks };
    case 'scalar':
      return { type, ...readSample(result, source), ...remarks };
    case 'string':
      return { type, ...readText(result, source), ...remarks };
    default:
      throw badAnswer(source, 'its resultType is unknown');
  }
}

/** Loki's `stats.summary.totalBytesProcessed`; Prometheus counts none. */
function bytesOf(stats: unknown): number | undefined {
  const summary = isRecord(stats) && isRecord(stats.summary) ? stats.summary : {};
  const bytes = summary.totalBytesProcessed;
  return typeof bytes === 'number' && bytes >= 0 ? bytes : undefined;
}
