import { type ErrorCode, GatewayError } from '../errors.ts';
import { explainLokiError } from '../logs/problems.ts';
import { explainPromError } from '../metrics/problems.ts';

const EXPLAINERS = { loki: explainLokiError, prometheus: explainPromError };
const OF_THE_QUERY: readonly ErrorCode[] = ['bad_query', 'datasource_limit', 'too_many_points'];

/** Runs a query; a refusal of the query itself comes back in words, with its place and a correction. */
export async function explained<T>(family: keyof typeof EXPLAINERS, query: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const text = error instanceof GatewayError ? error.details.upstreamText : undefined;
    if (!(error instanceof GatewayError) || text === undefined || !OF_THE_QUERY.includes(error.code)) throw error;
    const { message, lines, remedy, kind } = EXPLAINERS[family](query, error.details.status ?? 400, text);
    // Not understood: the words of the first reader stand.
    if (kind === 'other') throw error;
    const code = kind === 'limit' && error.code === 'bad_query' ? 'datasource_limit' : error.code;
    throw new GatewayError(code, message, { lines, ...(remedy === undefined ? {} : { remedy }), cause: error });
  }
}
