import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Algorithm, JwtHeader } from 'jsonwebtoken';
import { JwksClient, SigningKeyNotFoundError } from 'jwks-rsa';
import { ConfigError } from '../../config/error.ts';
import type { Settings } from '../../config/schema.ts';

const HMAC: readonly Algorithm[] = ['HS256', 'HS384', 'HS512'];
const RSA: readonly Algorithm[] = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
const PSS: readonly Algorithm[] = ['PS256', 'PS384', 'PS512'];
const EC: Record<string, readonly Algorithm[]> = {
  prime256v1: ['ES256'],
  secp384r1: ['ES384'],
  secp521r1: ['ES512'],
};

export interface JwtKeys {
  /** Fixed by the kind of key: a public key can never serve as an HMAC secret, and `none` is not among them. */
  readonly algorithms: readonly Algorithm[];
  /** Undefined when the issuer has no such key; throws when its key set cannot be fetched. */
  keyFor(header: JwtHeader): Promise<string | KeyObject | undefined>;
}

/** The key that verifies callers' JWTs: secret, PEM or JWKS. Throws ConfigError. */
export function openJwtKeys(settings: Settings): JwtKeys {
  if (settings.jwtJwksUrl !== undefined) return fromJwks(settings.jwtJwksUrl, settings);
  if (settings.jwtKeyFile !== undefined) {
    const key = readPublicKey(settings.jwtKeyFile);
    const algorithms = allowed(algorithmsOf(key), settings, '--jwt-key-file');
    return { algorithms, keyFor: async () => key };
  }
  const secret =
    settings.jwtSecretFile === undefined ? settings.jwtSecret : readFileSync(settings.jwtSecretFile, 'utf8').trim();
  if (!secret) throw new ConfigError('--auth jwt needs a key: the secret is empty.');
  return { algorithms: allowed(HMAC, settings, 'a secret'), keyFor: async () => secret };
}

function fromJwks(url: string, settings: Settings): JwtKeys {
  const client = new JwksClient({
    jwksUri: url,
    cache: true,
    cacheMaxEntries: 20,
    cacheMaxAge: 10 * 60_000,
    // An unknown kid makes a fetch: bounded, so that forged tokens cannot hammer the issuer.
    rateLimit: true,
    jwksRequestsPerMinute: 10,
    timeout: 5_000,
  });
  return {
    algorithms: allowed([...RSA, ...Object.values(EC).flat()], settings, '--jwt-jwks-url'),
    async keyFor(header) {
      try {
        return (await client.getSigningKey(header.kid)).getPublicKey();
      } catch (error) {
        if (error instanceof SigningKeyNotFoundError) return undefined;
        throw error;
      }
    },
  };
}

function readPublicKey(path: string): KeyObject {
  try {
    return createPublicKey(readFileSync(path));
  } catch {
    throw new ConfigError(`--jwt-key-file names ${path}, which holds no public key in PEM form.`);
  }
}

function algorithmsOf(key: KeyObject): readonly Algorithm[] {
  const kind = key.asymmetricKeyType;
  const found = kind === 'rsa' ? RSA : kind === 'rsa-pss' ? PSS : EC[key.asymmetricKeyDetails?.namedCurve ?? ''];
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
