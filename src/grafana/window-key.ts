/** A window that ends within this of the present is "up to now", ns. */
const PRESENT = 5_000_000_000n;

/**
 * Key of a window for cached metadata. "The last hour", asked twice within the time to live, is the same question
 * although its ends have moved on; the answer's age says so. A window in the past is told by its ends.
 * `start` and `end` in ns since epoch.
 */
export function windowKey(start: bigint, end: bigint, nowMs: number = Date.now()): string {
  const distance = end - BigInt(nowMs) * 1_000_000n;
  if (distance > -PRESENT && distance < PRESENT) return `now-${(end - start) / 1_000_000_000n}s`;
  return `${start}-${end}`;
}
