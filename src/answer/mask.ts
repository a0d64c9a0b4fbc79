import { maskKeyValues } from './mask-keys.ts';
import { maskCards, maskEmails } from './mask-pii.ts';
import { maskPrivateKeys, maskShapes } from './mask-shapes.ts';
import { maskUrlCredentials } from './mask-urls.ts';

export type MaskMode = 'secrets' | 'secrets+pii' | 'off';
export type Counts = Map<string, number>;

/**
 * Secrets replaced by `[masked:<kind>]`, and how many of each kind. Linear in the length of the text on any input.
 * Masking twice changes nothing more.
 */
export function maskText(text: string, mode: MaskMode): { text: string; counts: Counts } {
  const counts: Counts = new Map();
  if (mode === 'off' || text === '') return { text, counts };
  // Shapes first: what has a name of its own (a JWT behind "token=") is counted under that name.
  let out = maskPrivateKeys(text, counts);
  out = maskShapes(out, counts);
  out = maskUrlCredentials(out, counts);
  if (mode === 'secrets+pii') out = maskCards(maskEmails(out, counts), counts);
  out = maskKeyValues(out, counts);
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
