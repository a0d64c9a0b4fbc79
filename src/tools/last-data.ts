import { GatewayError } from '../errors.ts';
import { promQuery, promQueryRange } from '../grafana/prometheus.ts';
import type { Datasource } from '../grafana/upstream.ts';
import type { ToolContext } from '../mcp/define.ts';

const HOUR_MS = 3_600_000;
const DAYS = 7;

/**
 * Time (ms) of the newest sample that a selector has in the week before `endMs`; undefined when it has none, or when the
 * server will not say. Two small queries: which hour, and when in it.
 */
export async function lastSample(
  ctx: ToolContext,
  ds: Datasource,
  selector: string,
  endMs: number,
): Promise<number | undefined> {
  const up = ctx.upstream;
  try {
    const hours = await promQueryRange(up, ds, {
      query: `count(last_over_time(${selector}[1h]))`,
      start: endMs - DAYS * 24 * HOUR_MS,
      end: endMs,
      stepMs: HOUR_MS,
    });
    const hour = hours.type === 'matrix' ? hours.series[0]?.times.at(-1) : undefined;
    if (hour === undefined) return undefined;
    const at = await promQuery(up, ds, { query: `max(max_over_time(timestamp(${selector})[1h:1m]))`, time: hour });
    const seconds = at.type === 'vector' ? at.series[0]?.values[0] : undefined;
    return seconds === undefined || !Number.isFinite(seconds) ? hour : Math.round(seconds * 1000);
  } catch (error) {
    // The answer itself stands; only a cancelled call ends here.
    if (ctx.call.signal.aborted || !(error instanceof GatewayError)) throw error;
    return undefined;
  }
}

/** Whether the selector has a sample for an instant (ms): cheap, where a week of samples would not be. */
export async function hasData(ctx: ToolContext, ds: Datasource, selector: string, time: number): Promise<boolean> {
  const result = await promQuery(ctx.upstream, ds, { query: `count(${selector})`, time });
  return result.type === 'vector' && result.series.length > 0;
}
