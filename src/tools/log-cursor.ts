import { createHash } from 'node:crypto';
import { GatewayError } from '../errors.ts';
import { decodeLogCursor, encodeLogCursor, type LogCursor } from '../logs/cursor.ts';
import { resolveWindow } from '../time/read.ts';
import type { Window } from '../time/window.ts';

/** What a page of logs belongs to; start and end as the caller wrote them. */
export interface LogQuestion {
  uid: string;
  logql: string;
  direction: 'forward' | 'backward';
  start?: string | undefined;
  end?: string | undefined;
}

export interface LogPage {
  window: Window;
  /** Absent on the first page. */
  cursor?: LogCursor;
}

/**
 * The window of a page. "The last hour" moves while somebody reads: the pages after the first keep the window of the
 * first, which travels in the cursor. Throws bad_cursor and bad_time.
 */
export async function readLogPage(
  q: LogQuestion,
  cursor: string | undefined,
  now: number,
  zone: string,
): Promise<LogPage> {
  if (cursor === undefined) return { window: await resolveWindow(q, now, { zone }) };
  const [start = '', end = '', given = '', sealed = ''] = cursor.split('.');
  const window = { start: readNumber(start), end: readNumber(end), defaulted: given === '-', now };
  const decoded = decodeLogCursor(sealed, binding(q, window, given));
  // Left out beside a cursor, start and end are understood; given, they must be those of the first page.
  if ((q.start !== undefined || q.end !== undefined) && given !== mark(q)) throw otherWindow();
  return { window, cursor: decoded };
}

export function writeLogCursor(q: LogQuestion, page: LogPage, next: LogCursor): string {
  const { start, end, defaulted } = page.window;
  const given = defaulted ? '-' : mark(q);
  return [start.toString(36), end.toString(36), given, encodeLogCursor(next, binding(q, page.window, given))].join('.');
}

function binding(q: LogQuestion, w: { start: bigint; end: bigint }, given: string): string[] {
  return [q.uid, q.logql, q.direction, String(w.start), String(w.end), given];
}

/** A few characters that tell whether start and end are the same words as before. */
function mark(q: LogQuestion): string {
  const text = JSON.stringify([q.start ?? '', q.end ?? '']);
  return createHash('sha256').update(text).digest('base64url').slice(0, 6);
}

function readNumber(text: string): bigint {
  if (!/^[0-9a-z]{1,13}$/.test(text)) throw otherWindow();
  let n = 0n;
  for (const digit of text) n = n * 36n + BigInt(Number.parseInt(digit, 36));
  return n;
}

function otherWindow(): GatewayError {
  return new GatewayError(
    'bad_cursor',
    'The cursor was altered, or belongs to another query, window, direction or datasource.',
  );
}
