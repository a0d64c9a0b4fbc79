import { alignRows } from '../answer/table.ts';
import type { Labels, Series } from '../grafana/upstream.ts';
import { numberFormat, type ShowNumber } from './numbers.ts';
import { type Summary, summarise } from './summary.ts';
import { nameOf, sharedLabels, type Table, type TableOptions } from './table.ts';

interface Pair {
  name: string;
  now?: Figures;
  before?: Figures;
}

interface Figures {
  mean: number;
  max: number;
  last: number;
  spark: string;
}

/**
 * The series of a window beside those of another one, by their labels: mean, largest and last value of both and the
 * change of the mean; most changed first. `instant`: one value each.
 */
export async function compareTable(
  now: readonly Series[],
  before: readonly Series[],
  opt: TableOptions & { instant: boolean; beforeStart?: number; beforeEnd?: number },
): Promise<Table & { counts: { changed: number; fresh: number; gone: number } }> {
  const show = await numberFormat(opt.unit);
  const shared = sharedLabels([...now, ...before]);
  const { beforeStart, beforeEnd, ...window } = opt;
  const bounds = {
    ...(beforeStart === undefined ? {} : { start: beforeStart }),
    ...(beforeEnd === undefined ? {} : { end: beforeEnd }),
  };
  const pairs = new Map<string, Pair>();
  for (const series of now)
    pairs.set(keyOf(series.labels), { name: nameOf(series.labels, shared), ...at('now', series) });
  for (const series of before) {
    const key = keyOf(series.labels);
    const known = pairs.get(key) ?? { name: nameOf(series.labels, shared) };
    pairs.set(key, { ...known, ...at('before', series) });
  }
  const read = [...pairs.values()];
  const damp = Math.max(0, ...read.flatMap(({ now: a, before: b }) => [sizeOf(a), sizeOf(b)])) * 0.01 || 1e-9;
  const weight = new Map(read.map((pair) => [pair, weightOf(pair, damp)]));
  read.sort((a, b) => (weight.get(b) ?? 0) - (weight.get(a) ?? 0) || (a.name < b.name ? -1 : 1));
  const cells = read.map((pair) => cellsOf(pair, show, opt.instant));
  const header = opt.instant
    ? ['', 'now', 'before', 'change']
    : ['', 'mean', 'before', 'change', 'max', 'before', 'last', 'before'];
  const [first = '', ...lines] = alignRows([header, ...cells], [false, ...header.slice(1).map(() => true)]);
  const rows = lines.map((line, i) => {
    const spark = opt.instant ? '' : (read[i]?.now?.spark ?? '');
    return spark.trim() === '' ? line : `${line}  ${spark}`;
  });
  const fresh = read.filter((pair) => pair.before === undefined).length;
  const gone = read.filter((pair) => pair.now === undefined).length;
  const both = read.filter((pair) => pair.now !== undefined && pair.before !== undefined);
  const changed = both.filter((pair) => changeText(pair.now?.mean, pair.before?.mean) !== 'same').length;
  return { shared, header: first, rows: read.length === 0 ? [] : rows, counts: { changed, fresh, gone } };

  function at(which: 'now' | 'before', series: Series): { now?: Figures; before?: Figures } {
    const own = which === 'now' ? window : { ...window, ...bounds };
    const summary = summarise(series.times, series.values, { ...own, scale: 0 });
    return summary === undefined ? {} : { [which]: figuresOf(summary) };
  }
}

function figuresOf({ mean, max, last, spark }: Summary): Figures {
  return { mean, max: max.value, last, spark };
}

function cellsOf({ name, now, before }: Pair, show: ShowNumber, instant: boolean): string[] {
  const value = (figure: number | undefined) => (figure === undefined ? '–' : show(figure));
  const change = changeText(now?.mean, before?.mean);
  const first = [name, value(now?.mean), value(before?.mean), change];
  return instant ? first : [...first, value(now?.max), value(before?.max), value(now?.last), value(before?.last)];
}

/** `85 ×`, `+12 %`, `−44 %`, `from 0`, `to 0`; `same` within a hundredth. Undefined: there was no series. */
function changeText(now: number | undefined, before: number | undefined): string {
  if (now === undefined) return before === undefined ? 'no number' : 'gone';
  if (before === undefined) return 'new';
  if (!Number.isFinite(now) || !Number.isFinite(before)) return now === before ? 'same' : '?';
  if (now === before) return 'same';
  if (before === 0) return 'from 0';
  if (now === 0) return 'to 0';
  const ratio = now / before;
  if (ratio < 0) return now > before ? 'sign: to above 0' : 'sign: to below 0';
  if (ratio >= 2) return `${ratio >= 10 ? Math.round(ratio).toLocaleString('en-US') : ratio.toFixed(1)} ×`;
  const percent = Math.round((ratio - 1) * 100);
  if (percent === 0) return 'same';
  return percent > 0 ? `+${percent} %` : `−${-percent} %`;
}

function sizeOf(figures: Figures | undefined): number {
  return Number.isFinite(figures?.max) ? Math.abs(figures?.max ?? 0) : 0;
}

/** How far the mean moved, as a logarithm; what is small beside the largest of all counts little. */
function weightOf({ now, before }: Pair, damp: number): number {
  const log = (value = 0) => Math.log(Math.abs(value) + damp);
  const moved = Math.abs(log(now?.mean) - log(before?.mean));
  return Number.isFinite(moved) ? moved : Number.MAX_VALUE;
}

function keyOf(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}
