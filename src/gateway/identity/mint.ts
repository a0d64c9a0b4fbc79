import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import jwt, { type Algorithm } from 'jsonwebtoken';
import { LRUCache } from 'lru-cache';
import { ConfigError } from '../../config/error.ts';
import type { Settings } from '../../config/schema.ts';
import type { Caller } from '../../identity.ts';
import { sha256 } from './hash.ts';
import type { Claims } from './jwt.ts';

/** Life of a minted token, seconds: long enough for one call and the clocks' difference. */
const LIFE = 120;
/** A token is minted anew when less than this is left, ms. */
const REUSE_FOR = 60_000;
/** Claims of the caller's token that Grafana's [auth.jwt] may map to login, name, e-mail and role. */
const PASSED = ['sub', 'preferred_username', 'email', 'name', 'groups', 'roles'] as const;

/**
 * Signs short-lived JWTs that say to Grafana's [auth.jwt] who the user is, so that Grafana itself enforces that user's
 * rights (--upstream-identity jwt). Throws ConfigError.
 */
export function openMint(settings: Settings): (claims: Claims) => Caller {
  const path = settings.upstreamJwtKeyFile;
  if (path === undefined) throw new ConfigError('--upstream-identity jwt needs --upstream-jwt-key-file.');
  const key = readPrivateKey(path);
  const algorithm = algorithmOf(key);
  const issuer = settings.publicUrl ?? 'grafana-mcp-gateway';
  const minted = new LRUCache<string, string>({ max: 1_000, ttl: REUSE_FOR });

  return (claims) => {
    const payload = Object.fromEntries(
      PASSED.flatMap((name) => (claims[name] === undefined ? [] : [[name, claims[name]]])),
    );
    const cacheKey = sha256(JSON.stringify(['minted', claims.iss, payload]));
    return {
      cacheKey,
      async headers() {
        const known = minted.get(cacheKey);
        const token = known ?? jwt.sign(payload, key, { algorithm, issuer, expiresIn: LIFE });
        if (known === undefined) minted.set(cacheKey, token);
        return { [settings.upstreamJwtHeader.toLowerCase()]: token };
      },
    };
  };
}

function readPrivateKey(path: string): KeyObject {
  try {
    return createPrivateKey(readFileSync(path));
  } catch {
    throw new ConfigError(`--upstream-jwt-key-file names ${path}, which holds no private key in PEM form.`);
  }
}

function algorithmOf(key: KeyObject): Algorithm {
  const curve = key.asymmetricKeyDetails?.namedCurve;
  if (key.asymmetricKeyType === 'rsa') return 'RS256';
  if (curve === 'prime256v1') return 'ES256';
  if (curve === 'secp384r1') return 'ES384';
  if (curve === 'secp521r1') return 'ES512';
  throw new ConfigError('--upstream-jwt-key-file must hold an RSA key, or an EC key of P-256, P-384 or P-521.');
}
