import type { Labels, MetricStore } from '../data/store.ts';
import { labelKey } from '../promql/labels.ts';

/** Prometheus keeps samples in blocks that begin at multiples of two hours. */
const BLOCK = 2 * 3_600_000;

export interface Span {
  start: number;
  end: number;
}
type Match = (labels: Labels) => boolean;

/**
 * Series whose chunks overlap the span. A chunk goes on over a gap, so samples on both sides of the span are enough.
 * For /series, which does not look at samples.
 */
export function seriesInChunks(store: MetricStore, match: Match, { start, end }: Span): Labels[] {
  if (start > end) return [];
  const late = new Set(store.series(match, start, blockEnd(end)).map(labelKey));
  return store.series(match, blockStart(start), end).filter((labels) => late.has(labelKey(labels)));
}

/** Series of all blocks that overlap the span, whenever in them they have samples. For labels and their values. */
export function seriesInBlocks(store: MetricStore, match: Match, { start, end }: Span): Labels[] {
  const [first, last] = [blockStart(start), blockStart(end)];
  const any = (from: number, to: number): boolean => store.series(() => true, from, to).length > 0;
  const from = any(start, blockEnd(start)) ? first : first + BLOCK;
  const to = any(last, end) ? blockEnd(end) : last - 1;
  return from <= to ? store.series(match, from, to) : [];
}

function blockStart(time: number): number {
  return Math.floor(time / BLOCK) * BLOCK;
}

function blockEnd(time: number): number {
  return blockStart(time) + BLOCK - 1;
}
