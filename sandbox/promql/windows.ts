import { CompensatedSum, quantile, stuckAtInfinity } from './numbers.ts';
import { shownFloat } from './postfix.ts';
import { ExecutionProblem } from './problems.ts';
import type { Points } from './values.ts';

/** Samples [lo, hi) of a series that lie in one step's range; times in ms. At least one. */
export interface Window extends Points {
  lo: number;
  hi: number;
  rangeStart: number;
  rangeEnd: number;
  now: number;
  /** The scalar arguments at this step. */
  params: number[];
}

/** What a function of a range vector gives at one step; undefined: no sample. */
export type WindowFunction = (window: Window) => number | undefined;

export const WINDOW_FUNCTIONS: ReadonlyMap<string, WindowFunction> = new Map<string, WindowFunction>([
  ['rate', (w) => extrapolated(w, true, true)],
  ['increase', (w) => extrapolated(w, true, false)],
  ['delta', (w) => extrapolated(w, false, false)],
  ['irate', (w) => instant(w, true)],
  ['idelta', (w) => instant(w, false)],
  ['deriv', (w) => (w.hi - w.lo < 2 ? undefined : regression(w, timeOf(w, w.lo)).slope)],
  ['predict_linear', predictLinear],
  ['holt_winters', holtWinters],
  ['changes', (w) => countPairs(w, (before, now) => now !== before && !(Number.isNaN(now) && Number.isNaN(before)))],
  ['resets', (w) => countPairs(w, (before, now) => now < before)],
  ['avg_over_time', average],
  ['sum_over_time', (w) => sumOf(w).total],
  ['count_over_time', (w) => w.hi - w.lo],
  ['last_over_time', (w) => valueAt(w, w.hi - 1)],
  ['present_over_time', () => 1],
  ['absent_over_time', () => 1],
  ['max_over_time', (w) => extreme(w, (value, best) => value > best)],
  ['min_over_time', (w) => extreme(w, (value, best) => value < best)],
  ['stddev_over_time', (w) => Math.sqrt(variance(w))],
  ['stdvar_over_time', variance],
  [
    'quantile_over_time',
    (w) =>
      quantile(
        param(w, 0),
        Array.from({ length: w.hi - w.lo }, (_, i) => valueAt(w, w.lo + i)),
      ),
  ],
]);

function valueAt(window: Window, i: number): number {
  return window.values[i] ?? Number.NaN;
}
function timeOf(window: Window, i: number): number {
  return window.times[i] ?? Number.NaN;
}
function param(window: Window, i: number): number {
  return window.params[i] ?? Number.NaN;
}

/**
 * rate, increase, delta: the difference of last and first (with what counter resets lost), stretched to the ends of the
 * range when the samples come close to them, else by half a sample interval; a counter is not stretched below zero.
 */
function extrapolated(w: Window, isCounter: boolean, isRate: boolean): number | undefined {
  const last = w.hi - 1;
  if (last === w.lo) return undefined;
  const first = valueAt(w, w.lo);
  let result = valueAt(w, last) - first;
  if (isCounter) {
    for (let i = w.lo + 1; i <= last; i++) if (valueAt(w, i) < valueAt(w, i - 1)) result += valueAt(w, i - 1);
  }
  let toStart = (timeOf(w, w.lo) - w.rangeStart) / 1000;
  const toEnd = (w.rangeEnd - timeOf(w, last)) / 1000;
  const sampled = (timeOf(w, last) - timeOf(w, w.lo)) / 1000;
  const between = sampled / (last - w.lo);
  if (isCounter && result > 0 && first >= 0) toStart = Math.min(toStart, sampled * (first / result));
  const threshold = between * 1.1;
  const stretched = sampled + (toStart < threshold ? toStart : between / 2) + (toEnd < threshold ? toEnd : between / 2);
  let factor = stretched / sampled;
  if (isRate) factor /= (w.rangeEnd - w.rangeStart) / 1000;
  return result * factor;
}

function instant(w: Window, isRate: boolean): number | undefined {
  if (w.hi - w.lo < 2) return undefined;
  const last = valueAt(w, w.hi - 1);
  const before = valueAt(w, w.hi - 2);
  const seconds = (timeOf(w, w.hi - 1) - timeOf(w, w.hi - 2)) / 1000;
  if (seconds === 0) return undefined;
  const change = isRate && last < before ? last : last - before;
  return isRate ? change / seconds : change;
}

