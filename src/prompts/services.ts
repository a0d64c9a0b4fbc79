import { LOKI_TYPES, listDatasources } from '../grafana/datasources.ts';
import { lokiLabels, lokiLabelValues } from '../grafana/loki.ts';
import type { Datasource } from '../grafana/upstream.ts';
import type { ToolContext } from '../mcp/define.ts';

/** Labels that name services, the telling ones first: Loki's own discovery order, shortened. */
const SERVICE_LABELS = ['service_name', 'service', 'app', 'application', 'app_name', 'job', 'container'];
const HOUR = 3_600_000_000_000n;

export interface Services {
  /** uid of the Loki datasource */
  datasource: string;
  /** The label that names services in the logs. */
  label: string;
  values: string[];
}

/** Services that have logged in the last hours, as one Loki datasource names them; undefined when none may or can be asked. */
export async function findServices(ctx: ToolContext): Promise<Services | undefined> {
  if (!ctx.call.identity.scopes.has('logs:read')) return undefined;
  const { datasources } = await listDatasources(ctx.upstream);
  const loki = datasources.filter((ds) => LOKI_TYPES.includes(ds.type));
  const ds: Datasource | undefined = loki.find((one) => one.isDefault) ?? loki[0];
  if (ds === undefined) return undefined;
  const end = BigInt(ctx.now) * 1_000_000n;
  const window = { start: end - 6n * HOUR, end };
  const names = (await lokiLabels(ctx.upstream, ds, window)).values;
  const label = SERVICE_LABELS.find((name) => names.includes(name));
  if (label === undefined) return undefined;
  return { datasource: ds.uid, label, values: (await lokiLabelValues(ctx.upstream, ds, label, window)).values };
}
