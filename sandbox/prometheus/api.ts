import type { ApiAnswer, ApiRequest, MetricStore } from '../data/store.ts';
import { failure, plainText, success } from './answer.ts';
import { formatQuery } from './format-query.ts';
import { labelNames, labelValues, metadata, queryExemplars, seriesList } from './metadata.ts';
import { ApiProblem } from './problem.ts';
import { instantQuery, rangeQuery } from './query.ts';
import { alerts, type RuleSource, rules } from './rules.ts';
import { scrapePools, status, targets, targetsMetadata } from './status.ts';

export interface PrometheusOptions {
  rules?: RuleSource;
}

/** Makes the JSON of `data` (empty: 204), or throws ApiProblem. */
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
  'targets/metadata': targetsMetadata,
  scrape_pools: scrapePools,
  rules,
  alerts,
};

const PROBES: Record<string, string> = {
  '/-/healthy': 'Prometheus Server is Healthy.\n',
  '/-/ready': 'Prometheus Server is Ready.\n',
};

/** The HTTP API of Prometheus 2.42 over a store; `options.rules` gives what /rules and /alerts show. */
export function prometheusApi(store: MetricStore, request: ApiRequest, options: PrometheusOptions = {}): ApiAnswer {
  const answer = route(store, request, options);
  return request.method === 'HEAD' ? { ...answer, body: '' } : answer;
}

function route(store: MetricStore, request: ApiRequest, options: PrometheusOptions): ApiAnswer {
  const { method, path } = request;
  if (method === 'OPTIONS' && /^\/api\/v1(\/|$)/.test(path)) return { status: 204, contentType: '', body: '' };
  const probe = PROBES[path];
  if (probe) return method === 'GET' || method === 'HEAD' ? plainText(200, probe) : notAllowed();
  const [, name = ''] = /^\/api\/v1\/(.+)$/.exec(path) ?? [];
  const values = /^label\/([^/]+)\/values$/.exec(name);
  const form = FORM[name];
  const endpoint = values
    ? (s: MetricStore, r: ApiRequest) => labelValues(s, r, decodeURIComponent(values[1] ?? ''))
    : (form ?? GET[name] ?? status(name));
  if (!endpoint) return plainText(404, '404 page not found\n');
  if (name === 'series' && method === 'DELETE') return failure(new ApiProblem(500, 'internal', 'not implemented'));
  if (method !== 'GET' && !(form && method === 'POST')) return notAllowed();
  try {
    const data = endpoint(store, request, options);
    return data === '' ? { status: 204, contentType: '', body: '' } : success(data);
  } catch (error) {
    if (error instanceof ApiProblem) return failure(error);
    throw error;
  }
}

function notAllowed(): ApiAnswer {
  return plainText(405, 'Method Not Allowed\n');
}
