import type { Labels } from '../data/store.ts';
import { labelKey, mergeSteps, omit } from './labels.ts';
import { readFloat } from './literals.ts';
import { emptySteps, type Grid, STALE, type StepSeries } from './values.ts';

interface Bucket {
  upper: number;
  count: number;
}

/** histogram_quantile over classic buckets: series that differ only in `le` are one histogram. */
export function histogramQuantile(quantiles: Float64Array, series: readonly StepSeries[], grid: Grid): StepSeries[] {
  const histograms = new Map<string, { labels: Labels; buckets: { upper: number; values: Float64Array }[] }>();
  for (const { labels, values } of series) {
    const upper = readFloat(labels.le ?? '');
    if (upper === undefined) continue;
    const key = labelKey(omit(labels, ['le']));
    const histogram = histograms.get(key) ?? { labels: omit(labels, ['le', '__name__']), buckets: [] };
    histogram.buckets.push({ upper, values });
    histograms.set(key, histogram);
  }
  const out = [...histograms.values()].map(({ labels, buckets }) => {
    const values = emptySteps(grid).map((_, i) => {
      const present = buckets
        .map(({ upper, values: counts }) => ({ upper, count: counts[i] ?? STALE }))
        .filter(({ count }) => count !== STALE);
      return present.length === 0 ? STALE : bucketQuantile(quantiles[i] ?? Number.NaN, present);
    });
    return { labels, values };
  });
  return mergeSteps(out);
}

/** Linear within the bucket that the rank falls in; the last bucket must be +Inf and gives the bound below it. */
function bucketQuantile(q: number, unsorted: Bucket[]): number {
  if (Number.isNaN(q)) return Number.NaN;
  if (q < 0) return Number.NEGATIVE_INFINITY;
  if (q > 1) return Number.POSITIVE_INFINITY;
  const buckets = cumulative(unsorted.sort((a, b) => (a.upper < b.upper ? -1 : a.upper > b.upper ? 1 : 0)));
  const last = buckets.at(-1);
  const beforeLast = buckets.at(-2);
  if (last?.upper !== Number.POSITIVE_INFINITY || !beforeLast || last.count === 0) return Number.NaN;
  const rank = q * last.count;
  const index = firstReaching(buckets, rank);
  const bucket = buckets[index];
  if (!bucket || bucket === last) return beforeLast.upper;
  if (index === 0 && bucket.upper <= 0) return bucket.upper;
  const below = buckets[index - 1] ?? { upper: 0, count: 0 };
  return below.upper + (bucket.upper - below.upper) * ((rank - below.count) / (bucket.count - below.count));
}

/** Equal bounds are added up, and a count below the one before (scraped at another moment) is raised to it. */
function cumulative(sorted: readonly Bucket[]): Bucket[] {
  const merged: Bucket[] = [];
  for (const { upper, count } of sorted) {
    const before = merged.at(-1);
    if (before?.upper === upper) before.count += count;
    else merged.push({ upper, count });
  }
  let most = merged[0]?.count ?? 0;
  for (const bucket of merged) {
    if (bucket.count > most) most = bucket.count;
    else if (bucket.count < most) bucket.count = most;
  }
  return merged;
}

/** Binary search as the server does it, which matters when counts are NaN. */
function firstReaching(buckets: readonly Bucket[], rank: number): number {
  let [low, high] = [0, buckets.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (Number(buckets[middle]?.count) >= rank) high = middle;
    else low = middle + 1;
  }
  return low;
}
