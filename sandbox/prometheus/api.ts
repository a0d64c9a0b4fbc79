import type { ApiAnswer, ApiRequest, MetricStore } from '../data/store.ts';
import { failure, plainText, success } from './answer.ts';
import { formatQuery } from './format-query.ts';
import { labelNames, labelValues, metadata, queryExemplars, seriesList } from './metadata.ts';
import { ApiProblem } from './problem.ts';
import { instantQuery, rangeQuery } from './query.ts';
import { alerts, type RuleSource, rules } from './rules.ts';
import { status, targets } from './status.ts';

export interface PrometheusOptions {
  rules?: RuleSource;
}

/** Makes the JSON of `data`, or throws ApiProblem. */
type Endpoint = (store: MetricStore, request: ApiRequest, options: PrometheusOptions) => string;

const FORM: Record<string, Endpoint> = {
  query: instantQuery,
  query_range: rangeQuery,
  query_exemplars: queryExemplars,
  series: seriesList,
  labels: labelNames,
  format_query: formatQuery,
};
const GET: Record<string, Endpoint> = {
  metadata,
  targets,
  rules,
  alerts,
};

/** The HTTP API of Prometheus 2.42 over a store; `options.rules` gives what /rules and /alerts show. */
export function prometheusApi(store: MetricStore, request: ApiRequest, options: PrometheusOptions = {}): ApiAnswer {
  const { method, path } = request;
  if (path === '/-/healthy') return plainText(200, 'Prometheus Server is Healthy.\n');
  if (path === '/-/ready') return plainText(200, 'Prometheus Server is Ready.\n');
  const [, name = ''] = /^\/api\/v1\/(.+)$/.exec(path) ?? [];
  const values = /^label\/([^/]+)\/values$/.exec(name);
  const form = FORM[name];
  const endpoint = values
    ? (s: MetricStore, r: ApiRequest) => labelValues(s, r, decodeURIComponent(values[1] ?? ''))
    : (form ?? GET[name] ?? status(name));
  if (!endpoint) return plainText(404, '404 page not found\n');
  if (method !== 'GET' && !(form && method === 'POST')) return plainText(405, 'Method Not Allowed\n');
  try {
    return success(endpoint(store, request, options));
  } catch (error) {
    if (error instanceof ApiProblem) return failure(error);
    throw error;
  }
}
