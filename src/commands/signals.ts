// npm passes Ctrl-C on to a process that the terminal has told already: twins within this time are one signal.
const twinMs = 400;

/** Waits for SIGINT or SIGTERM, then for `close`. A second signal ends the process at once with `hurried`. */
export function untilSignal(close: () => Promise<void>, hurried: 0 | 1): Promise<void> {
  return new Promise((resolve, reject) => {
    let first: number | undefined;
    const onSignal = () => {
      const now = performance.now();
      if (first === undefined) {
        first = now;
        close().then(resolve, reject);
      } else if (now - first > twinMs) process.exit(hurried);
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
  });
}
