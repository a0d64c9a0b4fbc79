import { charsetJson, type GrafanaAnswer, json, message } from './answer.ts';
import { ask, forwarded, refused } from './backends.ts';
import { byUid, type DemoDatasource, validUid } from './datasources.ts';
import { decoded } from './proxy.ts';
import type { Handler, Visit } from './world.ts';

const FAILED = charsetJson(500, { message: 'Failed to call resource', traceID: '' });

/** /api/datasources/uid/:uid/resources/*: the plugin decides what is called. */
export const resources: Handler = (visit) => {
  const ds = byUid(visit.params.uid ?? '');
  if (!ds) return message(404, 'Data source not found', true);
  if (ds.type === 'loki') return lokiPlugin(visit, ds);
  if (ds.type === 'prometheus') return prometheusPlugin(visit, ds);
  return message(503, 'Plugin unavailable', true);
};

function lokiPlugin(visit: Visit, ds: DemoDatasource): GrafanaAnswer {
  const { request, rest } = visit;
  const query = request.query.toString();
  const url = query === '' ? rest : `${rest}?${query}`;
  // The trailing question mark is part of the plugin's check: `labels` without a query string fails.
  const passes = visit.world.flavour.lokiResources.some((start) => url.startsWith(start));
  if (request.method !== 'GET' || !passes) return FAILED;
  const answer = ask(visit.world, ds, forwarded(request, `/loki/api/v1/${decoded(rest)}`), request.upstream);
  if (!answer || answer.status >= 500) return FAILED;
  if (answer.status >= 400) return json(answer.status, { message: answer.body, traceID: '' });
  return { ...answer, contentType: 'application/json', headers: SANDBOXED };
}

function prometheusPlugin(visit: Visit, ds: DemoDatasource): GrafanaAnswer {
  const rest = visit.rest === 'version-detect' ? 'api/v1/status/buildinfo' : visit.rest;
  // Sent with the method of the datasource's settings, whatever the caller used.
  const answer = ask(visit.world, ds, { ...forwarded(visit.request, `/${decoded(rest)}`) }, visit.request.upstream);
  return answer ? { ...answer, headers: SANDBOXED } : FAILED;
}

const SANDBOXED = { 'Content-Security-Policy': 'sandbox' };

/** /api/datasources/uid/:uid/health: before 10.2 Loki had no health check. */
export const health: Handler = (visit) => {
  const uid = visit.params.uid ?? '';
  if (!validUid(uid)) return message(400, 'UID is invalid');
  const ds = byUid(uid);
  const { flavour } = visit.world;
  if (!ds) return message(flavour.unknownHealth, 'Unable to load datasource metadata', true);
  if (ds.type === 'alertmanager') return message(503, 'Plugin unavailable', true);
  if (ds.type === 'loki') return flavour.lokiHealth ? lokiHealth(visit, ds) : message(404, 'Not found', true);
  const params = new URLSearchParams({ query: '1+1' });
  const path = '/api/v1/query';
  const probe = { method: 'POST', path, params, headers: {}, now: visit.request.now };
  const answer = ask(visit.world, ds, probe, visit.request.upstream);
  const unwell = 'There was an error returned querying the Prometheus API.';
  if (!answer) return json(400, { message: `${refused(ds, 'POST', path)} - ${unwell}`, status: 'ERROR' });
  if (answer.status >= 400) return json(400, { message: `${answer.status} - ${unwell}`, status: 'ERROR' });
  return json(200, {
    details: { application: 'Prometheus', features: { rulerApiEnabled: false } },
    message: 'Successfully queried the Prometheus API.',
    status: 'OK',
  });
};

function lokiHealth(visit: Visit, ds: DemoDatasource): GrafanaAnswer {
  const params = new URLSearchParams({ query: 'vector(1)+vector(1)' });
  const path = '/loki/api/v1/query';
  const probe = { method: 'GET', path, params, headers: {}, now: visit.request.now };
  const answer = ask(visit.world, ds, probe, visit.request.upstream);
  const unwell = 'There was an error returned querying the Loki API.';
  if (!answer) return json(400, { message: `${unwell}: ${refused(ds, 'GET', path)}`, status: 'ERROR' });
  if (answer.status >= 400) return json(400, { message: `${unwell}: ${answer.body.trim()}`, status: 'ERROR' });
  return json(200, { message: 'Successfully queried the Loki API.', status: 'OK' });
}
