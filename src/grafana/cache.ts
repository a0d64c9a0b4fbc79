import { LRUCache } from 'lru-cache';
import { GatewayError } from '../errors.ts';
import type { CacheKind } from './upstream.ts';

/** `entries`: how many values; `weight`: how many strings or records in all of them together. */
const KINDS: Record<CacheKind, { ttlMs: number; entries: number; weight: number }> = {
  datasources: { ttlMs: 60_000, entries: 500, weight: 100_000 },
  settings: { ttlMs: 300_000, entries: 500, weight: 100_000 },
  labels: { ttlMs: 60_000, entries: 2_000, weight: 500_000 },
  stats: { ttlMs: 60_000, entries: 2_000, weight: 20_000 },
  health: { ttlMs: 30_000, entries: 2_000, weight: 10_000 },
  metadata: { ttlMs: 300_000, entries: 100, weight: 200_000 },
};

interface Kept {
  value: unknown;
  at: number;
}

interface Flight {
  promise: Promise<unknown>;
  waiters: number;
  abort: AbortController;
}

export interface Cache {
  /** `load` gets a signal that aborts when nobody waits for it any more. Failures are not kept. */
  get<T>(
    kind: CacheKind,
    key: string,
    signal: AbortSignal,
    load: (signal: AbortSignal) => Promise<T>,
  ): Promise<{ value: T; ageMs: number }>;
  /** Joins a running load of the same key, or starts one; nothing is kept. For queries, whose answers are large. */
  join<T>(key: string, signal: AbortSignal, load: (signal: AbortSignal) => Promise<T>): Promise<T>;
  stats(): { hits: number; misses: number; entries: number };
  clear(): void;
}

/** `now` in ms; the caller puts everything that is identity into the key. */
export function createCache(now: () => number = Date.now): Cache {
  const stores = new Map(
    Object.entries(KINDS).map(([kind, k]) => [
      kind,
      new LRUCache<string, Kept>({ max: k.entries, maxSize: k.weight, sizeCalculation: weigh }),
    ]),
  );
  const flights = new Map<string, Flight>();
  let hits = 0;
  let misses = 0;

  function start(id: string, load: (signal: AbortSignal) => Promise<unknown>): Flight {
    const abort = new AbortController();
    const promise = load(abort.signal).finally(() => {
      if (flights.get(id) === flight) flights.delete(id);
    });
    // Every waiter may have left before it fails; then nobody else handles the rejection.
    promise.catch(() => {});
    const flight: Flight = { promise, waiters: 0, abort };
    flights.set(id, flight);
    return flight;
  }

  /** Waits for the flight of this id; the last one to leave ends it. */
  async function board(id: string, signal: AbortSignal, load: (signal: AbortSignal) => Promise<unknown>) {
    const flight = flights.get(id) ?? start(id, load);
    const leave = () => {
      flight.waiters -= 1;
      if (flight.waiters > 0) return;
      // A flight that is being torn down must not be joined by a newcomer.
      if (flights.get(id) === flight) flights.delete(id);
      flight.abort.abort(new GatewayError('cancelled', 'The client cancelled the call.'));
    };
    return await waitFor(flight, signal, leave);
  }

  return {
    // The value was stored under the same kind and key by the same loader, so it is the T that the loader gives.
    async get<T>(kind: CacheKind, key: string, signal: AbortSignal, load: (signal: AbortSignal) => Promise<T>) {
      const kept = stores.get(kind)?.get(key);
      if (kept && now() - kept.at < KINDS[kind].ttlMs) {
        hits += 1;
        return { value: kept.value as T, ageMs: Math.max(0, now() - kept.at) };
      }
      const id = `${kind} ${key}`;
      if (flights.has(id)) hits += 1;
      else misses += 1;
      const value = await board(id, signal, async (shared) => {
        const loaded = await load(shared);
        if (!shared.aborted) stores.get(kind)?.set(key, { value: loaded, at: now() });
        return loaded;
      });
      return { value: value as T, ageMs: 0 };
    },
    // As above: one key, one loader, one T.
    join: async <T>(key: string, signal: AbortSignal, load: (signal: AbortSignal) => Promise<T>) =>
      (await board(`join ${key}`, signal, load)) as T,
    stats: () => ({ hits, misses, entries: [...stores.values()].reduce((sum, store) => sum + store.size, 0) }),
    clear: () => {
      for (const store of stores.values()) store.clear();
    },
  };
}

function waitFor(flight: Flight, signal: AbortSignal, leave: () => void): Promise<unknown> {
  flight.waiters += 1;
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      leave();
      reject(new GatewayError('cancelled', 'The client cancelled the call.'));
    };
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    flight.promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** Rough: members of an array, a map or the arrays of a record; at least 1. */
function weigh({ value }: Kept): number {
  if (Array.isArray(value)) return value.length + 1;
  if (value instanceof Map) return value.size + 1;
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, v) => sum + (Array.isArray(v) ? v.length : 1), 1);
}
