import { maskKeyValues } from './mask-keys.ts';
import { maskCards, maskEmails } from './mask-pii.ts';
import { maskPrivateKeys, maskShapes } from './mask-shapes.ts';
import { maskUrlCredentials } from './mask-urls.ts';

export type MaskMode = 'secrets' | 'secrets+pii' | 'off';
export type Counts = Map<string, number>;
/** Values that were masked, with their kind. */
export type Originals = Map<string, string>;

/**
 * Secrets replaced by `[masked:<kind>]`, and how many of each kind. Linear in the length of the text on any input.
 * Masking twice changes nothing more in what people and programs write (salads of separators it may mask further).
 * The values it replaced are added to `originals`, each with its kind.
 */
export function maskText(text: string, mode: MaskMode, originals?: Originals): { text: string; counts: Counts } {
  const counts: Counts = new Map();
  if (mode === 'off' || text === '') return { text, counts };
  // Shapes first: what has a name of its own (a JWT behind "token=") is counted under that name.
  const marks = { counts, originals };
  let out = maskPrivateKeys(text, marks);
  out = maskShapes(out, marks);
  out = maskUrlCredentials(out, marks);
  if (mode === 'secrets+pii') out = maskCards(maskEmails(out, marks), marks);
  out = maskKeyValues(out, marks);
  return { text: out, counts };
}

/** `masked: 2 jwt, 1 password`, or nothing when nothing was. */
export function maskedLine(counts: Counts): string | undefined {
  if (counts.size === 0) return undefined;
  const kinds = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return `masked: ${kinds.map(([kind, n]) => `${n} ${kind}`).join(', ')}`;
}

export function addCounts(to: Counts, from: Counts): void {
  for (const [kind, n] of from) to.set(kind, (to.get(kind) ?? 0) + n);
}
