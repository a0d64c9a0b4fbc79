import type { Labels, MetricStore } from '../data/store.ts';
import { labelKey } from '../promql/labels.ts';

/** Series that the server's index would name for a span: it looks at whole chunks, not at samples. */
export function overlapping(
  store: MetricStore,
  match: (labels: Labels) => boolean,
  { start, end }: { start: number; end: number },
): Labels[] {
  // A series counts when it has samples on both sides of each end, or between them, within the two hours of a block.
  const blockStart = Math.floor(start / BLOCK) * BLOCK;
  const blockEnd = Math.floor(end / BLOCK) * BLOCK + BLOCK - 1;
  const late = new Set(store.series(match, start, blockEnd).map(labelKey));
  return store.series(match, blockStart, end).filter((labels) => late.has(labelKey(labels)));
}

const BLOCK = 2 * 3_600_000;
