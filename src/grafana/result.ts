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
  const { data, warnings, infos } = readEnvelope(answer, source);
  if (data !== undefined && data !== null && !isRecord(data)) throw badAnswer(source, 'data is not an object');
  const type: unknown = data?.resultType ?? empty;
  const result = data?.result;
  switch (type) {
    case 'streams':
      return { type, streams: readStreams(result, source), warnings, infos };
    case 'matrix':
    case 'vector':
      return { type, series: readSeries(result, source), warnings, infos };
    case 'scalar':
      return { type, ...readSample(result, source), warnings, infos };
    case 'string':
      return { type, ...readText(result, source), warnings, infos };
    default:
      throw badAnswer(source, 'its resultType is unknown');
  }
}
