import type { Series } from '../grafana/upstream.ts';
import { showDay, showTime } from '../time/show.ts';
import { numberFormat } from './numbers.ts';
import type { Unit } from './units.ts';

/**
 * Values of one series as `10:00:30 0.21`, at most `max` of them: of every bucket the smallest and the largest stay,
 * and the series' first and last, so that thinning loses no extreme.
 */
export async function pointRows(series: Series, opt: { zone: string; max?: number; unit?: Unit }): Promise<string[]> {
  const show = await numberFormat(opt.unit);
  const at = (i: number) => BigInt(Math.floor(series.times.at(i) ?? 0)) * 1_000_000n;
  const days = showDay(at(0), opt.zone) !== showDay(at(-1), opt.zone);
  return thin(series.values, opt.max ?? 120).map((i) => {
    const day = days ? `${showDay(at(i), opt.zone).slice(5)} ` : '';
    return `${day}${showTime(at(i), opt.zone, 'second')} ${show(series.values[i] ?? Number.NaN)}`;
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
      if (Number(values[i]) < Number(values[low])) low = i;
      if (Number(values[i]) > Number(values[high])) high = i;
    }
    kept.add(low).add(high);
  }
  return [...kept].sort((a, b) => a - b);
}
