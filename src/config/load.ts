import { didYouMean } from '../nearest.ts';
import { checkSettings } from './check.ts';
import { CONFIG_ENV, readEnvironment } from './environment.ts';
import { ConfigError } from './error.ts';
import { readConfigFile } from './file.ts';
import { type Flags, type Given, parseFlags } from './flags.ts';
import { type Settings, settingsSchema } from './schema.ts';
import { type SettingKey, settingRow } from './table.ts';
import { clean } from './text.ts';
import { readUrl } from './url.ts';

export interface Loaded {
  settings: Settings;
  /** Where each setting that is not a default comes from, e.g. `--port` or `GATEWAY_PORT`. */
  sources: Map<SettingKey, Given>;
  /** What was repaired or has no effect: one sentence each. */
  warnings: string[];
}

/** Settings from flags, environment, file and defaults, in this order. Throws ConfigError with one plain sentence. */
export function loadSettings(argv: string[], env: NodeJS.ProcessEnv): Settings {
  const flags = parseFlags(argv);
  const [stray] = flags.positionals;
  if (stray !== undefined) throw new ConfigError(`Unexpected argument "${stray}".`);
  return readSettings(flags, env).settings;
}

export interface Overrides {
  /** Weaker than everything but the defaults. */
  presets?: Partial<Record<SettingKey, unknown>>;
  /** Stronger than everything; undefined takes a setting away. */
  fixed?: Partial<Record<SettingKey, unknown>>;
}

export function readSettings(flags: Flags, env: NodeJS.ProcessEnv, overrides: Overrides = {}): Loaded {
  const warnings: string[] = [];
  const file = configPath(flags, env);
  const given = new Map<SettingKey, Given>();
  // The weakest first, so that the stronger replace them.
  const layers = [
    preset(overrides.presets),
    file ? readConfigFile(file.path, file.where, warnings) : [],
    readEnvironment(env, warnings),
    flags.given.flatMap((g) => cleanFlag(g, warnings)),
    preset(overrides.fixed),
  ];
  for (const layer of layers) for (const g of layer) given.set(g.key, g);
  for (const [key, g] of given) if (g.value === undefined) given.delete(key);

  const raw = new Map<SettingKey, unknown>([...given].map(([key, g]) => [key, g.value]));
  for (const [key, value] of repairUrls(given)) raw.set(key, value);
  const parsed = settingsSchema.safeParse(Object.fromEntries(raw));
  if (!parsed.success) throw wrongValue(parsed.error.issues[0]?.path ?? [], given);
  warnings.push(...checkSettings(parsed.data, (key) => given.get(key)?.where));
  return { settings: parsed.data, sources: given, warnings };
}

function configPath(flags: Flags, env: NodeJS.ProcessEnv): { path: string; where: string } | undefined {
  const flag = flags.own.get('config')?.at(-1);
  if (flag) return { path: flag, where: '--config' };
  const { text } = clean(env[CONFIG_ENV] ?? '');
  return text === '' ? undefined : { path: text, where: CONFIG_ENV };
}

const preset = (values: Overrides['presets'] = {}): Given[] =>
  Object.entries(values).flatMap(([name, value]) => {
    const row = settingRow(name);
    return row ? [{ key: row.key, value, where: 'demo', source: 'demo' }] : [];
  });

function cleanFlag(given: Given, warnings: string[]): Given[] {
  const { text, trimmed } = clean(String(given.value));
  if (trimmed) warnings.push(`${given.where} had quotes or spaces around its value; they were removed.`);
  return text === '' ? [] : [{ ...given, value: text }];
}

function repairUrls(given: Map<SettingKey, Given>): Map<SettingKey, string> {
  const repaired = new Map<SettingKey, string>();
  for (const key of ['grafanaUrl', 'grafanaPublicUrl', 'publicUrl'] as const) {
    const g = given.get(key);
    if (g === undefined) continue;
    const { url, authorization } = readUrl(String(g.value), g.where);
    repaired.set(key, url);
    if (authorization === undefined) continue;
    if (key !== 'grafanaUrl') throw new ConfigError(`${g.where} must not hold a user and password.`);
    repaired.set('grafanaAuthorization', authorization);
  }
  const keySet = given.get('jwtJwksUrl');
  if (keySet && !/^https?:\/\/[^@]+$/i.test(String(keySet.value))) {
    throw new ConfigError(`${keySet.where} needs http:// or https:// at its beginning, and no user or password.`);
  }
  const base = given.get('basePath');
  if (base) repaired.set('basePath', readBasePath(String(base.value), base.where));
  return repaired;
}

/** `grafana-mcp/` → `/grafana-mcp`; `/` → none. */
function readBasePath(text: string, where: string): string {
  const path = text.replace(/^\/+|\/+$/g, '');
  if (/[?#%\s\\]|:\/\/|(^|\/)\.\.?(\/|$)/.test(path)) {
    throw new ConfigError(`${where} must be a path such as /grafana-mcp, without escapes, "?", "#" and "..".`);
  }
  return path === '' ? '' : `/${path}`;
}

function wrongValue(path: readonly PropertyKey[], given: Map<SettingKey, Given>): ConfigError {
  const row = settingRow(String(path[0]));
  const g = row && given.get(row.key);
  if (!row || !g) return new ConfigError(`The setting ${String(path[0])} cannot be read.`);
  const text = typeof g.value === 'string' ? g.value : JSON.stringify(g.value);
  const bad = typeof path[1] === 'number' ? text.split(',')[path[1]]?.trim() : text;
  const shown = row.secret || bad === undefined ? '' : `, not "${bad.slice(0, 60)}"`;
  const near = row.choices && bad !== undefined ? didYouMean(bad, row.choices) : '.';
  return new ConfigError(`${g.where} must be ${row.expects}${shown}${near}`);
}
