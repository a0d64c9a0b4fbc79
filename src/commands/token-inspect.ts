import jwt from 'jsonwebtoken';
import { z } from 'zod';
import { readSettings } from '../config/load.ts';
import type { Settings } from '../config/schema.ts';
import { openJwtKeys } from '../gateway/identity/jwt-keys.ts';
import { SCOPES } from '../identity.ts';
import { showSpan } from '../time/show.ts';
import { type Command, UsageError } from './command.ts';
import { readStdin } from './stdin.ts';

const tokenSchema = z.object({
  header: z.looseObject({ alg: z.string(), kid: z.string().optional() }),
  payload: z.looseObject({
    iss: z.string().optional(),
    sub: z.string().optional(),
    aud: z.union([z.string(), z.array(z.string())]).optional(),
    exp: z.number().optional(),
    nbf: z.number().optional(),
    scope: z.union([z.string(), z.array(z.string())]).optional(),
    scp: z.union([z.string(), z.array(z.string())]).optional(),
  }),
});
type Token = z.output<typeof tokenSchema>;

/** Tells what a JWT says and what the gateway with these settings would refuse; exit 1 when it would. */
export const run: Command['run'] = async (flags, shell) => {
  const { settings } = readSettings(flags, shell.env);
  const [argument, stray] = flags.positionals;
  if (stray !== undefined) throw new UsageError('token inspect takes one token.');
  if (argument !== undefined)
    shell.err('A token among the arguments stands in the process list: rather pipe it to stdin.');
  const text = (argument ?? (await readStdin(shell, 'the token'))).replace(/^Bearer\s+/i, '');
  const parsed = tokenSchema.safeParse(jwt.decode(text, { complete: true }));
  if (!parsed.success) {
    shell.out('Refused: this is no JWT (three parts in base64url, with a header and claims).');
    return 1;
  }
  const { header, payload } = parsed.data;
  for (const [name, value] of [...Object.entries(header), ...Object.entries(payload)]) {
    shell.out(`${name.padEnd(8)}${show(name, value)}`);
  }
  const signature = await checkSignature(text, header, settings);
  const refused = [...checkClaims(parsed.data, settings), ...signature.refused];
  for (const reason of refused) shell.out(`Refused: ${reason}`);
  const scopes = scopesOf(payload);
  if (scopes.length > 0 && !scopes.some((scope) => SCOPES.some((known) => known === scope))) {
    shell.out('Note: none of its scopes is known here, so it opens nothing.');
  }
  if (signature.unchecked) shell.out(`Not checked: the signature, ${signature.unchecked}.`);
  else if (refused.length === 0) shell.out('Accepted with these settings.');
  return refused.length === 0 ? 0 : 1;
};

function show(name: string, value: unknown): string {
  if (['iat', 'nbf', 'exp', 'auth_time'].includes(name) && typeof value === 'number' && Math.abs(value) < 8.64e12) {
    const ms = value * 1000 - Date.now();
    const distance = showSpan(Math.round(Math.abs(ms) / 1000) * 1000);
    return `${new Date(value * 1000).toISOString()} (${ms < 0 ? `${distance} ago` : `in ${distance}`})`;
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const scopesOf = ({ scope, scp }: Token['payload']) =>
  [scope ?? scp ?? []]
    .flat()
    .flatMap((text) => text.split(/[ ,]+/))
    .filter((text) => text !== '');

function checkClaims({ payload }: Token, settings: Settings): string[] {
  const now = Date.now() / 1000;
  const { iss, sub, aud, exp, nbf } = payload;
  const refused: string[] = [];
  if (exp === undefined) refused.push('exp is missing.');
  else if (exp <= now) refused.push('exp has passed.');
  if (nbf !== undefined && nbf > now) refused.push('nbf is still to come.');
  if (sub === undefined) refused.push('sub is missing.');
  if (iss === undefined) refused.push('iss is missing.');
  else if (settings.jwtIssuer && iss !== settings.jwtIssuer) refused.push(`iss is not ${settings.jwtIssuer}.`);
  if (aud === undefined) refused.push('aud is missing.');
  else if (settings.jwtAudience && ![aud].flat().includes(settings.jwtAudience)) {
    refused.push(`aud does not name ${settings.jwtAudience}.`);
  }
  return refused;
}

/** By the very keys and algorithms that the front door uses. */
async function checkSignature(text: string, header: Token['header'], settings: Settings) {
  if (!hasKey(settings)) return { refused: [], unchecked: 'since the settings have no key' };
  const keys = openJwtKeys(settings, () => {});
  if (!keys.algorithms.some((name) => name === header.alg)) {
    return { refused: [`alg ${header.alg} is none of ${keys.algorithms.join(', ')}.`] };
  }
  if (header.crit !== undefined) return { refused: ['crit: the gateway knows no extension that could be critical.'] };
  let key: Awaited<ReturnType<typeof keys.keyFor>>;
  try {
    key = await keys.keyFor(header);
  } catch {
    return { refused: [], unchecked: 'since the key set cannot be fetched' };
  }
  if (key === undefined) return { refused: [`kid: the key set has no such key for ${header.alg}.`] };
  try {
    jwt.verify(text, key, { algorithms: [...keys.algorithms], ignoreExpiration: true, ignoreNotBefore: true });
    return { refused: [] };
  } catch {
    return { refused: ['signature: it was not made with the key of these settings.'] };
  }
}

const hasKey = (s: Settings) => [s.jwtSecret, s.jwtSecretFile, s.jwtKeyFile, s.jwtJwksUrl].some((k) => k !== undefined);
