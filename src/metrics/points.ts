import type { Series } from '../grafana/upstream.ts';
import { showDay, showTime } from '../time/show.ts';
import { histogramPoint } from './histograms.ts';
import { numberFormat } from './numbers.ts';
import type { Unit } from './units.ts';

/**
 * Values of one series as `10:00:30 0.21`, at most `max` of them: of every bucket the smallest and the largest stay,
 * and the series' first and last, so that thinning loses no extreme.
 */
export async function pointRows(series: Series, opt: { zone: string; max?: number; unit?: Unit }): Promise<string[]> {
  const show = await numberFormat(opt.unit);
  // Native histograms count by how many they hold; a series of both kinds shows its numbers.
  const histograms = series.times.length === 0 ? (series.histograms ?? []) : [];
  const times = histograms.length > 0 ? histograms.map(({ time }) => time) : series.times;
  const values = histograms.length > 0 ? histograms.map(({ count }) => count) : series.values;
  const at = (i: number) => BigInt(Math.floor(times.at(i) ?? 0)) * 1_000_000n;
  const days = showDay(at(0), opt.zone) !== showDay(at(-1), opt.zone);
  return thin(values, opt.max ?? 120).map((i) => {
    const day = days ? `${showDay(at(i), opt.zone).slice(5)} ` : '';
    const histogram = histograms[i];
    const text = histogram === undefined ? show(values[i] ?? Number.NaN) : histogramPoint(histogram, show);
    return `${day}${showTime(at(i), opt.zone, 'second')} ${text}`;
  });
}

/** Indices that stay, ascending. */
export function thin(values: readonly number[], max: number): number[] {
  if (values.length <= max) return values.map((_, i) => i);
  const buckets = Math.max(1, Math.floor((max - 2) / 2));
  const kept = new Set([0, values.length - 1]);
  for (let b = 0; b < buckets; b++) {
    const from = Math.floor((b * values.length) / buckets);
    const to = Math.floor(((b + 1) * values.length) / buckets);
    let [low, high] = [from, from];
    for (let i = from; i < to; i++) {
      const value = Number(values[i]);
      // NaN is above and below nothing: a bucket that begins with it would keep it alone.
      if (Number.isNaN(Number(values[low])) || value < Number(values[low])) low = i;
      if (Number.isNaN(Number(values[high])) || value > Number(values[high])) high = i;
    }
    kept.add(low).add(high);
  }
  return [...kept].sort((a, b) => a - b);
}
