/** Why a request has to end before its answer is there. */
export type Ending = 'cancelled' | 'deadline';

export interface Lifetime {
  /** Aborts when the caller goes away or the deadline passes. */
  readonly signal: AbortSignal;
  ended(): Ending | undefined;
  /** ms until the deadline. */
  left(): number;
  /** Resolves after `ms`, or rejects when the lifetime ends before. */
  sleep(ms: number): Promise<void>;
  close(): void;
}

/** Joins a caller's signal and a deadline. Closed by hand, so that nothing stays attached to a long-lived signal. */
export function createLifetime(outer: AbortSignal, deadlineMs: number): Lifetime {
  const abort = new AbortController();
  const until = Date.now() + deadlineMs;
  let ending: Ending | undefined;
  const end = (why: Ending) => {
    ending ??= why;
    abort.abort(new Error(why));
  };
  const onOuter = () => end('cancelled');
  const timer = setTimeout(() => end('deadline'), deadlineMs);
  if (outer.aborted) onOuter();
  else outer.addEventListener('abort', onOuter, { once: true });
  return {
    signal: abort.signal,
    ended: () => ending,
    left: () => until - Date.now(),
    sleep: (ms) =>
      new Promise((resolve, reject) => {
        const stop = () => {
          clearTimeout(wake);
          reject(abort.signal.reason);
        };
        const wake = setTimeout(() => {
          abort.signal.removeEventListener('abort', stop);
          resolve();
        }, ms);
        abort.signal.addEventListener('abort', stop, { once: true });
        if (abort.signal.aborted) stop();
      }),
    close: () => {
      clearTimeout(timer);
      outer.removeEventListener('abort', onOuter);
    },
  };
}
