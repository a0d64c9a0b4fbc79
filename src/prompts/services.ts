import { LOKI_TYPES, listDatasources } from '../grafana/datasources.ts';
import { lokiLabels, lokiLabelValues } from '../grafana/loki.ts';
import type { Datasource } from '../grafana/upstream.ts';
import { serviceLabel } from '../logs/service-label.ts';
import type { ToolContext } from '../mcp/define.ts';
import { soonOrNothing } from './soon.ts';

const HOUR = 3_600_000_000_000n;
/** Lokis that are asked in turn, since the first may be dead. */
const ASKED = 3;

export interface Services {
  /** uid of the Loki datasource */
  datasource: string;
  /** The label that names services in the logs. */
  label: string;
  values: string[];
}

/** Services that have logged in the last hours, as the first Loki that can say names them; undefined when none can or may. */
export async function findServices(ctx: ToolContext): Promise<Services | undefined> {
  if (!ctx.call.identity.scopes.has('logs:read')) return undefined;
  const list = await soonOrNothing(listDatasources(ctx.upstream));
  const loki = list?.datasources.filter((ds) => LOKI_TYPES.includes(ds.type)) ?? [];
  const inTurn = [...loki.filter((ds) => ds.isDefault), ...loki.filter((ds) => !ds.isDefault)];
  for (const ds of inTurn.slice(0, ASKED)) {
    const found = await soonOrNothing(servicesOf(ds, ctx));
    if (found !== undefined) return found;
  }
  return undefined;
}

async function servicesOf(ds: Datasource, ctx: ToolContext): Promise<Services | undefined> {
  const end = BigInt(ctx.now) * 1_000_000n;
  const window = { start: end - 6n * HOUR, end };
  const names = (await lokiLabels(ctx.upstream, ds, window)).values;
  const label = serviceLabel(names);
  if (label === undefined) return undefined;
  return { datasource: ds.uid, label, values: (await lokiLabelValues(ctx.upstream, ds, label, window)).values };
}
