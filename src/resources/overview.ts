import type { ReadResourceResult } from '@modelcontextprotocol/sdk/types.js';
import { listDatasources } from '../grafana/datasources.ts';
import type { Datasource } from '../grafana/upstream.ts';
import { grafanaOrg, grafanaSite } from '../grafana/whoami.ts';
import type { ToolContext } from '../mcp/define.ts';
import { jsonContents, part } from './body.ts';
import { datasourceUri, OVERVIEW } from './uri.ts';

/** Datasources named per type; the tool lists the rest. */
const NAMED = 20;

/** `grafana:overview`: where to begin. Readable while Grafana is down, and says then what fails. */
export async function readOverview(ctx: ToolContext): Promise<ReadResourceResult> {
  const [site, org, list] = await Promise.all([
    part(grafanaSite(ctx.upstream)),
    part(grafanaOrg(ctx.upstream)),
    part(listDatasources(ctx.upstream)),
  ]);
  const faults = [
    ...('fault' in site ? [{ of: 'Grafana', message: site.fault }] : []),
    ...('fault' in org ? [{ of: 'organisation', message: org.fault }] : []),
    ...('fault' in list ? [{ of: 'datasources', message: list.fault }] : []),
  ];
  const body = {
    ...(faults.length > 0 ? { faults } : {}),
    grafana: 'value' in site ? { version: site.value.version, url: site.value.publicUrl } : null,
    organisation: 'value' in org ? org.value : null,
    you: { subject: ctx.call.identity.subject, scopes: [...ctx.call.identity.scopes] },
    datasources: 'value' in list ? byType(list.value.datasources) : null,
    next: [
      { tool: 'list_datasources', arguments: {} },
      { tool: 'list_loki_labels', arguments: {} },
      { tool: 'search_metrics', arguments: { match: 'errors' } },
      { tool: 'check_access', arguments: {} },
    ],
  };
  const source = 'value' in site && site.value.publicUrl !== '' ? site.value.publicUrl : 'Grafana';
  return jsonContents({ uri: OVERVIEW, source, ageMs: 'value' in list ? list.value.ageMs : 0 }, body, ctx);
}

function byType(datasources: Datasource[]): Record<string, unknown> {
  const types = [...new Set(datasources.map((ds) => ds.type))].sort();
  return Object.fromEntries(
    types.map((type) => {
      const all = datasources.filter((ds) => ds.type === type);
      const named = all.slice(0, NAMED).map((ds) => ({
        uri: datasourceUri(ds.type, ds.uid),
        name: ds.name,
        ...(ds.isDefault ? { isDefault: true } : {}),
      }));
      return [type, { total: all.length, datasources: named }];
    }),
  );
}
