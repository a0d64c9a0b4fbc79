import { randomUUID } from 'node:crypto';
import type { Settings } from '../config/schema.ts';
import { serviceCaller } from '../gateway/identity/service.ts';
import { createGrafanaClient } from '../grafana/client.ts';
import { datasourceHealth, LOKI_TYPES, listDatasources } from '../grafana/datasources.ts';
import { lokiLabels } from '../grafana/loki.ts';
import type { Datasource, Upstream } from '../grafana/upstream.ts';
import { grafanaOrg, grafanaPermissions } from '../grafana/whoami.ts';
import { createLog } from '../log.ts';
import type { Finding, Hop } from './doctor.ts';

/** ns */
const HOUR = 3_600_000_000_000n;

/** `chain`: each hop needs the one before. `alone`: permissions and each datasource, which do not need each other. */
export function grafanaHops(settings: Settings): { chain: Hop[]; alone: () => Promise<Hop[]>; close: () => void } {
  const grafana = createGrafanaClient(settings, createLog({ ...settings, logLevel: 'silent' }));
  const caller = serviceCaller(settings);
  const up = caller && grafana.for({ caller, signal: AbortSignal.timeout(120_000), requestId: randomUUID() });
  const chain: Hop[] = [
    {
      name: 'grafana',
      check: async () => {
        const { ok, version, detail } = await grafana.ping();
        if (ok) return { state: 'ok', says: `version ${version ?? 'unknown'}` };
        return {
          state: 'fail',
          says: detail,
          remedy: 'correct GRAFANA_URL (scheme, host, sub-path), or look at Grafana.',
        };
      },
    },
    { name: 'token', check: () => checkToken(up) },
  ];
  return {
    chain,
    alone: async () =>
      up ? [{ name: 'permissions', check: () => checkPermissions(up) }, ...(await datasourceHops(up))] : [],
    close: grafana.close,
  };
}

async function checkToken(up: Upstream | undefined): Promise<Finding> {
  if (up === undefined) {
    const says =
      'no service account (GRAFANA_SERVICE_ACCOUNT_TOKEN): callers bring their own tokens; nothing more to check';
    return { state: 'skip', says };
  }
  const { id, name } = await grafanaOrg(up);
  return { state: 'ok', says: `accepted; organisation ${id} "${name}"` };
}

async function checkPermissions(up: Upstream): Promise<Finding> {
  const permissions = await grafanaPermissions(up);
  if (permissions === undefined) return { state: 'ok', says: 'Grafana does not say (no access control)' };
  if (permissions['datasources:query'] === undefined) {
    const remedy = 'give the service account the role Viewer, or datasources:query on what it may see.';
    return { state: 'fail', says: 'datasources:query is missing: no query can run', remedy };
  }
  if (permissions['datasources:read'] === undefined) {
    const remedy = 'give it datasources:read for the whole view.';
    return { state: 'warn', says: 'datasources:read is missing: datasources are shown without details', remedy };
  }
  return { state: 'ok', says: 'datasources:read, datasources:query' };
}

async function datasourceHops(up: Upstream): Promise<Hop[]> {
  let datasources: Datasource[];
  try {
    ({ datasources } = await listDatasources(up));
  } catch (error) {
    return [{ name: 'datasources', check: () => Promise.reject(error) }];
  }
  if (datasources.length === 0) {
    const remedy = 'add one in Grafana, or give the service account access to one.';
    return [{ name: 'datasources', check: async () => ({ state: 'fail', says: 'there are none to see', remedy }) }];
  }
  return datasources.map((ds) => ({ name: 'datasource', check: () => checkDatasource(up, ds) }));
}

async function checkDatasource(up: Upstream, ds: Datasource): Promise<Finding> {
  const title = `${ds.name} (${ds.type}, uid ${ds.uid})`;
  const { status, message } = await datasourceHealth(up, ds);
  if (status === 'unknown' && LOKI_TYPES.includes(ds.type)) {
    const end = BigInt(Date.now()) * 1_000_000n;
    await lokiLabels(up, ds, { start: end - HOUR, end });
    return { state: 'ok', says: `${title}: it has no health check; a small query works` };
  }
  const says = `${title}: ${message || status}`;
  if (status !== 'error') return { state: status === 'ok' ? 'ok' : 'skip', says };
  return { state: 'fail', says, remedy: 'check its address and credentials in Grafana (Connections → Data sources).' };
}
