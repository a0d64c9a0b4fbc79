import { GatewayError } from '../errors.ts';
import { parseJson } from './envelope.ts';
import { bounded, withoutAddresses } from './facts.ts';
import { familyOf } from './families.ts';
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
  // An unknown uid is 500 up to Grafana 11 and 404 since, so that its words decide.
  if (/unable to load data ?source meta ?data|data ?source not found/i.test(message)) {
    throw new GatewayError('no_datasource', `Grafana does not know a datasource of the uid "${ds.uid}".`, {
      status: answer.status,
    });
  }
  if (/plugin not found|find data ?source plugin/i.test(message)) return { status: 'error', message };
  // A plugin that runs in the browser alone (Alertmanager's) is always "unavailable"; one that queries is down then.
  if (answer.status === 503 && familyOf(ds.type) !== undefined) return { status: 'error', message };
  if (answer.status === 404 || answer.status === 503) {
    return { status: 'unknown', message: 'Its plugin has no health check.' };
  }
  // Before Loki 2.7 the check itself could not be parsed, while queries worked.
  if (/parse error.*unexpected IDENTIFIER/.test(message)) {
    return { status: 'unknown', message: 'Its Loki is too old for the health check.' };
  }
  return { status: 'error', message };
}
