import { z } from 'zod';
import { type Settings, settingsSchema } from './schema.ts';

export type SettingKey = keyof Settings;

/** One setting as flags, environment, YAML, help and reference see it. */
export interface SettingRow {
  /** The key in YAML and in `Settings`. */
  key: SettingKey;
  /** `--public-url`; absent for what only the environment may hold. */
  flag?: string;
  /** Names in the environment, the one that wins first. */
  env: readonly string[];
  kind: string;
  choices?: readonly string[];
  /** Ends the sentence "must be …". */
  expects: string;
  /** In the unit of the schema; undefined = unset. */
  default: unknown;
  description: string;
  secret: boolean;
  /** Names a file that must be readable at the start. */
  path: boolean;
  /** Made from other settings; cannot be given. */
  derived: boolean;
}

const rowMeta = z.object({
  description: z.string(),
  env: z.array(z.string()).optional(),
  envOnly: z.boolean().default(false),
  secret: z.boolean().default(false),
  path: z.boolean().default(false),
  derived: z.boolean().default(false),
});
const kindMeta = z.object({ kind: z.string(), expects: z.string() });

export const SETTINGS: readonly SettingRow[] = Object.entries(settingsSchema.shape).map(([name, schema]) => {
  const meta = rowMeta.parse(schema.meta());
  const { inner, fallback } = unwrap(schema);
  const kebab = name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`);
  return {
    key: settingsSchema.keyof().parse(name),
    ...(meta.envOnly || meta.derived ? {} : { flag: `--${kebab}` }),
    env: meta.derived ? [] : (meta.env ?? [`GATEWAY_${kebab.toUpperCase().replaceAll('-', '_')}`]),
    ...describeValue(inner),
    default: fallback,
    description: meta.description,
    secret: meta.secret,
    path: meta.path,
    derived: meta.derived,
  };
});

export const settingRow = (key: string): SettingRow | undefined => SETTINGS.find((row) => row.key === key);

/** The name a person would use for a setting in a sentence. */
export const settingName = (key: SettingKey): string => {
  const row = settingRow(key);
  return row?.flag ?? row?.env[0] ?? key;
};

function unwrap(schema: z.core.$ZodType): { inner: z.core.$ZodType; fallback: unknown } {
  if (schema instanceof z.ZodDefault) return { inner: schema.def.innerType, fallback: schema.def.defaultValue };
  if (schema instanceof z.ZodOptional) return { inner: schema.def.innerType, fallback: undefined };
  return { inner: schema, fallback: undefined };
}

function describeValue(inner: z.core.$ZodType): Pick<SettingRow, 'kind' | 'choices' | 'expects'> {
  const known = kindMeta.safeParse(z.globalRegistry.get(inner));
  if (known.success) return known.data;
  if (inner instanceof z.ZodEnum) {
    const choices = inner.options.map(String);
    return { kind: 'choice', choices, expects: `one of ${choices.join(', ')}` };
  }
  // list.pipe(z.array(z.enum(…)))
  if (inner instanceof z.ZodPipe && inner.def.out instanceof z.ZodArray && inner.def.out.element instanceof z.ZodEnum) {
    const choices = inner.def.out.element.options.map(String);
    return { kind: 'list', choices, expects: `a list of ${choices.join(', ')}` };
  }
  return { kind: 'text', expects: 'a text' };
}
