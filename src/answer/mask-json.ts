import { addCounts, type Counts, type MaskMode, maskText } from './mask.ts';

/** Every string of a JSON value masked, also by the name of its key; numbers, keys and order stay. */
export function maskJson<T>(value: T, mode: MaskMode): { value: T; masked: number; counts: Counts } {
  const counts: Counts = new Map();
  const out = mode === 'off' ? value : (walk(value, mode, counts, undefined) as T);
  let masked = 0;
  for (const n of counts.values()) masked += n;
  return { value: out, masked, counts };
}

function walk(value: unknown, mode: MaskMode, counts: Counts, key: string | undefined): unknown {
  if (typeof value === 'string') return maskString(value, mode, counts, key);
  if (Array.isArray(value)) return value.map((item) => walk(item, mode, counts, key));
  if (typeof value !== 'object' || value === null) return value;
  const out: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value)) out[name] = walk(item, mode, counts, name);
  return out;
}

/** `{"password": "x"}` is a secret by its key: it is judged as the text `"password":"x"` would be. */
function maskString(value: string, mode: MaskMode, counts: Counts, key: string | undefined): string {
  if (key !== undefined && /^[\w.-]{1,64}$/.test(key)) {
    const before = `"${key}":`;
    const named = maskText(before + JSON.stringify(value), mode);
    const mark = /^"[\w.-]+":"(\[masked:[\w-]+\])"$/.exec(named.text)?.[1];
    if (mark !== undefined && mark !== value) {
      addCounts(counts, named.counts);
      return mark;
    }
  }
  const masked = maskText(value, mode);
  addCounts(counts, masked.counts);
  return masked.text;
}
