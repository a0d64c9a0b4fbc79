import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Algorithm, JwtHeader } from 'jsonwebtoken';
import { ConfigError } from '../../config/error.ts';
import type { Settings } from '../../config/schema.ts';
import { algorithmsOf, HMAC, PUBLIC_KEY } from './algorithms.ts';
import { openJwks } from './jwks.ts';

export interface JwtKeys {
  /** Fixed by the kind of key: a public key can never serve as an HMAC secret, and `none` is not among them. */
  readonly algorithms: readonly Algorithm[];
  /** Undefined when the issuer has no such key; throws when there is no key set of the issuer. */
  keyFor(header: JwtHeader): Promise<string | KeyObject | undefined>;
}

/**
 * The key that verifies callers' JWTs: secret, PEM or JWKS. `onFault` hears why a key set could not be fetched. Throws
 * ConfigError.
 */
export function openJwtKeys(settings: Settings, onFault: (error: unknown) => void): JwtKeys {
  if (settings.jwtJwksUrl !== undefined) {
    const algorithms = allowed(PUBLIC_KEY, settings, '--jwt-jwks-url');
    return { algorithms, keyFor: openJwks(settings.jwtJwksUrl, onFault) };
  }
  if (settings.jwtKeyFile !== undefined) {
    const key = readPublicKey(settings.jwtKeyFile);
    const algorithms = allowed(familyOf(key), settings, '--jwt-key-file');
    return { algorithms, keyFor: async () => key };
  }
  const secret =
    settings.jwtSecretFile === undefined ? settings.jwtSecret : readFileSync(settings.jwtSecretFile, 'utf8').trim();
  if (!secret) throw new ConfigError('--auth jwt needs a key: the secret is empty.');
  return { algorithms: allowed(HMAC, settings, 'a secret'), keyFor: async () => secret };
}

function readPublicKey(path: string): KeyObject {
  try {
    return createPublicKey(readFileSync(path));
  } catch {
    throw new ConfigError(`--jwt-key-file names ${path}, which holds no public key in PEM form.`);
  }
}

function familyOf(key: KeyObject): readonly Algorithm[] {
  const found = algorithmsOf(key);
  if (found === undefined)
    throw new ConfigError('--jwt-key-file must hold an RSA key, or an EC key of P-256, P-384 or P-521.');
  return found;
}

/** What the operator names, as far as the kind of key permits. */
function allowed(possible: readonly Algorithm[], settings: Settings, source: string): readonly Algorithm[] {
  if (settings.jwtAlgorithms === undefined) return possible;
  const wrong = settings.jwtAlgorithms.find((name) => !possible.some((p) => p === name));
  if (wrong !== undefined) {
    throw new ConfigError(
      `--jwt-algorithms names ${wrong}, which does not go with ${source} (${possible.join(', ')}).`,
    );
  }
  return possible.filter((name) => settings.jwtAlgorithms?.includes(name));
}
