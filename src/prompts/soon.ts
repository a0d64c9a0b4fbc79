import { GatewayError } from '../errors.ts';

/** Longest that a prompt or a completion waits for what it can do without, ms. */
const PATIENCE = 3_000;

/**
 * The value, or undefined when a hop fails or has not answered in time: what is only a convenience must neither fail nor
 * hang. Faults of the protocol and of the gateway itself pass through, and so does the end of the call.
 */
export async function soonOrNothing<T>(work: Promise<T>, ms = PATIENCE): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  const done = work.catch((error: unknown) => {
    if (error instanceof GatewayError && error.code !== 'cancelled') return undefined;
    throw error;
  });
  // After the time is up nobody looks at it any more.
  done.catch(() => {});
  try {
    return await Promise.race([done, late]);
  } finally {
    clearTimeout(timer);
  }
}
