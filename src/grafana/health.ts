import { GatewayError } from '../errors.ts';
import { parseJson } from './envelope.ts';
import { bounded, withoutAddresses } from './facts.ts';
import { isRecord } from './series.ts';
import type { Datasource, Upstream } from './upstream.ts';

export interface Health {
  status: 'ok' | 'error' | 'unknown';
  message: string;
}

/** GET /api/datasources/uid/:uid/health. Throws no_datasource for a uid that Grafana does not know. */
export async function loadHealth(up: Upstream, ds: Datasource): Promise<Health> {
  const answer = await up.request({
    path: `/api/datasources/uid/${encodeURIComponent(ds.uid)}/health`,
    datasource: ds,
    accept: [400, 404, 500, 503],
  });
  const body = parseJson(answer, 'Grafana');
  const message = isRecord(body) && typeof body.message === 'string' ? withoutAddresses(bounded(body.message)) : '';
  if (answer.status === 200) return { status: 'ok', message };
  // 404: no health check in this plugin; 503: no backend at all. Grafana words an unknown uid as 500.
  if (answer.status === 404 || answer.status === 503) {
    return { status: 'unknown', message: 'Its plugin has no health check.' };
  }
  if (/unable to load datasource metadata/i.test(message)) {
    throw new GatewayError('no_datasource', `Grafana does not know a datasource of the uid "${ds.uid}".`, {
      status: 500,
    });
  }
  // Before Loki 2.7 the check itself could not be parsed, while queries worked.
  if (/parse error.*unexpected IDENTIFIER/.test(message)) {
    return { status: 'unknown', message: 'Its Loki is too old for the health check.' };
  }
  return { status: 'error', message };
}
