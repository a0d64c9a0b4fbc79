import { addCounts, type Counts, type MaskMode, maskText, type Originals } from './mask.ts';
import { type MaskAgain, maskAgain } from './mask-again.ts';

/**
 * Every string of a JSON value masked, also by the name of its key, and the keys themselves (a parser may have made a
 * connection string the name of a field); what was masked in one place is masked in all. Numbers and order stay.
 */
export function maskJson<T>(value: T, mode: MaskMode): { value: T; masked: number; counts: Counts } {
  const counts: Counts = new Map();
  const originals: Originals = new Map();
  const once =
    mode === 'off' ? value : walk(value, undefined, (text, key) => maskString(text, mode, counts, originals, key));
  const again: MaskAgain | undefined = maskAgain(originals);
  const out = (again === undefined ? once : walk(once, undefined, (text) => again(text, { counts }))) as T;
  let masked = 0;
  for (const n of counts.values()) masked += n;
  return { value: out, masked, counts };
}

/** Names of fields are short, and masking them all would cost more than the values do. */
const SHORTEST_SECRET = 16;

function walk(value: unknown, key: string | undefined, change: (text: string, key?: string) => string): unknown {
  if (typeof value === 'string') return change(value, key);
  if (Array.isArray(value)) return value.map((item) => walk(item, key, change));
  if (typeof value !== 'object' || value === null) return value;
  const out = new Map<string, unknown>();
  for (const [name, item] of Object.entries(value)) {
    let key = name.length < SHORTEST_SECRET ? name : change(name);
    // Two names that are masked alike keep both values.
    for (let n = 2; out.has(key); n++) key = `${change(name)} ${n}`;
    out.set(key, walk(item, name, change));
  }
  return Object.fromEntries(out);
}

/** `{"password": "x"}` is a secret by its key: it is judged as the text `"password":"x"` would be. */
function maskString(
  value: string,
  mode: MaskMode,
  counts: Counts,
  originals: Originals,
  key: string | undefined,
): string {
  if (key !== undefined && /^[\w.-]{1,64}$/.test(key)) {
    const before = `"${key}":`;
    const named = maskText(before + JSON.stringify(value), mode);
    const mark = /^"[\w.-]+":"(\[masked:[\w-]+\])"$/.exec(named.text)?.[1];
    if (mark !== undefined && mark !== value) {
      addCounts(counts, named.counts);
      originals.set(value, mark.slice(8, -1));
      return mark;
    }
  }
  const masked = maskText(value, mode, originals);
  addCounts(counts, masked.counts);
  return masked.text;
}
