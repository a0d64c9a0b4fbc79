import { z } from 'zod';

// Readers of setting values: text (flag, environment) or a plain YAML value in, the unit of the schema out.

export const count = z.coerce.number().int().min(0);

export const flag = z.union([
  z.boolean(),
  z.enum(['true', 'false', '1', '0', 'yes', 'no']).transform((s) => s === 'true' || s === '1' || s === 'yes'),
]);

/** Comma-separated text or a YAML list. */
export const list = z.union([
  z.array(z.string()),
  z.string().transform((s) =>
    s
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  ),
]);

const unitMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** `45s`, `4h`, `500ms`; a bare number is seconds. Gives ms. */
export const duration = z.union([z.number().transform((s) => s * 1000), z.string()]).transform((value, ctx) => {
  if (typeof value === 'number') return value;
  const m = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(value.trim());
  if (m) return Number(m[1]) * (unitMs[m[2] ?? 's'] ?? 1000);
  ctx.addIssue({ code: 'custom', message: 'is not a duration such as 45s, 10m or 4h' });
  return z.NEVER;
});

const unitBytes: Record<string, number> = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3, tb: 1024 ** 4 };
/** `32MB`, `5GB`, or a number of bytes. */
export const bytes = z.union([z.number(), z.string()]).transform((value, ctx) => {
  if (typeof value === 'number') return value;
  const m = /^(\d+(?:\.\d+)?)\s*([kmgt]?b)?$/i.exec(value.trim());
  if (m) return Math.round(Number(m[1]) * (unitBytes[(m[2] ?? 'b').toLowerCase()] ?? 1));
  ctx.addIssue({ code: 'custom', message: 'is not a size such as 32MB or 5GB' });
  return z.NEVER;
});

/** `120/min`, `10/s`; `0` = off. */
export const rate = z
  .union([z.object({ count: z.number(), per: z.number() }), z.string(), z.number()])
  .transform((value, ctx) => {
    if (typeof value === 'object') return value;
    const m = /^(\d+)(?:\/(s|min|m|h))?$/.exec(String(value).trim());
    if (m) return { count: Number(m[1]), per: m[2] === 's' ? 1000 : m[2] === 'h' ? 3_600_000 : 60_000 };
    ctx.addIssue({ code: 'custom', message: 'is not a rate such as 120/min' });
    return z.NEVER;
  });
