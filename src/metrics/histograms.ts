import { plural } from '../answer/text.ts';
import type { Series } from '../grafana/upstream.ts';
import { plain, type ShowNumber } from './numbers.ts';

export type Histogram = NonNullable<Series['histograms']>[number];

/** The newest native histogram of a series in a few words, with the count of the first where there are several. */
export function histogramText(series: Series, show: ShowNumber): string | undefined {
  const all = series.histograms ?? [];
  const last = all.at(-1);
  if (last === undefined) return undefined;
  const first = all.length > 1 && all[0] !== undefined ? `${plain(all[0].count)} → ` : '';
  const many = all.length > 1 ? ` × ${all.length.toLocaleString('en-US')}` : '';
  const quantiles = [0.5, 0.95].flatMap((q) => {
    const value = quantileOf(last, q);
    return value === undefined ? [] : [`p${q * 100} ${show(value)}`];
  });
  return [
    `histogram${many}: count ${first}${plain(last.count)}`,
    `sum ${show(last.sum)}`,
    ...(last.count > 0 ? [`mean ${show(last.sum / last.count)}`] : []),
    ...quantiles,
    plural(last.buckets.length, 'bucket'),
  ].join(', ');
}

/** One native histogram of several: `count 60 mean 0.55`. */
export function histogramPoint({ count, sum }: Histogram, show: ShowNumber): string {
  return `count ${plain(count)}${count > 0 ? ` mean ${show(sum / count)}` : ''}`;
}

/** The value below which the share `q` of the observations lies, straight within its bucket; undefined without buckets. */
function quantileOf({ buckets }: Histogram, q: number): number | undefined {
  const sorted = [...buckets].sort((a, b) => a[1] - b[1]);
  const total = sorted.reduce((sum, bucket) => sum + bucket[3], 0);
  if (!(total > 0)) return undefined;
  let left = q * total;
  for (const [, lower, upper, count] of sorted) {
    if (left > count) {
      left -= count;
      continue;
    }
    if (!Number.isFinite(lower)) return upper;
    if (!Number.isFinite(upper)) return lower;
    return lower + (upper - lower) * (left / count);
  }
  return sorted.at(-1)?.[2];
}
