import { GatewayError } from '../errors.ts';
import type { Observe, Running } from '../mcp/legacy.ts';

export interface Calls {
  /** Tells of every call's begin and end; `onEnd` hears its end as well. */
  observe(onEnd?: () => void): Observe;
  running(): number;
  /** Resolves when no call runs any more. Those that still do after `ms` are told so, as the answer of their clients. */
  drain(ms: number): Promise<void>;
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

/** How long the answers of the calls that were cut may take, ms. */
const LAST_WORDS = 1000;

/** The calls that run now: for the drain and the metrics. */
export function createCalls(onEnded: (ended: Ended) => void): Calls {
  const waiting = new Set<() => void>();
  const cuts = new Set<(why: GatewayError) => void>();
  let running = 0;

  async function idle(ms: number): Promise<void> {
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
  }

  return {
    observe: (onEnd) => (method, tool) => {
      const began = performance.now();
      running += 1;
      let cut: (why: GatewayError) => void = () => {};
      const stopped = new Promise<never>((_, reject) => {
        cut = reject;
      });
      cuts.add(cut);
      const ended: Running['ended'] = (outcome, error) => {
        running -= 1;
        cuts.delete(cut);
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
      return { stopped, ended };
    },
    running: () => running,
    async drain(ms) {
      await idle(ms);
      for (const cut of cuts) cut(new GatewayError('shutting_down', 'The gateway is shutting down.'));
      await idle(LAST_WORDS);
    },
  };
}
