import type { ApiAnswer, ApiRequest, LogStore } from '../data/store.ts';
import { EvaluationError, LogqlError } from '../logql/errors.ts';
import { parseQuery } from '../logql/parse.ts';
import { prettyQuery } from '../logql/pretty.ts';
import { json, success, text } from './answers.ts';
import { detectedFields, detectedLabels, detectedValues } from './detected.ts';
import { indexStats, labelNames, labelValues, series } from './metadata.ts';
import { bounds, checkOrder } from './params.ts';
import { queryInstant, queryRange } from './query.ts';
import { volume } from './volume.ts';

/**
 * Loki's HTTP API (3.7 line, single binary, no tenants) over a LogStore.
 *
 * Implemented: query, query_range, labels, label values, series, index/stats, index/volume, index/volume_range, patterns,
 * detected_fields, detected_field values, detected_labels, format_query, status/buildinfo, ready; all of LogQL that the official
 * grammar knows, with `offset` after `unwrap` too; Loki's limits, texts of errors, order, and time forms.
 *
 * Refused by name (400): approx_topk, variants, regular expressions that cannot be translated, template functions that are not
 * in template-functions.ts. Not there (404): tail, push, delete, rules. `patterns` answers an empty list, `drilldown-limits` the
 * 401 of a server without tenants. Bytes of stats and volume are those of the lines, not of compressed chunks.
 */
export function lokiApi(store: LogStore, request: ApiRequest): ApiAnswer {
  try {
    return route(store, request);
  } catch (error) {
    if (error instanceof LogqlError) return text(400, error.message);
    if (error instanceof EvaluationError) return text(500, error.message);
    throw error;
  }
}

type Handler = (store: LogStore, request: ApiRequest) => ApiAnswer;

const ROUTES: Record<string, Handler> = {
  query: queryInstant,
  query_range: queryRange,
  labels: labelNames,
  label: labelNames,
  series,
  'index/stats': indexStats,
  'index/volume': (store, request) => volume(store, request, false),
  'index/volume_range': (store, request) => volume(store, request, true),
  patterns,
  detected_fields: detectedFields,
  detected_labels: detectedLabels,
  format_query: (_, request) => formatQuery(request),
  'status/buildinfo': () =>
    json(
      { version: '', revision: '', branch: '', buildUser: '', buildDate: '', goVersion: 'go1.26.8' },
      'application/json',
    ),
  'drilldown-limits': () => text(401, 'no org id\n'),
};

function route(store: LogStore, request: ApiRequest): ApiAnswer {
  if (request.path === '/ready') return text(200, 'ready\n');
  const name = /^\/loki\/api\/v1\/(.+)$/.exec(request.path)?.[1] ?? '';
  const handler = Object.hasOwn(ROUTES, name) ? ROUTES[name] : undefined;
  if (handler !== undefined) return handler(store, request);
  const label = nameIn(/^label\/([^/]+)\/values$/.exec(name));
  if (label !== undefined) return labelValues(store, request, label);
  const field = nameIn(/^detected_field\/([^/]+)\/values$/.exec(name));
  if (field !== undefined) return detectedValues(store, request, field);
  return text(404, '404 page not found\n');
}

/** Undefined also for broken escapes, which no route takes. */
function nameIn(match: RegExpExecArray | null): string | undefined {
  try {
    return match?.[1] === undefined ? undefined : decodeURIComponent(match[1]);
  } catch {
    return undefined;
  }
}

/** The pattern ingester has seen nothing. */
function patterns(_: LogStore, request: ApiRequest): ApiAnswer {
  checkOrder(bounds(request.params, request.now));
  parseQuery(request.params.get('query') ?? '');
  return success([]);
}

/** Its errors are the only ones that are JSON. */
function formatQuery(request: ApiRequest): ApiAnswer {
  const contentType = 'application/json; charset=utf-8';
  try {
    return json({ status: 'success', data: prettyQuery(parseQuery(request.params.get('query') ?? '')) }, contentType);
  } catch (error) {
    if (!(error instanceof LogqlError)) throw error;
    return { ...json({ status: 'invalid-query', error: error.message }, contentType), status: 400 };
  }
}
