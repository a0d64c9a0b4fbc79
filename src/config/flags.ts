import { parseArgs } from 'node:util';
import { didYouMean } from '../nearest.ts';
import { ConfigError } from './error.ts';
import { SETTINGS, type SettingKey } from './table.ts';

/** A value as it was given, before it is read; `where` names its place in a sentence. */
export interface Given {
  key: SettingKey;
  value: unknown;
  where: string;
  source: 'flag' | 'environment' | 'file' | 'demo';
}

/** Options of one command that are not settings. */
export type OwnOptions = Record<string, { type: 'string' | 'boolean'; multiple?: boolean }>;

export interface Flags {
  given: Given[];
  own: Map<string, string[]>;
  positionals: string[];
}

/** Reads settings and a command's own options. Throws ConfigError for an unknown flag, a missing value, a secret. */
export function parseFlags(argv: readonly string[], own: OwnOptions = {}): Flags {
  const rows = new Map(SETTINGS.flatMap((row) => (row.flag ? [[row.flag.slice(2), row] as const] : [])));
  const options: OwnOptions = { config: { type: 'string' }, help: { type: 'boolean' }, ...own };
  const all: OwnOptions = { ...options };
  for (const [name, row] of rows) all[name] ??= { type: row.kind === 'flag' ? 'boolean' : 'string' };
  const { tokens } = parseArgs({ args: [...argv], options: all, strict: false, allowPositionals: true, tokens: true });

  const flags: Flags = { given: [], own: new Map(), positionals: [] };
  for (const token of tokens) {
    if (token.kind === 'positional') flags.positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const { name } = token;
    const spec = Object.hasOwn(all, name) ? all[name] : undefined;
    if (spec === undefined || !token.rawName.startsWith('--')) throw refused(token.rawName, Object.keys(all));
    const value = token.value ?? (spec.type === 'boolean' ? 'true' : undefined);
    if (value === undefined) throw new ConfigError(`--${name} needs a value.`);
    const row = Object.hasOwn(options, name) ? undefined : rows.get(name);
    if (row === undefined) flags.own.set(name, [...(flags.own.get(name) ?? []), value]);
    else add(flags.given, row.key, value, `--${name}`, row.kind === 'list');
  }
  return flags;
}

/** A list may be given in parts; of anything else the last word counts. */
function add(given: Given[], key: SettingKey, value: string, where: string, isList: boolean): void {
  const before = given.find((g) => g.key === key);
  if (before === undefined) given.push({ key, value, where, source: 'flag' });
  else before.value = isList ? `${before.value},${value}` : value;
}

function refused(rawName: string, known: string[]): ConfigError {
  const name = rawName.replace(/^-+/, '');
  const secret = secretFlags.get(name.toLowerCase());
  if (secret !== undefined) {
    return new ConfigError(
      `${rawName} is refused: secrets are never read from flags, since the process list shows them to everyone; ${secret}.`,
    );
  }
  const near = didYouMean(
    name,
    known.map((k) => `--${k}`),
  );
  return new ConfigError(`Unknown flag ${rawName}${near}`);
}

const tokenHome = 'set GRAFANA_SERVICE_ACCOUNT_TOKEN, or GRAFANA_SERVICE_ACCOUNT_TOKEN_FILE';
// What people try; the value that follows is never repeated.
const secretFlags = new Map([
  ['grafana-token', tokenHome],
  ['grafana-token-file', tokenHome],
  ['grafana-service-account-token', tokenHome],
  ['service-account-token', tokenHome],
  ['grafana-api-key', tokenHome],
  ['grafana-password', tokenHome],
  ['api-key', tokenHome],
  ['token', tokenHome],
  ['jwt-secret', 'set GATEWAY_JWT_SECRET, or --jwt-secret-file'],
  ['secret', 'set GATEWAY_JWT_SECRET, or --jwt-secret-file'],
]);
