// npm passes Ctrl-C on to a process that the terminal has told already: twins within this time are one signal.
const TWINS_MS = 400;

/**
 * Catches SIGINT and SIGTERM from now on; resolves at the first. A second ends the process at once with `hurried`.
 * To be called before anything says that it is ready: a signal may follow at once.
 */
export function firstSignal(hurried: 0 | 1): Promise<void> {
  return new Promise((resolve) => {
    let first: number | undefined;
    const onSignal = () => {
      first ??= performance.now();
      resolve();
      if (performance.now() - first > TWINS_MS) process.exit(hurried);
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
  });
}
