import type { ReadResourceResult } from '@modelcontextprotocol/sdk/types.js';
import { datasourceHealth, LOKI_TYPES, listDatasources, PROMETHEUS_TYPES } from '../grafana/datasources.ts';
import type { Datasource } from '../grafana/upstream.ts';
import { grafanaSite } from '../grafana/whoami.ts';
import type { ToolContext } from '../mcp/define.ts';
import { RpcFault } from '../mcp/surface.ts';
import { jsonContents, part } from './body.ts';
import { datasourceUri, unknown } from './uri.ts';

/** `datasource:{type}:{name}`: identity, health and what to ask next. */
export async function readDatasource(type: string, name: string, ctx: ToolContext): Promise<ReadResourceResult> {
  const { datasources, limited, ageMs } = await listDatasources(ctx.upstream);
  const ds = find(datasources, type, name);
  const [health, site] = await Promise.all([
    part(datasourceHealth(ctx.upstream, ds), 'datasource'),
    part(grafanaSite(ctx.upstream)),
  ]);
  const failing = 'value' in health && health.value.status === 'error';
  const body = {
    isDefault: ds.isDefault,
    name: ds.name,
    type: ds.type,
    uid: ds.uid,
    url: ds.url ?? '',
    ...(limited ? { limited: 'Read without datasources:read, so the address is not known.' } : {}),
    health:
      'value' in health
        ? {
            status: health.value.status,
            message: health.value.message,
            age_seconds: Math.round(health.value.ageMs / 1000),
          }
        : { status: 'unknown', message: health.fault, age_seconds: 0 },
    next: nextSteps(ds, failing).filter(({ tool }) => ctx.offers(tool)),
  };
  const source = 'value' in site && site.value.publicUrl !== '' ? site.value.publicUrl : 'Grafana';
  return jsonContents({ uri: datasourceUri(ds.type, ds.uid), source, ageMs }, body, ctx);
}

/** By uid, then exact name, then a name unique without regard to case; always of the type that the URI says. */
function find(datasources: Datasource[], type: string, name: string): Datasource {
  const ofType = datasources.filter((ds) => ds.type === type);
  const byUid = ofType.find((ds) => ds.uid === name);
  if (byUid !== undefined) return byUid;
  const fold = name.toLowerCase();
  for (const fits of [(ds: Datasource) => ds.name === name, (ds: Datasource) => ds.name.toLowerCase() === fold]) {
    const found = ofType.filter(fits);
    if (found.length > 1) {
      const uris = found.map((ds) => datasourceUri(ds.type, ds.uid)).join(', ');
      throw new RpcFault('badParams', `More than one datasource of type ${type} has this name: ${uris}.`);
    }
    if (found[0] !== undefined) return found[0];
  }
  const elsewhere = datasources.find((ds) => ds.uid === name || ds.name === name || ds.name.toLowerCase() === fold);
  const uri = datasourceUri(type, name);
  if (elsewhere !== undefined)
    throw unknown(uri, `It is of another type: ${datasourceUri(elsewhere.type, elsewhere.uid)}.`);
  throw unknown(uri, 'It may have been deleted, or this caller may not see it; resources/list shows what there is.');
}

/** Calls that are worth making next, with real arguments. */
function nextSteps(ds: Datasource, failing: boolean) {
  const datasource = ds.uid;
  return [
    ...(failing ? [{ tool: 'check_access', arguments: {} }] : []),
    { tool: 'describe_datasource', arguments: { datasource } },
    ...(LOKI_TYPES.includes(ds.type) ? [{ tool: 'list_loki_labels', arguments: { datasource } }] : []),
    ...(PROMETHEUS_TYPES.includes(ds.type)
      ? [
          { tool: 'list_prometheus_labels', arguments: { datasource } },
          { tool: 'query_prometheus', arguments: { datasource, promql: 'count by (job) (up)' } },
        ]
      : []),
  ];
}
