import { z } from 'zod';

// Readers of setting values: text (flag, environment) or a plain YAML value in, the unit of the schema out.
// `kind` and `expects` are for the reference and for the words of a refusal.

/** A whole number of at least `min`. */
export const atLeast = (min: number) =>
  z.coerce
    .number()
    .int()
    .min(min)
    .meta({ kind: 'number', expects: `a whole number of at least ${min}` });

export const port = z.coerce
  .number()
  .int()
  .min(0)
  .max(65_535)
  .meta({ kind: 'port', expects: 'a port from 0 to 65535' });

const words: Record<string, boolean> = { true: true, 1: true, yes: true, false: false, 0: false, no: false };
export const flag = z
  .union([z.boolean(), z.string().toLowerCase()])
  .transform((value, ctx) => {
    const on = typeof value === 'boolean' ? value : words[value];
    if (on !== undefined) return on;
    ctx.addIssue({ code: 'custom', message: 'is neither true nor false' });
    return z.NEVER;
  })
  .meta({ kind: 'flag', expects: 'true or false' });

/** Comma-separated text or a YAML list. */
export const list = z
  .union([
    z.array(z.string()),
    z.string().transform((s) =>
      s
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    ),
  ])
  .meta({ kind: 'list', expects: 'a list, separated by commas' });

const unitMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** `45s`, `4h`, `500ms`; a bare number is seconds. Gives ms. */
export const duration = z
  .union([z.number().transform((s) => s * 1000), z.string()])
  .transform((value, ctx) => {
    if (typeof value === 'number' && value >= 0) return value;
    const m = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(String(value).trim());
    if (m) return Number(m[1]) * (unitMs[m[2] ?? 's'] ?? 1000);
    ctx.addIssue({ code: 'custom', message: 'is not a duration' });
    return z.NEVER;
  })
  .meta({ kind: 'duration', expects: 'a duration such as 45s, 10m or 4h' });

const unitBytes: Record<string, number> = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3, tb: 1024 ** 4 };
/** `32MB`, `5GB`, or a number of bytes. */
export const bytes = z
  .union([z.number().min(0), z.string()])
  .transform((value, ctx) => {
    if (typeof value === 'number') return value;
    const m = /^(\d+(?:\.\d+)?)\s*([kmgt]?b)?$/i.exec(value.trim());
    if (m) return Math.round(Number(m[1]) * (unitBytes[(m[2] ?? 'b').toLowerCase()] ?? 1));
    ctx.addIssue({ code: 'custom', message: 'is not a size' });
    return z.NEVER;
  })
  .meta({ kind: 'size', expects: 'a size such as 32MB or 5GB' });

/** `120/min`, `10/s`; `0` = off. `per` in ms. */
export const rate = z
  .union([z.object({ count: z.number(), per: z.number() }), z.string(), z.number()])
  .transform((value, ctx) => {
    if (typeof value === 'object') return value;
    const m = /^(\d+)(?:\/(s|min|m|h))?$/.exec(String(value).trim());
    if (m) return { count: Number(m[1]), per: m[2] === 's' ? 1000 : m[2] === 'h' ? 3_600_000 : 60_000 };
    ctx.addIssue({ code: 'custom', message: 'is not a rate' });
    return z.NEVER;
  })
  .meta({ kind: 'rate', expects: 'a rate such as 120/min, or 0 for none' });

/** A setting's value as one would write it: the inverse of the readers above. */
export function showValue(value: unknown, kind: string): string {
  if (kind === 'duration' && typeof value === 'number') {
    const unit = ['d', 'h', 'm', 's'].find((u) => value > 0 && value % (unitMs[u] ?? 1) === 0);
    return unit ? `${value / (unitMs[unit] ?? 1)}${unit}` : value === 0 ? '0s' : `${value}ms`;
  }
  if (kind === 'size' && typeof value === 'number') {
    const unit = ['TB', 'GB', 'MB', 'KB'].find((u) => value > 0 && value % (unitBytes[u.toLowerCase()] ?? 1) === 0);
    return unit ? `${value / (unitBytes[unit.toLowerCase()] ?? 1)}${unit}` : `${value}B`;
  }
  if (kind === 'rate' && typeof value === 'object' && value !== null && 'count' in value && 'per' in value) {
    const per = value.per === 1000 ? 's' : value.per === 3_600_000 ? 'h' : 'min';
    return value.count === 0 ? '0' : `${value.count}/${per}`;
  }
  return Array.isArray(value) ? value.join(', ') : String(value);
}
