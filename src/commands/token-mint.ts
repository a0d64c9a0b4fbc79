import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import jwt from 'jsonwebtoken';
import { ConfigError } from '../config/error.ts';
import { errorCode } from '../config/file.ts';
import type { Flags } from '../config/flags.ts';
import { readSettings } from '../config/load.ts';
import type { Settings } from '../config/schema.ts';
import { duration } from '../config/values.ts';
import { SCOPES } from '../identity.ts';
import { didYouMean } from '../nearest.ts';
import { type Command, noArguments, option, UsageError } from './command.ts';

/** Prints a JWT that the gateway with the same settings accepts. */
export const run: Command['run'] = async (flags, shell) => {
  noArguments(flags);
  const { settings } = readSettings(flags, shell.env);
  const subject = option(flags, 'sub');
  if (!subject) throw new UsageError('token mint needs --sub: who the token is for.');
  const { jwtIssuer: issuer, jwtAudience: audience } = settings;
  if (!issuer || !audience)
    throw new UsageError('token mint needs --jwt-issuer and --jwt-audience, as the gateway has.');
  const scopes = readScopes(flags);
  const { key, algorithm } = signingKey(settings, option(flags, 'key-file'));
  shell.out(
    jwt.sign(scopes === undefined ? {} : { scope: scopes.join(' ') }, key, {
      algorithm,
      issuer,
      audience,
      subject,
      expiresIn: readExpires(flags),
    }),
  );
  return 0;
};

function readScopes(flags: Flags): string[] | undefined {
  const given = flags.own.get('scope')?.flatMap((text) => text.split(/[\s,]+/).filter((s) => s !== ''));
  for (const scope of given ?? []) {
    if (!(SCOPES as readonly string[]).includes(scope)) {
      throw new UsageError(`There is no scope "${scope}"${didYouMean(scope, SCOPES)}`);
    }
  }
  return given;
}

/** Seconds. */
function readExpires(flags: Flags): number {
  const read = duration.safeParse(option(flags, 'expires') ?? '1h');
  if (!read.success || read.data < 1000) throw new UsageError('--expires must be a duration such as 45s, 10m or 4h.');
  return Math.floor(read.data / 1000);
}

function signingKey(
  settings: Settings,
  file: string | undefined,
): { key: string | KeyObject; algorithm: jwt.Algorithm } {
  if (file !== undefined) {
    const key = readPrivateKey(file);
    return { key, algorithm: algorithmOf(key, file) };
  }
  const secret = settings.jwtSecret ?? (settings.jwtSecretFile && readFileSync(settings.jwtSecretFile, 'utf8').trim());
  if (!secret) throw new UsageError('token mint needs a key: GATEWAY_JWT_SECRET, --jwt-secret-file or --key-file.');
  return { key: secret, algorithm: 'HS256' };
}

function readPrivateKey(file: string): KeyObject {
  try {
    return createPrivateKey(readFileSync(file));
  } catch (error) {
    throw new ConfigError(`--key-file names ${file}, which is no readable private key (${errorCode(error)}).`);
  }
}

const CURVES: Record<string, jwt.Algorithm> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };

function algorithmOf(key: KeyObject, file: string): jwt.Algorithm {
  if (key.asymmetricKeyType === 'rsa') return 'RS256';
  const algorithm = CURVES[key.asymmetricKeyDetails?.namedCurve ?? ''];
  if (algorithm === undefined)
    throw new ConfigError(`--key-file names ${file}, which is neither an RSA nor an EC key.`);
  return algorithm;
}
