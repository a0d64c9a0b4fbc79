import type { ReadResourceResult } from '@modelcontextprotocol/sdk/types.js';
import { type Family, listDatasources } from '../grafana/datasources.ts';
import { familyOf } from '../grafana/families.ts';
import type { Datasource } from '../grafana/upstream.ts';
import { grafanaOrg, grafanaSite } from '../grafana/whoami.ts';
import type { ToolContext } from '../mcp/define.ts';
import { jsonContents, part } from './body.ts';
import { datasourceUri, OVERVIEW } from './uri.ts';

/** Datasources named per type, as many as the budget takes; the tool lists the rest. */
const NAMED = [20, 10, 5, 2, 0];

/** `grafana:overview`: where to begin. Readable while Grafana is down, and says then what fails. */
export async function readOverview(ctx: ToolContext): Promise<ReadResourceResult> {
  const [site, org, list] = await Promise.all([
    part(grafanaSite(ctx.upstream)),
    part(grafanaOrg(ctx.upstream)),
    part(listDatasources(ctx.upstream)),
  ]);
  const faults = [
    ...('fault' in site ? [{ of: 'Grafana', hop: site.hop, message: site.fault }] : []),
    ...('fault' in org ? [{ of: 'organisation', hop: org.hop, message: org.fault }] : []),
    ...('fault' in list ? [{ of: 'datasources', hop: list.hop, message: list.fault }] : []),
  ];
  const datasources = 'value' in list ? list.value.datasources : undefined;
  const body = (named: number) => ({
    ...(faults.length > 0 ? { faults } : {}),
    grafana: 'value' in site ? { version: site.value.version, url: site.value.publicUrl } : null,
    organisation: 'value' in org ? org.value : null,
    you: { subject: ctx.call.identity.subject, scopes: [...ctx.call.identity.scopes] },
    datasources: datasources === undefined ? null : byType(datasources, named),
    next: nextSteps(datasources, ctx),
  });
  const source = 'value' in site && site.value.publicUrl !== '' ? site.value.publicUrl : 'Grafana';
  const facts = { uri: OVERVIEW, source, ageMs: 'value' in list ? list.value.ageMs : 0 };
  for (const named of NAMED) {
    const contents = jsonContents(facts, body(named), ctx);
    if (JSON.stringify(contents).length <= ctx.settings.answerChars) return contents;
  }
  return jsonContents(facts, body(0), ctx);
}

function byType(datasources: readonly Datasource[], most: number): Record<string, unknown> {
  const types = [...new Set(datasources.map((ds) => ds.type))].sort();
  return Object.fromEntries(
    types.map((type) => {
      const all = datasources.filter((ds) => ds.type === type);
      const named = all.slice(0, most).map((ds) => ({
        uri: datasourceUri(ds.type, ds.uid),
        name: ds.name,
        ...(ds.isDefault ? { isDefault: true } : {}),
      }));
      return [type, { total: all.length, datasources: named }];
    }),
  );
}

/** Calls that work as they stand for this caller: where several datasources would do, one is named. */
function nextSteps(datasources: readonly Datasource[] | undefined, ctx: ToolContext) {
  const best = (family: Family) => {
    const all = datasources?.filter((ds) => familyOf(ds.type) === family) ?? [];
    return (all.find((ds) => ds.isDefault) ?? all[0])?.uid;
  };
  const [loki, prometheus] = [best('loki'), best('prometheus')];
  const steps = [
    ...(datasources === undefined ? [] : [{ tool: 'list_datasources', arguments: {} }]),
    ...(loki === undefined ? [] : [{ tool: 'list_loki_labels', arguments: { datasource: loki } }]),
    ...(prometheus === undefined
      ? []
      : [{ tool: 'search_metrics', arguments: { datasource: prometheus, match: 'error|fail|request' } }]),
    { tool: 'check_access', arguments: {} },
  ];
  return steps.filter(({ tool }) => ctx.offers(tool));
}
