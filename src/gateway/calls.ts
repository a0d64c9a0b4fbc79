import type { Observe } from '../mcp/legacy.ts';

export interface Calls {
  /** Tells of every call's begin and end; `onEnd` hears its end as well. */
  observe(onEnd?: () => void): Observe;
  running(): number;
  /** Resolves when no call runs any more, or after `ms`. */
  idle(ms: number): Promise<void>;
}

export interface Ended {
  method: string;
  /** Absent unless it is a tool of the catalogue. */
  tool?: string;
  outcome: 'ok' | 'error' | 'fault';
  seconds: number;
  /** A fault that nobody foresaw. */
  error?: unknown;
}

/** The calls that run now: for the drain and the metrics. */
export function createCalls(onEnded: (ended: Ended) => void): Calls {
  const waiting = new Set<() => void>();
  let running = 0;

  return {
    observe: (onEnd) => (method, tool) => {
      const began = performance.now();
      running += 1;
      return (outcome, error) => {
        running -= 1;
        onEnd?.();
        onEnded({
          method,
          // A fault may be an unknown tool: what clients invent must not become a label.
          ...(tool === undefined || outcome === 'fault' ? {} : { tool }),
          outcome,
          seconds: (performance.now() - began) / 1000,
          ...(error === undefined ? {} : { error }),
        });
        if (running === 0) for (const wake of waiting) wake();
      };
    },
    running: () => running,
    async idle(ms) {
      if (running > 0) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(done, ms);
          function done(): void {
            clearTimeout(timer);
            waiting.delete(done);
            resolve();
          }
          waiting.add(done);
        });
      }
      // The answer of the last call is written after its end.
      await new Promise<void>((resolve) => setImmediate(resolve));
    },
  };
}
