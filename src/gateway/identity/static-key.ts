import type { Logger } from 'pino';
import { parse } from 'yaml';
import { z } from 'zod';
import { ConfigError } from '../../config/error.ts';
import { type Caller, type Identity, SCOPES } from '../../identity.ts';
import { watchFile } from './file.ts';
import { equalDigests, sha256 } from './hash.ts';
import { Refusal } from './refusal.ts';

const keysSchema = z.array(
  z.strictObject({
    name: z.string().min(1).max(100),
    hash: z.string().regex(/^sha256:[0-9a-f]{64}$/i, 'must be "sha256:" and 64 hex digits (token hash makes it)'),
    scopes: z.array(z.enum(SCOPES)),
    expires: z
      .union([z.string(), z.date()])
      .optional()
      .transform((value, ctx) => {
        if (value === undefined) return undefined;
        const at = new Date(value).getTime();
        if (Number.isFinite(at)) return at;
        ctx.addIssue({ code: 'custom', message: 'is not a date' });
        return z.NEVER;
      }),
    datasources: z.array(z.string()).optional(),
  }),
);
type Keys = z.output<typeof keysSchema>;

/**
 * Keys of --keys-file, compared by hash in constant time; the file is read again when it changes. Each acts at Grafana
 * as the gateway's service account, narrowed by its scopes and datasources. Throws ConfigError for an unusable file.
 */
export function createStaticKeys(path: string, service: Caller, log: Logger): (token: string) => Identity {
  const file = watchFile(
    path,
    (text) => readKeys(path, text),
    (error) => {
      log.error(
        { file: path, reason: error instanceof Error ? error.message : 'unreadable' },
        'keys file not taken over',
      );
    },
  );
  return (token) => {
    const digest = sha256(token);
    // Every key is compared, so that the time does not tell where one matched.
    const found = file.current().filter((key) => equalDigests(key.hash.slice('sha256:'.length), digest));
    const [key] = found;
    if (key === undefined || (key.expires !== undefined && key.expires <= Date.now())) throw new Refusal('invalid');
    return {
      kind: 'static',
      principal: `static:${key.name}`,
      subject: key.name,
      scopes: new Set(key.scopes),
      caller: key.datasources === undefined ? service : { ...service, allowDatasources: key.datasources },
      ...(key.expires === undefined ? {} : { expiresAt: Math.floor(key.expires / 1000) }),
    };
  };
}

function readKeys(path: string, text: string): Keys {
  let yaml: unknown;
  try {
    yaml = parse(text) ?? [];
  } catch {
    throw new ConfigError(`--keys-file ${path} is not YAML.`);
  }
  const read = keysSchema.safeParse(yaml);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new ConfigError(`--keys-file ${path}: entry ${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is wrong'}.`);
  }
  const names = read.data.map((key) => key.name);
  const twice = names.find((name, i) => names.indexOf(name) !== i && !rotates(read.data, name));
  if (twice !== undefined) throw new ConfigError(`--keys-file ${path}: "${twice}" stands there more than twice.`);
  return read.data;
}

/** During a rotation the old and the new key of one name stand side by side. */
function rotates(keys: Keys, name: string): boolean {
  return keys.filter((key) => key.name === name).length === 2;
}
