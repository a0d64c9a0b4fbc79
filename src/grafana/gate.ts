import { GatewayError } from '../errors.ts';

/** How many may wait for each one that runs: bursts of some twenty parallel tool calls pass, a flood does not. */
const QUEUE_FACTOR = 4;

export interface Gate {
  /** Resolves with the function that leaves again. Rejects with `busy` when the queue is full, with the signal's reason when it aborts. */
  enter(key: string, signal: AbortSignal): Promise<() => void>;
}

interface Lane {
  running: number;
  waiting: (() => void)[];
}

/** Caps what runs at once for one key; 0 = no cap. Lanes vanish when empty. */
export function createGate(limit: number): Gate {
  const lanes = new Map<string, Lane>();

  function leave(key: string, lane: Lane): void {
    const next = lane.waiting.shift();
    // A place is handed over to who waits; the number of places taken stays.
    if (next) next();
    else lane.running -= 1;
    if (lane.running === 0) lanes.delete(key);
  }

  function once(key: string, lane: Lane): () => void {
    let left = false;
    return () => {
      if (!left) leave(key, lane);
      left = true;
    };
  }

  return {
    async enter(key, signal) {
      if (limit === 0) return () => {};
      const lane = lanes.get(key) ?? { running: 0, waiting: [] };
      lanes.set(key, lane);
      if (lane.running < limit) {
        lane.running += 1;
        return once(key, lane);
      }
      if (lane.waiting.length >= limit * QUEUE_FACTOR) {
        throw new GatewayError(
          'busy',
          `${lane.running} calls to this datasource run and ${lane.waiting.length} wait already.`,
        );
      }
      return await new Promise((resolve, reject) => {
        const admit = () => {
          signal.removeEventListener('abort', giveUp);
          resolve(once(key, lane));
        };
        const giveUp = () => {
          lane.waiting = lane.waiting.filter((w) => w !== admit);
          reject(signal.reason);
        };
        if (signal.aborted) return reject(signal.reason);
        lane.waiting.push(admit);
        signal.addEventListener('abort', giveUp, { once: true });
      });
    },
  };
}
