import { createHash } from 'node:crypto';
import { seal, unseal } from '../answer/page.ts';
import { GatewayError } from '../errors.ts';
import { labelKey, type MergedEntry } from './merge.ts';

/** Where a page of logs ended. */
export interface LogCursor {
  /** ns of the last shown line */
  ts: bigint;
  /** How many lines at that ns were shown, on this page and those before. */
  skip: number;
  /** Short hashes of those lines when they are few: exact even where the server cut among equal times otherwise than we sort. */
  seen?: string[];
}

const MAX_SEEN = 40;
const HASH = 6;

/** Opaque, bound to `binding` (query, window, direction, datasource …). */
export function encodeLogCursor(c: LogCursor, binding: readonly string[]): string {
  return seal('l', `${c.ts}.${c.skip}.${(c.seen ?? []).join('')}`, binding);
}

/** Throws `bad_cursor` when it was altered or belongs to another question. */
export function decodeLogCursor(text: string, binding: readonly string[]): LogCursor {
  const match = /^(\d{1,19})\.(\d{1,9})\.([\w-]*)$/.exec(unseal('l', text, binding));
  if (!match) throw new GatewayError('bad_cursor', 'The cursor is not one of query_loki_logs.');
  const seen = (match[3] ?? '').match(/.{6}/g) ?? [];
  return { ts: BigInt(match[1] ?? 0), skip: Number(match[2]), ...(seen.length > 0 ? { seen } : {}) };
}

/** The cursor after the first `shown` entries of a page (in merged order); `before` is the cursor that the page began with. */
export function cursorAfter(entries: readonly MergedEntry[], shown: number, before?: LogCursor): LogCursor | undefined {
  const last = entries[shown - 1];
  if (last === undefined) return before;
  let first = shown;
  while (first > 0 && entries[first - 1]?.ts === last.ts) first--;
  const same = first === 0 && before?.ts === last.ts ? before : undefined;
  const skip = shown - first + (same?.skip ?? 0);
  const known = same === undefined || same.seen !== undefined;
  const seen = known ? [...(same?.seen ?? []), ...entries.slice(first, shown).map(hashOf)] : [];
  return seen.length > 0 && seen.length <= MAX_SEEN ? { ts: last.ts, skip, seen } : { ts: last.ts, skip };
}

/** A page without what earlier pages showed. The page must begin at the cursor's ns, inclusive. */
export function skipSeen(entries: readonly MergedEntry[], cursor: LogCursor): MergedEntry[] {
  if (cursor.seen === undefined) {
    let left = cursor.skip;
    return entries.filter((entry) => entry.ts !== cursor.ts || left-- <= 0);
  }
  const left = new Map<string, number>();
  for (const hash of cursor.seen) left.set(hash, (left.get(hash) ?? 0) + 1);
  return entries.filter((entry) => {
    if (entry.ts !== cursor.ts) return true;
    const hash = hashOf(entry);
    const n = left.get(hash) ?? 0;
    if (n > 0) left.set(hash, n - 1);
    return n === 0;
  });
}

/** The upstream bounds (start inclusive, end exclusive) and the extra lines to ask for, so that nothing is lost after a cursor. */
export function afterCursor(
  w: { start: bigint; end: bigint },
  cursor: LogCursor,
  direction: 'forward' | 'backward',
): { start: bigint; end: bigint; extra: number } {
  return direction === 'forward'
    ? { start: cursor.ts, end: w.end, extra: cursor.skip }
    : { start: w.start, end: cursor.ts + 1n, extra: cursor.skip };
}

function hashOf(entry: MergedEntry): string {
  // All labels together: whether the server split them by kind must not matter.
  const labels = labelKey({ ...entry.stream, ...entry.metadata, ...entry.parsed });
  return createHash('sha256').update(`${labels}\n${entry.line}`).digest('base64url').slice(0, HASH);
}
