import { promLabelValues } from '../grafana/prometheus.ts';
import type { Datasource } from '../grafana/upstream.ts';
import type { ToolContext } from '../mcp/define.ts';
import { type Selector, selectorsOf } from '../metrics/selectors.ts';
import { nearest } from '../nearest.ts';
import { showInstant, showSpan } from '../time/show.ts';
import type { Window } from '../time/window.ts';
import { zoneName } from '../time/zone.ts';
import { hasData, lastSample } from './last-data.ts';
import { clockNote, some } from './no-lines.ts';

/** How far Prometheus looks back for the sample of an instant. */
const LOOKBACK_MS = 300_000;

/**
 * What is known of a query without series: the metric or the label value that does not exist in the window, and when
 * there was data last.
 */
export async function whyNoSeries(
  ctx: ToolContext,
  ds: Datasource,
  query: string,
  window: Window,
  { instant }: { instant: boolean },
): Promise<string[]> {
  // What was looked at: an instant sees five minutes.
  const from = instant ? ms(window.end) - LOOKBACK_MS : ms(window.start);
  try {
    return [...(await diagnose(ctx, ds, query, window, from)), ...clockNote(window)];
  } catch (error) {
    // The answer itself stands; only a cancelled call ends here.
    if (ctx.call.signal.aborted) throw error;
    return clockNote(window);
  }
}

async function diagnose(
  ctx: ToolContext,
  ds: Datasource,
  query: string,
  window: Window,
  from: number,
): Promise<string[]> {
  const bounds = { start: ms(window.start), end: ms(window.end) };
  const valuesOf = async (name: string, match?: string[]) =>
    (await promLabelValues(ctx.upstream, ds, name, { ...bounds, ...(match === undefined ? {} : { match }) })).values;
  const selectors = selectorsOf(query);
  const names = selectors.some(({ metric }) => metric !== undefined) ? await valuesOf('__name__') : [];
  for (const selector of selectors) {
    const { metric } = selector;
    if (metric === undefined || names.includes(metric)) continue;
    const outside = await dataOutside(ctx, ds, selector, window, from);
    if (outside.length > 0) return [`no sample of ${metric} in this window`, ...outside];
    const near = nearest(metric, names);
    return [
      `no metric ${metric} in this window${near === undefined ? '' : `; near: ${near}`}`,
      `${names.length.toLocaleString('en-US')} metrics exist; search_metrics finds them by words`,
    ];
  }
  for (const selector of selectors) {
    const of = selector.metric === undefined ? '' : ` of ${selector.metric}`;
    for (const { name, op, value } of selector.matchers) {
      if (op !== '=' || value === '' || name === '__name__') continue;
      const text = `${name}=${JSON.stringify(value)}`;
      const values = await valuesOf(name, selector.metric === undefined ? undefined : [selector.metric]);
      if (values.includes(value)) continue;
      const outside = await dataOutside(ctx, ds, selector, window, from);
      if (outside.length > 0) return [`no series${of} has ${text} in this window`, ...outside];
      if (values.length === 0) return [`no series${of} has a label ${name} in this window`];
      const near = nearest(value, values);
      return [
        `no series${of} has ${text} in this window${near === undefined ? '' : `; near: ${name}=${JSON.stringify(near)}`}`,
        `values of ${name}: ${some(values)}`,
      ];
    }
  }
  for (const selector of selectors) {
    if (await hasData(ctx, ds, selector.text, bounds.end)) continue;
    const outside = await dataOutside(ctx, ds, selector, window, from);
    if (outside.length > 0) return [`no sample of ${selector.text} at this time`, ...outside];
  }
  return selectors.length === 0 ? [] : ['each metric and label value exists, but no series passes the whole query'];
}

/** When the selector had a sample, if that was before `from` (ms) or behind the window's end; else nothing. */
async function dataOutside(
  ctx: ToolContext,
  ds: Datasource,
  selector: Selector,
  window: Window,
  from: number,
): Promise<string[]> {
  const zone = ctx.settings.timezone;
  const show = (at: number) => `${showInstant(BigInt(at) * 1_000_000n, zone, 'second')} ${zoneName(zone)}`;
  const end = ms(window.end);
  const last = await lastSample(ctx, ds, selector.text, end);
  if (last !== undefined) {
    const ago = end - last;
    if (last >= from) return [];
    const span = showSpan(Math.ceil(ago / 60_000 + 1) * 60_000);
    return [
      `its last sample before the end of the window is of ${show(last)}, ${showSpan(Math.floor(ago / 1000) * 1000)} before it`,
      `an instant looks back 5 minutes; further with last_over_time(${selector.text}[${span}])`,
    ];
  }
  if (end >= ctx.now - LOOKBACK_MS) return [];
  const later = await lastSample(ctx, ds, selector.text, ctx.now);
  return later === undefined ? [] : [`there are samples after the window, the last of ${show(later)}`];
}

function ms(ns: bigint): number {
  return Number(ns / 1_000_000n);
}
