import { showLabels } from '../answer/table.ts';
import { GatewayError } from '../errors.ts';
import { type Exemplar, promExemplars } from '../grafana/exemplars.ts';
import { traceLink } from '../grafana/links.ts';
import type { Datasource, Series } from '../grafana/upstream.ts';
import { grafanaSite } from '../grafana/whoami.ts';
import type { ToolContext } from '../mcp/define.ts';
import { nearWorst, traceOf } from '../metrics/exemplars.ts';
import { numberFormat } from '../metrics/numbers.ts';
import { selectMetric } from '../metrics/selectors.ts';
import { queryUnit } from '../metrics/units.ts';
import { showDay, showSpan, showTime } from '../time/show.ts';
import type { Window } from '../time/window.ts';

/** A point of a rate stands for the time before it; most look back this far. */
const NEAR_MS = 300_000;

export interface ExemplarRows {
  rows: string[];
  notes: string[];
}

/** The observations that the application marked with their trace, near the largest points; a failure is a note. */
export async function exemplarRows(
  ctx: ToolContext,
  ds: Datasource,
  query: string,
  window: Window,
  stepMs: number,
  series: readonly Series[],
): Promise<ExemplarRows> {
  const [start, end] = [Number(window.start / 1_000_000n), Number(window.end / 1_000_000n)];
  let all: Exemplar[];
  try {
    all = await promExemplars(ctx.upstream, ds, { query, start, end });
  } catch (error) {
    if (ctx.call.signal.aborted || !(error instanceof GatewayError)) throw error;
    return { rows: [], notes: [`exemplars could not be read: ${error.message}`] };
  }
  if (all.length === 0) {
    return { rows: [], notes: ['no exemplar in this window: the application marks none, or the server stores none'] };
  }
  const nearMs = Math.max(stepMs, NEAR_MS);
  const near = nearWorst(series, all, nearMs);
  if (near.length === 0) {
    const count = all.length.toLocaleString('en-US');
    return {
      rows: [],
      notes: [`${count} exemplars in this window, none within ${showSpan(nearMs)} of the largest points`],
    };
  }
  const rows = await Promise.all(near.map(({ exemplar }) => rowOf(exemplar, window, ctx.settings.timezone)));
  return {
    rows: [`exemplars within ${showSpan(nearMs)} of the largest points:`, ...rows.map((row) => `  ${row}`)],
    notes: await waysOn(ctx, ds, near[0]?.exemplar, window),
  };
}

async function rowOf({ series, labels, value, time }: Exemplar, window: Window, zone: string): Promise<string> {
  const { __name__: metric = '', le: _, ...own } = series;
  const show = await numberFormat(queryUnit(selectMetric(metric)));
  const at = BigInt(time) * 1_000_000n;
  const days = showDay(window.start, zone) !== showDay(window.end, zone);
  const day = days ? `${showDay(at, zone).slice(5)} ` : '';
  return `${day}${showTime(at, zone, 'second')} ${show(value)} ${showLabels(labels)} · ${showLabels(own)}`;
}

async function waysOn(
  ctx: ToolContext,
  ds: Datasource,
  first: Exemplar | undefined,
  window: Window,
): Promise<string[]> {
  const targets = destinations(ds.jsonData.exemplarTraceIdDestinations);
  const trace =
    first &&
    traceOf(
      first.labels,
      targets.map(({ name }) => name),
    );
  if (trace === undefined) return [];
  const target = targets.find(({ name }) => name === trace.name);
  const link = await linkTo(ctx, target, trace.id, window);
  return [
    ...(ctx.offers('summarize_loki_logs')
      ? [`the first of them in the logs: summarize_loki_logs follow=${JSON.stringify(trace.id)}`]
      : []),
    ...(link === undefined ? [] : [`its trace: ${link}`]),
  ];
}

interface Destination {
  name: string;
  url?: string;
  datasourceUid?: string;
}

/** Where the datasource's settings say that a trace is shown. */
function destinations(value: unknown): Destination[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: unknown) => {
    if (typeof item !== 'object' || item === null || !('name' in item) || typeof item.name !== 'string') return [];
    const url = 'url' in item && typeof item.url === 'string' ? { url: item.url } : {};
    const uid = 'datasourceUid' in item && typeof item.datasourceUid === 'string' ? item.datasourceUid : '';
    return [{ name: item.name, ...url, ...(uid === '' ? {} : { datasourceUid: uid }) }];
  });
}

async function linkTo(
  ctx: ToolContext,
  target: Destination | undefined,
  id: string,
  window: Window,
): Promise<string | undefined> {
  if (target?.datasourceUid !== undefined) {
    // As with every link: an answer without it is better than none.
    const site = await grafanaSite(ctx.upstream).catch(() => undefined);
    if (site !== undefined) return traceLink(site, target.datasourceUid, id, window, ctx.upstream.fixed?.orgId);
  }
  const url = target?.url?.replace(/\$\{__value\.raw\}|\$__value\.raw\b/g, encodeURIComponent(id));
  return url !== undefined && /^https?:\/\/[^\s$]+$/.test(url) ? url : undefined;
}
