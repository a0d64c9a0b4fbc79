import { createHash } from 'node:crypto';
import { GatewayError } from '../errors.ts';

/** Cursor of a list: an offset, bound to what was asked. Opaque to callers. */
export function encodePage(offset: number, binding: readonly string[]): string {
  return seal('p', String(offset), binding);
}

/** Throws `bad_cursor` when the cursor was altered or belongs to another question. */
export function decodePage(text: string, binding: readonly string[]): number {
  const offset = unseal('p', text, binding);
  if (!/^\d{1,9}$/.test(offset)) throw badCursor();
  return Number(offset);
}

const VERSION = '1';

/** `kind`, version, hash and body as one base64url word. The hash finds faults and mix-ups; it protects nothing secret. */
export function seal(kind: string, body: string, binding: readonly string[]): string {
  return Buffer.from(`${kind}${VERSION}${digest(kind, body, binding)}${body}`).toString('base64url');
}

export function unseal(kind: string, text: string, binding: readonly string[]): string {
  const bytes = Buffer.from(text, 'base64url');
  // Node skips what is not base64url; only the exact spelling is ours.
  if (text.length > 4096 || bytes.toString('base64url') !== text) throw badCursor();
  const plain = bytes.toString('utf8');
  const body = plain.slice(14);
  const intact = plain.startsWith(kind + VERSION) && plain.slice(2, 14) === digest(kind, body, binding);
  if (!intact) throw badCursor();
  return body;
}

function digest(kind: string, body: string, binding: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([kind, body, ...binding]))
    .digest('base64url')
    .slice(0, 12);
}

function badCursor(): GatewayError {
  return new GatewayError(
    'bad_cursor',
    'The cursor was altered, or belongs to another query, window, direction or datasource.',
  );
}
