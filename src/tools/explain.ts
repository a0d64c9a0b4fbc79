import { type ErrorCode, GatewayError } from '../errors.ts';
import { classifyLogql } from '../logs/logql.ts';
import { explainLokiError } from '../logs/problems.ts';
import { explainPromError } from '../metrics/problems.ts';
import { checkPromql } from '../metrics/promql.ts';

const EXPLAINERS = { loki: explainLokiError, prometheus: explainPromError };
const OF_THE_QUERY: readonly ErrorCode[] = ['bad_query', 'datasource_limit', 'too_many_points'];

/** Runs a query; a refusal of the query itself comes back in words, with its place and a correction. */
export async function explained<T>(family: keyof typeof EXPLAINERS, query: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const text = error instanceof GatewayError ? error.details.upstreamText : undefined;
    if (!(error instanceof GatewayError) || text === undefined || !OF_THE_QUERY.includes(error.code)) throw error;
    const { message, lines, said, remedy, kind } = EXPLAINERS[family](query, error.details.status ?? 400, text);
    // Not understood: the words of the first reader stand.
    if (kind === 'other') throw error;
    const code = kind === 'limit' && error.code === 'bad_query' ? 'datasource_limit' : error.code;
    const better = otherLanguage(family, query) ?? remedy;
    throw new GatewayError(code, message, {
      lines,
      ...(said === undefined ? {} : { said }),
      ...(better === undefined ? {} : { remedy: better }),
      cause: error,
    });
  }
}

/** A query that is none here and one in the other language came to the wrong tool. */
function otherLanguage(family: keyof typeof EXPLAINERS, query: string): string | undefined {
  if (family === 'loki') {
    // A bare selector is valid PromQL as well, but who asks a log tool with one means logs.
    const isSelector = query.trimStart().startsWith('{');
    const isPromql = !isSelector && classifyLogql(query).kind === 'invalid' && checkPromql(query).valid;
    return isPromql ? 'It reads as PromQL: query_prometheus runs it.' : undefined;
  }
  const isLogql = !checkPromql(query).valid && classifyLogql(query).kind !== 'invalid';
  return isLogql ? 'It reads as LogQL: query_loki_logs runs it.' : undefined;
}
