import type { ApiAnswer, ApiRequest } from '../data/store.ts';
import type { GrafanaRequest } from './answer.ts';
import type { DemoDatasource } from './datasources.ts';
import { amAlerts } from './rules.ts';
import type { World } from './world.ts';

/** What Grafana says of a connection that nobody takes. */
export function refused(ds: DemoDatasource, method: string, path: string): string {
  const address = ds.url.replace(/^https?:\/\//, '');
  const verb = method === 'POST' ? 'Post' : 'Get';
  return `${verb} "${ds.url}${path}": dial tcp ${address}: connect: connection refused`;
}

/** Asks the server behind a datasource. Undefined: the connection was refused. */
export function ask(
  world: World,
  ds: DemoDatasource,
  request: ApiRequest,
  upstream: GrafanaRequest['upstream'],
): ApiAnswer | undefined {
  if (ds.backend === 'nobody') return undefined;
  if (upstream) return upstream;
  switch (ds.backend) {
    case 'shop logs':
      return world.loki(world.logs, request);
    case 'edge logs':
      return world.loki(world.edgeLogs, request);
    case 'shop metrics':
      return world.prometheus(world.metrics, request);
    case 'alerts':
      return alertmanager(world, request);
  }
}

/** A request of the caller, passed on: what identifies them at Grafana stays behind. */
export function forwarded(request: GrafanaRequest, path: string): ApiRequest {
  const params = new URLSearchParams(request.query);
  const form = /^application\/x-www-form-urlencoded/i.test(request.headers['content-type'] ?? '');
  if (form && request.method === 'POST') {
    for (const [name, value] of new URLSearchParams(request.body)) params.append(name, value);
  }
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !KEPT_BACK.test(name)));
  return { method: request.method, path, params, headers, now: request.now };
}
const KEPT_BACK = /^(authorization|cookie|origin|referer|x-forwarded-|x-grafana-|x-jwt-assertion)/;

/** The little of Alertmanager's v2 API that the demo shows. */
function alertmanager(world: World, request: ApiRequest): ApiAnswer {
  const answers: Record<string, unknown> = {
    '/api/v2/alerts': amAlerts(world.incident, request.now),
    '/api/v2/silences': [],
    '/api/v2/receivers': [{ name: 'default' }],
  };
  const found = request.method === 'GET' ? answers[request.path] : undefined;
  if (found !== undefined) return { status: 200, contentType: 'application/json', body: JSON.stringify(found) };
  return { status: 404, contentType: 'text/plain; charset=utf-8', body: '404 page not found\n' };
}
