import { alignRows, quoteWord, showLabels } from '../answer/table.ts';
import { showControls } from '../answer/text.ts';
import type { Labels, Series } from '../grafana/upstream.ts';
import { showDay, showTime } from '../time/show.ts';
import { histogramText } from './histograms.ts';
import { numberFormat, type ShowNumber } from './numbers.ts';
import { type Summary, summarise } from './summary.ts';
import type { Unit } from './units.ts';

export interface TableOptions {
  zone: string;
  stepMs?: number;
  /** Window in ms, for gaps at its ends. */
  start?: number;
  end?: number;
  /** From `queryUnit`; absent: plain numbers. */
  unit?: Unit;
  /** What a gap is called; default "no data". */
  absent?: string;
  /** The values are those of a counter itself. */
  counter?: boolean;
}

export interface Table {
  /** Labels that all series share; `__name__` among them. */
  shared: Labels;
  header?: string;
  /** One a series. */
  rows: string[];
}

/** A range as one line a series: first, last, min and max with their times, mean, sparkline, trend, gaps; most changed first. */
export async function seriesTable(series: readonly Series[], opt: TableOptions): Promise<Table> {
  const show = await numberFormat(opt.unit);
  const shared = sharedLabels(series);
  const scale = largest(series);
  const time = clockOf(opt);
  const read = series.map((one) => ({
    name: nameOf(one.labels, shared),
    series: one,
    summary: summarise(one.times, one.values, { ...opt, scale }),
  }));
  read.sort(
    (a, b) => (b.summary?.change ?? -1) - (a.summary?.change ?? -1) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
  );
  const head = ['', 'first', 'last', 'min', 'max', 'mean'];
  const cells = read.map(({ name, series: one, summary }) =>
    summary ? summaryCells(name, summary, show, time) : [name, histogramText(one, show) ?? 'no number', '', '', '', ''],
  );
  const right = [false, true, true, true, true, true];
  const [header = '', ...lines] = alignRows([head, ...cells.map((row) => row.slice(0, 6))], right);
  const rows = lines.map((line, i) => {
    const summary = read[i]?.summary;
    if (summary === undefined) return line;
    const beside = histogramText(read[i]?.series ?? NO_SERIES, show);
    const note = noteOf(summary, time, opt.absent ?? 'no data');
    return `${line}  ${summary.spark}  ${note}${beside === undefined ? '' : `, beside it ${beside}`}`;
  });
  return series.length === 0 ? { shared, rows: [] } : { shared, header, rows };
}

const NO_SERIES: Series = { labels: {}, times: [], values: [] };

/** An instant as one line a series, largest first; NaN last. */
export async function vectorTable(series: readonly Series[], opt: { zone?: string; unit?: Unit } = {}): Promise<Table> {
  const show = await numberFormat(opt.unit);
  const shared = sharedLabels(series);
  const read = series.map((one) => ({ name: nameOf(one.labels, shared), value: one.values.at(-1), series: one }));
  const key = (value: number | undefined) =>
    value === undefined || Number.isNaN(value) ? Number.NEGATIVE_INFINITY : value;
  read.sort((a, b) => key(b.value) - key(a.value) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const rows = read.map(({ name, value, series: one }) => [
    name,
    value === undefined ? (histogramText(one, show) ?? 'no value') : show(value),
  ]);
  return { shared, rows: alignRows(rows, [false, true]) };
}

/** Labels with one value in all series. */
export function sharedLabels(series: readonly Series[]): Labels {
  const shared: Labels = { ...series[0]?.labels };
  for (const one of series) {
    for (const name of Object.keys(shared)) if (one.labels[name] !== shared[name]) delete shared[name];
  }
  for (const name of Object.keys(shared)) shared[name] = showControls(shared[name] ?? '');
  return shared;
}

/** `http_requests_total job=a env=b`: what tells the series from the others. */
export function nameOf(labels: Labels, shared: Labels): string {
  const hide = new Set([...Object.keys(shared), '__name__']);
  const metric = labels.__name__ !== undefined && !('__name__' in shared) ? quoteWord(labels.__name__) : '';
  return showControls([metric, showLabels(labels, hide)].filter((part) => part !== '').join(' ')) || 'value';
}

function summaryCells(name: string, s: Summary, show: ShowNumber, time: Clock): string[] {
  const at = (point: { value: number; time: number }) => `${show(point.value)} ${short(time(point.time))}`;
  // A value that never changed needs no times.
  const flat = s.min.value === s.max.value;
  return [
    name,
    show(s.first),
    show(s.last),
    flat ? show(s.min.value) : at(s.min),
    flat ? show(s.max.value) : at(s.max),
    show(s.mean),
  ];
}

const MAX_GAPS = 3;

function noteOf(s: Summary, time: Clock, absent: string): string {
  const since = s.since === undefined ? '' : ` since ${short(time(s.since))}`;
  const peak = s.trend === 'peak' ? ` ${short(time(s.max.time))}` : '';
  const gaps = s.gaps.slice(0, MAX_GAPS).map(({ from, to, edge }) => {
    if (edge === 'start') return `until ${time(to)}`;
    return edge === 'end' ? `since ${time(from)}` : `${time(from)}–${time(to)}`;
  });
  const more = s.gaps.length > MAX_GAPS ? ` and ${s.gaps.length - MAX_GAPS} more` : '';
  const holes = gaps.length === 0 ? [] : [`${absent} ${gaps.join(', ')}${more}`];
  const nans = s.nans > 0 ? [`NaN × ${s.nans}`] : [];
  const resets = s.resets.slice(0, MAX_GAPS).map((at) => short(time(at)));
  const others = s.resets.length > MAX_GAPS ? ` and ${s.resets.length - MAX_GAPS} more` : '';
  const anew = s.resets.length === 0 ? [] : [`reset ${resets.join(', ')}${others}`];
  return [`${s.trend}${since}${peak}`, ...anew, ...holes, ...nans].join(', ');
}

/** Minutes are enough where the time is on one. */
function short(text: string): string {
  return text.endsWith(':00') ? text.slice(0, -3) : text;
}

type Clock = (ms: number) => string;

/** Times of day, with month and day where the window spans more than one day. */
function clockOf({ zone, start, end }: TableOptions): Clock {
  const ns = (ms: number) => BigInt(Math.floor(ms)) * 1_000_000n;
  const days = start !== undefined && end !== undefined && showDay(ns(start), zone) !== showDay(ns(end), zone);
  return (ms) => `${days ? `${showDay(ns(ms), zone).slice(5)} ` : ''}${showTime(ns(ms), zone, 'second')}`;
}

function largest(series: readonly Series[]): number {
  let max = 0;
  for (const one of series)
    for (const value of one.values) if (Number.isFinite(value)) max = Math.max(max, Math.abs(value));
  return max;
}
