import { resetsOf } from './counter.ts';

/** One series of a range, read for people. Times in ms; numbers are the samples' own. */
export interface Summary {
  first: number;
  last: number;
  min: { value: number; time: number };
  max: { value: number; time: number };
  /** Over present values; NaN samples are left out. */
  mean: number;
  /** One character a bucket, blank where there is no sample. */
  spark: string;
  trend: string;
  /** When the trend took place, for the trends that have such a time. */
  since?: number;
  gaps: { from: number; to: number; edge?: 'start' | 'end' }[];
  nans: number;
  /** Of a counter: when it began anew. */
  resets: number[];
  /** How much it changed, for sorting: larger is more. */
  change: number;
}

export interface SummaryOptions {
  stepMs?: number | undefined;
  start?: number | undefined;
  end?: number | undefined;
  /** Largest absolute value of all series shown together: damps what is small beside it. */
  scale: number;
  /** The values are those of a counter itself: a fall is a reset. */
  counter?: boolean | undefined;
}

const SPARK = '▁▂▃▄▅▆▇█';
const SPARK_WIDTH = 20;

/** Undefined when the series has no sample that is a number. */
export function summarise(
  times: readonly number[],
  values: readonly number[],
  opt: SummaryOptions,
): Summary | undefined {
  const n = Math.min(times.length, values.length);
  let [sum, present] = [0, 0];
  let min: Summary['min'] | undefined;
  let max: Summary['max'] | undefined;
  for (let i = 0; i < n; i++) {
    const value = values[i] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    const point = { value, time: times[i] ?? 0 };
    if (min === undefined || value < min.value) min = point;
    if (max === undefined || value > max.value) max = point;
    sum += value;
    present++;
  }
  if (min === undefined || max === undefined) return undefined;
  const mean = sum / present;
  return {
    first: values[0] ?? Number.NaN,
    last: values[n - 1] ?? Number.NaN,
    min,
    max,
    mean,
    spark: sparkline(times, values, min.value, max.value, opt),
    ...trendOf(times, values, min.value, max.value, mean),
    gaps: gapsOf(times, opt),
    nans: n - present,
    resets: opt.counter ? resetsOf(times, values) : [],
    change: changeOf(values, max.value, mean, opt.scale),
  };
}

function sparkline(
  times: readonly number[],
  values: readonly number[],
  min: number,
  max: number,
  opt: SummaryOptions,
): string {
  const start = opt.start ?? times[0] ?? 0;
  const end = opt.end ?? times.at(-1) ?? start;
  const steps = opt.stepMs === undefined ? times.length : Math.floor((end - start) / opt.stepMs) + 1;
  const width = Math.max(1, Math.min(SPARK_WIDTH, steps));
  const sums = new Array<number>(width).fill(0);
  const counts = new Array<number>(width).fill(0);
  // Each step has the same share of the line; the last step belongs to the last bucket.
  const span = Math.max(1, end - start + (opt.stepMs ?? (end - start) / Math.max(1, times.length - 1)));
  for (const [i, time] of times.entries()) {
    const value = values[i] ?? Number.NaN;
    const at = Math.min(width - 1, Math.max(0, Math.floor(((time - start) / span) * width)));
    if (Number.isNaN(value)) continue;
    sums[at] = (sums[at] ?? 0) + value;
    counts[at] = (counts[at] ?? 0) + 1;
  }
  let line = '';
  for (let i = 0; i < width; i++) {
    const count = counts[i] ?? 0;
    const share = (Number(sums[i]) / count - min) / (max - min);
    line +=
      count === 0
        ? ' '
        : max === min || Number.isNaN(share)
          ? '▄'
          : (SPARK[Math.min(7, Math.max(0, Math.floor(share * 8)))] ?? '█');
  }
  return line;
}

/**
 * The plain rule: the mean of the last fifth of the points against the first fifth. From 1.5 times its mean (or from zero)
 * and above all of it, the series is "up"; below two thirds and below all of it, "down"; both with the time when it left
 * for good. Else a largest value of three means is a "peak"; within a tenth of the mean it is "flat"; else it "varies".
 */