/** Least squares; the intercept is the value at `zero` (ms). */
function regression(w: Window, zero: number): { slope: number; intercept: number } {
  const [x, y, xy, xx] = [new CompensatedSum(), new CompensatedSum(), new CompensatedSum(), new CompensatedSum()];
  const first = valueAt(w, w.lo);
  let constant = true;
  for (let i = w.lo; i < w.hi; i++) {
    const value = valueAt(w, i);
    const seconds = (timeOf(w, i) - zero) / 1000;
    if (value !== first && i > w.lo) constant = false;
    x.add(seconds);
    y.add(value);
    xy.add(seconds * value);
    xx.add(seconds * seconds);
  }
  if (constant) {
    const infinite = Math.abs(first) === Number.POSITIVE_INFINITY;
    return infinite ? { slope: Number.NaN, intercept: Number.NaN } : { slope: 0, intercept: first };
  }
  const n = w.hi - w.lo;
  const [sumX, sumY] = [x.sum + x.lost, y.sum + y.lost];
  const slope = (xy.sum + xy.lost - (sumX * sumY) / n) / (xx.sum + xx.lost - (sumX * sumX) / n);
  return { slope, intercept: sumY / n - (slope * sumX) / n };
}

function predictLinear(w: Window): number | undefined {
  if (w.hi - w.lo < 2) return undefined;
  const { slope, intercept } = regression(w, w.now);
  return slope * param(w, 0) + intercept;
}

/** Double exponential smoothing: level and trend. */
function holtWinters(w: Window): number | undefined {
  const [smoothing, trend] = [param(w, 0), param(w, 1)];
  for (const [factor, letters, name] of [
    [smoothing, 'sf', 'smoothing'],
    [trend, 'tf', 'trend'],
  ] as const) {
    if (factor <= 0 || factor >= 1) {
      const rule = `invalid ${name} factor. Expected: 0 < ${letters} < 1`;
      throw new ExecutionProblem(`${rule}, got: ${shownFloat(factor)}`);
    }
  }
  if (w.hi - w.lo < 2) return undefined;
  let before = 0;
  let level = valueAt(w, w.lo);
  let slope = valueAt(w, w.lo + 1) - level;
  for (let i = w.lo + 1; i < w.hi; i++) {
    const x = smoothing * valueAt(w, i);
    if (i > w.lo + 1) slope = trend * (level - before) + (1 - trend) * slope;
    const y = (1 - smoothing) * (level + slope);
    before = level;
    level = x + y;
  }
  return level;
}

function countPairs(w: Window, counts: (before: number, now: number) => boolean): number {
  let count = 0;
  for (let i = w.lo + 1; i < w.hi; i++) if (counts(valueAt(w, i - 1), valueAt(w, i))) count++;
  return count;
}

function sumOf(w: Window): CompensatedSum {
  const sum = new CompensatedSum();
  for (let i = w.lo; i < w.hi; i++) sum.add(valueAt(w, i));
  return sum;
}

function average(w: Window): number {
  const mean = new CompensatedSum();
  for (let i = w.lo; i < w.hi; i++) {
    const count = i - w.lo + 1;
    const value = valueAt(w, i);
    if (!stuckAtInfinity(mean.sum, value)) mean.add(value / count - mean.sum / count);
  }
  return mean.total;
}

function extreme(w: Window, better: (value: number, best: number) => boolean): number {
  let best = valueAt(w, w.lo);
  for (let i = w.lo; i < w.hi; i++) {
    const value = valueAt(w, i);
    if (better(value, best) || Number.isNaN(best)) best = value;
  }
  return best;
}

function variance(w: Window): number {
  const mean = new CompensatedSum();
  const squares = new CompensatedSum();
  for (let i = w.lo; i < w.hi; i++) {
    const value = valueAt(w, i);
    const delta = value - (mean.sum + mean.lost);
    mean.add(delta / (i - w.lo + 1));
    squares.add(delta * (value - (mean.sum + mean.lost)));
  }
  return (squares.sum + squares.lost) / (w.hi - w.lo);
}
