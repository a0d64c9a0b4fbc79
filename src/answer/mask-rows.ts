import type { Counts, MaskMode } from './mask.ts';
import { mark } from './mask-mark.ts';

const EDGE = /\[masked:private-key\]|-----END [A-Z0-9 ]{0,40}PRIVATE KEY/;
/** A word of base64 alone at the end of the row: long, or padded. Not the value of a name (`trace_id=…`). */
const BODY = /(?<=^|\s)(?:[A-Za-z0-9+/]{40,}={0,2}|[A-Za-z0-9+/]{4,}={1,2})\s*$/;

/** A private key logged line by line, one entry each, in either order: the rows next to its first or last line. */
export function maskKeyRows<T extends { text: string; counts: Counts }>(rows: T[], mode: MaskMode): T[] {
  if (mode === 'off' || !rows.some((row) => EDGE.test(row.text))) return rows;
  const out = [...rows];
  for (const [at, row] of rows.entries()) {
    if (!EDGE.test(row.text)) continue;
    for (const step of [1, -1]) {
      for (let i = at + step; i >= 0 && i < rows.length; i += step) {
        const near = rows[i];
        if (near === undefined || !BODY.test(near.text)) break;
        const counts = new Map(near.counts);
        const text = near.text.replace(BODY, () => mark('private-key', { counts }, ''));
        out[i] = { ...near, text, counts };
      }
    }
  }
  return out;
}