function trendOf(
  times: readonly number[],
  values: readonly number[],
  min: number,
  max: number,
  mean: number,
): { trend: string; since?: number } {
  const known = values.flatMap((value, i) => (Number.isFinite(value) ? [{ value, time: times[i] ?? 0 }] : []));
  if (known.length < 3)
    return {
      trend: min === max ? 'flat' : known.length < values.length ? 'varies' : max === values.at(-1) ? 'up' : 'down',
    };
  if (min === max) return { trend: 'flat' };
  const fifth = Math.max(1, Math.floor(known.length / 5));
  const first = known.slice(0, fifth);
  const before = average(first);
  const after = average(known.slice(-fifth));
  const above = after > Math.max(...first.map((point) => point.value));
  const below = after < Math.min(...first.map((point) => point.value));
  const since = above || below ? leaving(known, first, (after - before) / 10) : {};
  if (before === 0 && above) return { trend: 'up from 0', ...since };
  if (after === 0 && below) return { trend: 'down to 0', ...since };
  if (before > 0 && after > 0) {
    if (above && after / before >= 1.5) return { trend: `up ${manifold(after / before)}`, ...since };
    if (below && after / before <= 2 / 3) return { trend: `down to ${share(after / before)}`, ...since };
    if (max >= 3 * mean) return { trend: 'peak' };
  }
  return { trend: max - min <= Math.abs(mean) * 0.1 ? 'flat' : 'varies' };
}

/** The first point of the stretch that never comes back to where the first points were, a tenth of the way allowed. */
function leaving(points: readonly Point[], first: readonly Point[], tenth: number): { since?: number } {
  const values = first.map((point) => point.value);
  const edge = tenth > 0 ? Math.max(...values) : Math.min(...values);
  const line = average(first) + tenth;
  const back = points.findLastIndex(({ value }) =>
    tenth > 0 ? value <= Math.max(edge, line) : value >= Math.min(edge, line),
  );
  const next = points[back + 1];
  return next === undefined ? {} : { since: next.time };
}

interface Point {
  value: number;
  time: number;
}

function average(points: readonly Point[]): number {
  return points.reduce((sum, point) => sum + point.value, 0) / points.length;
}

function manifold(ratio: number): string {
  return `${ratio >= 10 ? Math.round(ratio).toLocaleString('en-US') : ratio.toFixed(1).replace(/\.0$/, '')} ×`;
}

function share(ratio: number): string {
  return ratio >= 0.01 ? `${Math.round(ratio * 100)} %` : 'under 1 %';
}

/** A hole is more than one and a half steps between samples; also at the window's ends. */
function gapsOf(times: readonly number[], { stepMs, start, end }: SummaryOptions): Summary['gaps'] {
  const first = times[0];
  const last = times.at(-1);
  if (stepMs === undefined || first === undefined || last === undefined) return [];
  const gaps: Summary['gaps'] = [];
  if (start !== undefined && first - start > stepMs * 1.5) gaps.push({ from: start, to: first, edge: 'start' });
  for (let i = 1; i < times.length; i++) {
    const [from = 0, to = 0] = [times[i - 1], times[i]];
    if (to - from > stepMs * 1.5) gaps.push({ from: from + stepMs, to });
  }
  if (end !== undefined && end - last > stepMs * 1.5) gaps.push({ from: last + stepMs, to: end, edge: 'end' });
  return gaps;
}

/** How many times it changed, as a logarithm, start to end or mean to peak; a twentieth of the largest value damps noise. */
function changeOf(values: readonly number[], max: number, mean: number, scale: number): number {
  const damp = scale * 0.05 || 1e-9;
  const known = values.filter(Number.isFinite);
  const log = (a: number, b: number) => Math.abs(Math.log((Math.abs(a) + damp) / (Math.abs(b) + damp)));
  const change = Math.max(log(known.at(-1) ?? 0, known[0] ?? 0), log(max, mean));
  return Number.isFinite(change) ? change : Number.MAX_VALUE;
}
