import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import jwt from 'jsonwebtoken';
import { z } from 'zod';
import { readSettings } from '../config/load.ts';
import type { Settings } from '../config/schema.ts';
import { showValue } from '../config/values.ts';
import { SCOPES } from '../identity.ts';
import { type Command, UsageError } from './command.ts';
import { readStdin } from './stdin.ts';

const tokenSchema = z.object({
  header: z.looseObject({ alg: z.string() }),
  payload: z.looseObject({
    iss: z.string().optional(),
    sub: z.string().optional(),
    aud: z.union([z.string(), z.array(z.string())]).optional(),
    exp: z.number().optional(),
    nbf: z.number().optional(),
    scope: z.string().optional(),
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
  const signature = checkSignature(text, header.alg, settings);
  const refused = [...checkClaims(parsed.data, settings), ...signature.refused];
  for (const reason of refused) shell.out(`Refused: ${reason}`);
  if (signature.unchecked) shell.out(`Not checked: the signature, ${signature.unchecked}.`);
  else if (refused.length === 0) shell.out('Accepted with these settings.');
  return refused.length === 0 ? 0 : 1;
};

function show(name: string, value: unknown): string {
  if (['iat', 'nbf', 'exp', 'auth_time'].includes(name) && typeof value === 'number' && Math.abs(value) < 8.64e12) {
    const ms = value * 1000 - Date.now();
    const distance = showValue(Math.abs(Math.trunc(ms / 1000)) * 1000, 'duration');
    return `${new Date(value * 1000).toISOString()} (${ms < 0 ? `${distance} ago` : `in ${distance}`})`;
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}

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
  const scopes = [payload.scope ?? payload.scp ?? []]
    .flat()
    .flatMap((s) => s.split(/\s+/))
    .filter((s) => s !== '');
  const known = scopes.filter((s) => (SCOPES as readonly string[]).includes(s));
  if (scopes.length > 0 && known.length === 0) refused.push('none of its scopes is known here.');
  return refused;
}

function checkSignature(text: string, alg: string, settings: Settings): { refused: string[]; unchecked?: string } {
  if (alg.toLowerCase() === 'none') return { refused: ['alg none is no signature.'] };
  if (settings.jwtJwksUrl) return { refused: [], unchecked: 'since its key is at the JWKS address' };
  const key = verificationKey(settings);
  if (key === undefined) return { refused: [], unchecked: 'since the settings have no key' };
  const wanted = settings.jwtAlgorithms ?? algorithmsOf(key);
  if (!wanted.includes(alg)) return { refused: [`alg ${alg} is none of ${wanted.join(', ')}.`] };
  try {
    jwt.verify(text, key, { algorithms: [alg as jwt.Algorithm], ignoreExpiration: true, ignoreNotBefore: true });
    return { refused: [] };
  } catch {
    return { refused: ['signature: it was not made with the key of these settings.'] };
  }
}

function verificationKey(settings: Settings): string | KeyObject | undefined {
  if (settings.jwtKeyFile) return createPublicKey(readFileSync(settings.jwtKeyFile));
  return settings.jwtSecret ?? (settings.jwtSecretFile && readFileSync(settings.jwtSecretFile, 'utf8').trim());
}

function algorithmsOf(key: string | KeyObject): string[] {
  if (typeof key === 'string') return ['HS256', 'HS384', 'HS512'];
  return key.asymmetricKeyType === 'ec'
    ? ['ES256', 'ES384', 'ES512']
    : ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
}
