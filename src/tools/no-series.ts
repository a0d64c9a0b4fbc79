import { promLabelValues } from '../grafana/prometheus.ts';
import type { Datasource } from '../grafana/upstream.ts';
import type { ToolContext } from '../mcp/define.ts';
import { checkPromql } from '../metrics/promql.ts';
import { nearest } from '../nearest.ts';
import type { Window } from '../time/window.ts';
import { clockNote, matchersOf, some } from './no-lines.ts';

/** What is known of a query without series: the metric or the label value that does not exist in the window. */
export async function whyNoSeries(ctx: ToolContext, ds: Datasource, query: string, window: Window): Promise<string[]> {
  try {
    return [...(await diagnose(ctx, ds, query, window)), ...clockNote(window)];
  } catch (error) {
    // The answer itself stands; only a cancelled call ends here.
    if (ctx.call.signal.aborted) throw error;
    return clockNote(window);
  }
}

async function diagnose(ctx: ToolContext, ds: Datasource, query: string, window: Window): Promise<string[]> {
  const bounds = { start: Number(window.start / 1_000_000n), end: Number(window.end / 1_000_000n) };
  const valuesOf = async (name: string, match?: string[]) =>
    (await promLabelValues(ctx.upstream, ds, name, { ...bounds, ...(match === undefined ? {} : { match }) })).values;
  const { metrics } = checkPromql(query);
  const names = metrics.length > 0 ? await valuesOf('__name__') : [];
  for (const metric of metrics) {
    if (names.includes(metric)) continue;
    const near = nearest(metric, names);
    return [
      `no metric ${metric} in this window${near === undefined ? '' : `; near: ${near}`}`,
      `${names.length.toLocaleString('en-US')} metrics exist; search_metrics finds them by words`,
    ];
  }
  for (const { name, op, value, text } of matchersOf(query)) {
    if (op !== '=' || name === '__name__') continue;
    const values = await valuesOf(name, metrics[0] === undefined ? undefined : [metrics[0]]);
    if (values.includes(value)) continue;
    const of = metrics[0] === undefined ? '' : ` of ${metrics[0]}`;
    if (values.length === 0) return [`no series${of} has a label ${name} in this window`];
    const near = nearest(value, values);
    return [
      `no series${of} has ${text} in this window${near === undefined ? '' : `; near: ${name}=${JSON.stringify(near)}`}`,
      `values of ${name}: ${some(values)}`,
    ];
  }
  return metrics.length === 0 ? [] : ['each metric and label value exists, but no series passes the whole query'];
}
