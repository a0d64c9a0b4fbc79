import { LRUCache } from 'lru-cache';

/** Keys remembered at once; the least recently used one is forgotten, which lets its owner start afresh. */
const KEYS = 10_000;

export interface RateLimit {
  /** Takes `cost` (1); 0 when there was as much, else the seconds (≥ 1) after which there will be. */
  take(key: string, cost?: number): number;
  /** Gives one back that was taken in vain. */
  give(key: string): void;
}

/** A token bucket per key: `count` at once, refilled evenly over `per` ms. `count` 0 = no limit. */
export function createRateLimit(rate: { count: number; per: number }, now: () => number = Date.now): RateLimit {
  const buckets = new LRUCache<string, { left: number; at: number }>({ max: KEYS });
  const perMs = rate.count / rate.per;

  function bucket(key: string): { left: number; at: number } {
    const at = now();
    const old = buckets.get(key) ?? { left: rate.count, at };
    const fresh = { left: Math.min(rate.count, old.left + Math.max(0, at - old.at) * perMs), at };
    buckets.set(key, fresh);
    return fresh;
  }
  const wait = (left: number, cost: number) =>
    left >= cost ? 0 : Math.max(1, Math.ceil((cost - left) / perMs / 1000));

  return {
    take(key, cost = 1) {
      if (rate.count === 0) return 0;
      // What costs more than there can ever be waits for a full bucket, not for ever.
      const needed = Math.min(cost, rate.count);
      const b = bucket(key);
      const seconds = wait(b.left, needed);
      if (seconds === 0) b.left -= needed;
      return seconds;
    },
    give(key) {
      const b = bucket(key);
      b.left = Math.min(rate.count, b.left + 1);
    },
  };
}
