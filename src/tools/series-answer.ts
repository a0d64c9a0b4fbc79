import type { Answer } from '../answer/answer.ts';
import { showLabels } from '../answer/table.ts';
import { plural } from '../answer/text.ts';
import type { Datasource, QueryResult, Series } from '../grafana/upstream.ts';
import type { ToolContext } from '../mcp/define.ts';
import { manySeries } from '../metrics/many.ts';
import { plain } from '../metrics/numbers.ts';
import { pointRows } from '../metrics/points.ts';
import { seriesTable, vectorTable } from '../metrics/table.ts';
import type { Unit } from '../metrics/units.ts';
import { showInstant, showSpan, showWindow } from '../time/show.ts';
import type { Window } from '../time/window.ts';
import { zoneName } from '../time/zone.ts';

/** Above this a summary tells more than rows would. */
const MANY = 50;

export interface SeriesQuestion {
  query: string;
  ds: Datasource;
  /** A range; an instant is its `end`. */
  window: Window;
  /** Absent for an instant. */
  step?: { stepMs: number; auto: boolean };
  detail: 'summary' | 'points';
  unit?: Unit;
  notes: string[];
  /** Ready queries when there are too many series; default: PromQL's. */
  rewrites?: (series: readonly Series[]) => string[];
  /** Lines that say why nothing came, asked only then. */
  whyNothing: () => Promise<string[]>;
  link?: string | undefined;
  /** What a gap is called; default "no data". */
  absent?: string;
  /** How to get the values themselves. */
  pointsHint?: string;
}

/** Series of a range or an instant as lines for people. */
export async function seriesAnswer(
  ctx: ToolContext,
  q: SeriesQuestion,
  result: Exclude<QueryResult, { type: 'streams' }>,
): Promise<Answer> {
  const zone = ctx.settings.timezone;
  const { step, window } = q;
  const when =
    step === undefined
      ? `${atInstant(window, zone)} · ${q.ds.name}`
      : `${showWindow(window, zone)}, step ${showSpan(step.stepMs)}${step.auto ? ' (auto)' : ''} · ${q.ds.name}`;
  const first = `${oneLine(q.query)} · ${when}`;
  const notes = [...q.notes, ...result.warnings.map((text) => `warning: ${text}`), ...result.infos];
  const link = q.link === undefined ? {} : { link: q.link };
  if (result.type === 'scalar' || result.type === 'string') {
    const rows = [result.type === 'scalar' ? plain(result.value) : result.text];
    return { head: [first], rows, after: () => notes, ...link };
  }
  const { series } = result;
  if (series.length === 0) {
    const why = await q.whyNothing();
    return { head: [`no series · ${first}`], ...(why.length > 0 ? { rows: why } : {}), after: () => notes, ...link };
  }
  const unit = q.unit === undefined ? {} : { unit: q.unit };
  if (series.length > MANY && q.detail === 'summary') {
    const many = await manySeries(q.query, series, unit);
    const rewrites = q.rewrites?.(series) ?? many.rewrites;
    return {
      head: [first],
      lead: [many.line],
      rows: many.rows,
      after: () => [...notes, ...(rewrites.length > 0 ? ['ask instead:', ...rewrites.map((text) => `  ${text}`)] : [])],
      ...link,
    };
  }
  if (step !== undefined && q.detail === 'points') return await pointsAnswer(ctx, first, series, unit, notes, link);
  const bounds = { start: Number(window.start / 1_000_000n), end: Number(window.end / 1_000_000n) };
  const table =
    step === undefined
      ? await vectorTable(series, { zone, ...unit })
      : await seriesTable(series, {
          zone,
          stepMs: step.stepMs,
          ...bounds,
          ...unit,
          ...(q.absent === undefined ? {} : { absent: q.absent }),
        });
  const points = Math.max(...series.map((one) => one.times.length));
  const hint = q.pointsHint === undefined ? '' : ` · ${q.pointsHint}`;
  const tail = step === undefined ? '' : `, at most ${plural(points, 'point')} each${hint}`;
  const count = (shown: number) =>
    shown < series.length
      ? `${shown} of ${plural(series.length, 'series', 'series')} shown${tail} · aggregate to see all`
      : `${plural(series.length, 'series', 'series')}${tail}`;
  return {
    head: [first],
    lead: [...allLine(table.shared), ...(table.header === undefined ? [] : [table.header])],
    rows: table.rows,
    after: (shown) => [count(shown), ...notes],
    ...link,
  };
}

async function pointsAnswer(
  ctx: ToolContext,
  first: string,
  series: readonly Series[],
  unit: { unit?: Unit },
  notes: string[],
  link: { link?: string },
): Promise<Answer> {
  const zone = ctx.settings.timezone;
  // Few series get many points: all together fill about one answer.
  const max = Math.max(4, Math.floor(240 / series.length));
  const shownPoints = await Promise.all(series.map((one) => pointRows(one, { zone, max, ...unit })));
  const rows = series.map((one, i) => `${showLabels(one.labels) || 'value'}: ${(shownPoints[i] ?? []).join(' · ')}`);
  const thinned = series.some((one) => one.times.length > max);
  const note = thinned
    ? ['thinned: the extremes of each stretch stay; a narrower window or larger step shows all']
    : [];
  return {
    head: [first],
    rows,
    after: (shown) => [
      shown < series.length
        ? `${shown} of ${plural(series.length, 'series', 'series')} shown`
        : plural(series.length, 'series', 'series'),
      ...note,
      ...notes,
    ],
    ...link,
  };
}

function allLine(shared: Record<string, string>): string[] {
  return Object.keys(shared).length === 0 ? [] : [`all: ${showLabels(shared)}`];
}

/** `now (10:30:00 UTC)`, or the instant with its day. */
function atInstant(window: Window, zone: string): string {
  const now = BigInt(Math.floor(window.now ?? 0)) * 1_000_000n;
  const text = showInstant(window.end, zone, 'second');
  return window.end === now ? `now (${text} ${zoneName(zone)})` : `at ${text} ${zoneName(zone)}`;
}

function oneLine(query: string): string {
  const text = query.replace(/\s+/g, ' ').trim();
  return text.length > 300 ? `${text.slice(0, 300).replace(/[\uD800-\uDBFF]$/, '')}…` : text;
}
