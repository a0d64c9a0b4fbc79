import { GatewayError } from '../errors.ts';
import type { ToolContext } from '../mcp/define.ts';
import { readInstant } from '../time/read.ts';
import type { Window } from '../time/window.ts';

const DAY = 86_400_000_000_000n;

export interface Compared {
  window: Window;
  before?: { start: bigint; end: bigint };
}

/**
 * The window, and the one that it is compared with: as long before, a day or a week before, or, when `compare` is an
 * instant, the time since it against the time before it. Throws `bad_time`.
 */
export async function comparedWith(
  compare: string,
  window: Window,
  startGiven: boolean,
  ctx: ToolContext,
): Promise<Compared> {
  const back = (by: bigint) => ({ window, before: { start: window.start - by, end: window.end - by } });
  switch (compare) {
    case 'none':
      return { window };
    case 'previous':
      return back(window.end - window.start);
    case '1d':
      return back(DAY);
    case '1w':
      return back(7n * DAY);
  }
  const at = await readInstant(compare, ctx.now, { zone: ctx.settings.timezone });
  if (at >= window.end || (startGiven && at <= window.start)) {
    throw new GatewayError('bad_time', 'The instant of "compare" is not inside the window.', {
      remedy: 'Leave start out, or give a window that the instant divides.',
    });
  }
  const before = startGiven ? window.start : at - (window.end - at);
  return { window: { ...window, start: at, defaulted: false }, before: { start: before, end: at } };
}
