import { showLabels } from '../answer/table.ts';
import { plural } from '../answer/text.ts';
import type { Datasource, QueryResult, Series } from '../grafana/upstream.ts';
import { manySeries } from '../metrics/many.ts';
import { readPromql } from '../metrics/promql.ts';
import type { Unit } from '../metrics/units.ts';
import { showInstant, showSpan, showWindow } from '../time/show.ts';
import type { Window } from '../time/window.ts';
import { zoneName } from '../time/zone.ts';

/** Above this a summary tells more than rows would. */
export const MANY = 50;

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
  /** The selector of the counter that the query shows as it is: falls are resets. */
  counter?: string;
  /** Rows behind those of the series. */
  more?: readonly string[];
}

/** `query · window, step · datasource`. */
export function firstLine({ query, window, step, ds }: SeriesQuestion, zone: string): string {
  const when =
    step === undefined
      ? atInstant(window, zone)
      : `${showWindow(window, zone)}, step ${showSpan(step.stepMs)}${step.auto ? ' (auto)' : ''}`;
  return `${oneLine(query)} · ${when} · ${ds.name}`;
}

const MOST_SAID = 5;

/** What the server says of its own answer: a partial one looks whole, so that this stands above the rows. */
export function saidOf({ warnings, infos }: Pick<QueryResult, 'warnings' | 'infos'>): string[] {
  const all = [...warnings.map((text) => `warning: ${text}`), ...infos.map((text) => `info: ${text}`)];
  const more = all.length - MOST_SAID;
  return [
    ...all.slice(0, MOST_SAID),
    ...(more > 0 ? [`and ${plural(more, 'warning or info', 'warnings or infos')} more`] : []),
  ];
}

/** The labels that all series share. */
export function allLine(shared: Record<string, string>): string[] {
  return Object.keys(shared).length === 0 ? [] : [`all: ${showLabels(shared)}`];
}

/** `8 series`, or how many of them are shown. */
export function countLine(shown: number, all: number, tail = ''): string {
  return shown < all
    ? `${shown} of ${plural(all, 'series', 'series')} shown${tail}`
    : `${plural(all, 'series', 'series')}${tail}`;
}

/** Ready queries that give fewer series. */
export async function narrower(q: SeriesQuestion, series: readonly Series[]): Promise<string[]> {
  const rewrites = q.rewrites?.(series) ?? (await manySeries(q.query, series)).rewrites;
  return rewrites.length > 0 ? ['ask instead:', ...rewrites.map((text) => `  ${text}`)] : [];
}

/** Native histograms have numbers of their own only through a function. */
export function quantileHint(query: string, series: readonly Series[]): string[] {
  const quantile = `histogram_quantile(0.95, ${query.trim()})`;
  const fits = series.some(({ histograms }) => histograms !== undefined) && readPromql(quantile).fault === undefined;
  return fits ? [`a quantile over time: ${quantile}`] : [];
}

/** `now (10:30:00 UTC)`, or the instant with its day. */
export function atInstant(window: Window, zone: string): string {
  const now = BigInt(Math.floor(window.now ?? 0)) * 1_000_000n;
  const text = showInstant(window.end, zone, 'second');
  return window.end === now ? `now (${text} ${zoneName(zone)})` : `at ${text} ${zoneName(zone)}`;
}

function oneLine(query: string): string {
  const text = query.replace(/\s+/g, ' ').trim();
  return text.length > 300 ? `${text.slice(0, 300).replace(/[\uD800-\uDBFF]$/, '')}…` : text;
}
