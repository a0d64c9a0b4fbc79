import { GatewayError } from '../errors.ts';
import { datasourceHealth } from '../grafana/datasources.ts';
import { familyOf } from '../grafana/families.ts';
import { lokiLabels } from '../grafana/loki.ts';
import { promQuery } from '../grafana/prometheus.ts';
import type { Datasource } from '../grafana/upstream.ts';
import type { ToolContext } from '../mcp/define.ts';

export interface HealthFinding {
  status: 'ok' | 'error' | 'unknown';
  message: string;
}

/** Grafana's health check; where the plugin has none, one cheap query instead. Throws when Grafana itself fails. */
export async function healthOf(ctx: ToolContext, ds: Datasource): Promise<HealthFinding> {
  const { status, message } = await datasourceHealth(ctx.upstream, ds);
  const family = familyOf(ds.type);
  if (status !== 'unknown' || family === undefined) return { status, message };
  try {
    const end = BigInt(Math.floor(ctx.now)) * 1_000_000n;
    if (family === 'loki') await lokiLabels(ctx.upstream, ds, { start: end - 3_600_000_000_000n, end });
    else await promQuery(ctx.upstream, ds, { query: 'vector(1)', time: ctx.now });
    return { status: 'ok', message: 'It has no health check; a small query works.' };
  } catch (error) {
    if (ctx.call.signal.aborted || !(error instanceof GatewayError)) throw error;
    return { status: 'error', message: error.message };
  }
}
