import { charsetJson, type GrafanaAnswer, message } from './answer.ts';
import { ask, forwarded } from './backends.ts';
import { byId, byUid, type DemoDatasource, validUid } from './datasources.ts';
import type { Handler, Visit } from './world.ts';

export const proxyByUid: Handler = (visit) => {
  const uid = visit.params.uid ?? '';
  if (!validUid(uid)) return message(400, 'UID is invalid');
  return proxy(visit, byUid(uid));
};

export const proxyById: Handler = (visit) => proxy(visit, byId(visit.params.id ?? ''));

/** Grafana's datasource proxy, 10.1: every method and path for Loki, an allow-list for Prometheus. */
function proxy(visit: Visit, ds: DemoDatasource | undefined): GrafanaAnswer {
  if (!ds) return message(404, 'Unable to find datasource', true);
  const refusal = filtered(ds, visit.request.method, visit.rest);
  if (refusal) return charsetJson(403, { message: refusal });
  const path = `/${decoded(visit.rest)}`;
  const cleaned = withoutDots(path);
  // The Go servers behind answer a path with dots by a redirect to the clean one.
  if (cleaned !== path) return passed({ status: 301, contentType: '', body: '', headers: { Location: cleaned } });
  const answer = ask(visit.world, ds, forwarded(visit.request, path), visit.request.upstream);
  if (!answer) return { status: 502, contentType: '', body: '' };
  if (answer.status === 401) {
    return { status: 400, contentType: 'text/plain; charset=utf-8', body: 'Authentication to data source failed' };
  }
  return passed(answer);
}

const PROMETHEUS_POSTS = ['query', 'query_range', 'series', 'labels', 'query_exemplars'].map((p) => `api/v1/${p}`);

function filtered(ds: DemoDatasource, method: string, rest: string): string | undefined {
  if (ds.type === 'loki' || method === 'GET' || method === 'HEAD') return undefined;
  if (ds.type === 'alertmanager') return 'plugin proxy route access denied';
  if (method === 'POST' && PROMETHEUS_POSTS.some((path) => rest.startsWith(path))) return undefined;
  return `non allow-listed ${method}s not allowed on proxied Prometheus datasource`;
}

function passed(answer: GrafanaAnswer): GrafanaAnswer {
  return { ...answer, headers: { ...answer.headers, Via: '1.1 grafana', 'Content-Security-Policy': 'sandbox' } };
}

export function decoded(path: string): string {
  return path
    .split('/')
    .map((segment) => {
      try {
        return decodeURIComponent(segment);
      } catch {
        return segment;
      }
    })
    .join('/');
}

function withoutDots(path: string): string {
  if (!/(^|\/)\.\.?(\/|$)/.test(path)) return path;
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop();
    else if (segment !== '.' && segment !== '') kept.push(segment);
  }
  return `/${kept.join('/')}`;
}
