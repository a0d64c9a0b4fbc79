/** What a range aggregation makes of the samples of one series in one window: times (ns, relative) and values, from `lo` up to but not with `hi`. */
export type RangeFunction = (values: readonly number[], lo: number, hi: number, window: Window) => number;

interface Window {
  times: readonly number[];
  /** Range in seconds. */
  seconds: number;
  /** Of `quantile_over_time`. */
  parameter: number;
}

const count: RangeFunction = (_, lo, hi) => hi - lo;
const sum: RangeFunction = (values, lo, hi) => {
  let total = 0;
  for (let at = lo; at < hi; at++) total += values[at] ?? 0;
  return total;
};
const per =
  (fn: RangeFunction): RangeFunction =>
  (values, lo, hi, window) =>
    fn(values, lo, hi, window) / window.seconds;

/** By operation; `rate` of unwrapped values is under `rate unwrap`. Values of bytes operations are line lengths. */
export const RANGE_FUNCTIONS: Record<string, RangeFunction> = {
  count_over_time: count,
  rate: per(count),
  'rate unwrap': per(sum),
  bytes_over_time: sum,
  bytes_rate: per(sum),
  sum_over_time: sum,
  avg_over_time: (values, lo, hi) => {
    let mean = 0;
    for (let at = lo; at < hi; at++) mean += ((values[at] ?? 0) - mean) / (at - lo + 1);
    return mean;
  },
  min_over_time: (values, lo, hi) => extreme(values, lo, hi, (a, b) => a < b),
  max_over_time: (values, lo, hi) => extreme(values, lo, hi, (a, b) => a > b),
  first_over_time: (values, lo) => values[lo] ?? Number.NaN,
  last_over_time: (values, _, hi) => values[hi - 1] ?? Number.NaN,
  stdvar_over_time: (values, lo, hi) => variance(values.slice(lo, hi)),
  stddev_over_time: (values, lo, hi) => Math.sqrt(variance(values.slice(lo, hi))),
  quantile_over_time: (values, lo, hi, window) => quantile(window.parameter, values.slice(lo, hi)),
  rate_counter: rateCounter,
};

function extreme(values: readonly number[], lo: number, hi: number, better: (a: number, b: number) => boolean): number {
  let best = values[lo] ?? Number.NaN;
  for (let at = lo + 1; at < hi; at++) {
    const value = values[at] ?? Number.NaN;
    if (better(value, best) || Number.isNaN(best)) best = value;
  }
  return best;
}

/** Of the population. */
export function variance(values: readonly number[]): number {
  let mean = 0;
  let squares = 0;
  for (const [index, value] of values.entries()) {
    const delta = value - mean;
    mean += delta / (index + 1);
    squares += delta * (value - mean);
  }
  return squares / values.length;
}

/** Linear between the two nearest ranks, as Prometheus does. */
function quantile(q: number, values: number[]): number {
  if (values.length === 0 || Number.isNaN(q)) return Number.NaN;
  if (q < 0) return Number.NEGATIVE_INFINITY;
  if (q > 1) return Number.POSITIVE_INFINITY;
  const sorted = values.sort((a, b) => a - b);
  const rank = q * (sorted.length - 1);
  const low = Math.floor(rank);
  const weight = rank - low;
  return (
    (sorted[low] ?? Number.NaN) * (1 - weight) + (sorted[Math.min(low + 1, sorted.length - 1)] ?? Number.NaN) * weight
  );
}

/**
 * Increase of a counter, resets added back, extrapolated to the start of a window that Loki takes to end at the last sample;
 * one sample gives 0.
 */
function rateCounter(values: readonly number[], lo: number, hi: number, window: Window): number {
  if (hi - lo < 2) return 0;
  const first = values[lo] ?? 0;
  let increase = (values[hi - 1] ?? 0) - first;
  for (let at = lo + 1; at < hi; at++) {
    const before = values[at - 1] ?? 0;
    if ((values[at] ?? 0) < before) increase += before;
  }
  const sampled = ((window.times[hi - 1] ?? 0) - (window.times[lo] ?? 0)) / 1e9;
  if (sampled === 0) return Number.NaN;
  let toStart = window.seconds;
  if (increase > 0 && first >= 0) toStart = Math.min(toStart, sampled * (first / increase));
  const average = sampled / (hi - lo - 1);
  const covered = sampled + (toStart < average * 1.1 ? toStart : average / 2);
  return (increase * (covered / sampled)) / window.seconds;
}
