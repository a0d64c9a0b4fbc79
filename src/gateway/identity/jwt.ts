import jwt from 'jsonwebtoken';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { Settings } from '../../config/schema.ts';
import { type Caller, type Identity, SCOPES, type Scope } from '../../identity.ts';
import { openJwtKeys } from './jwt-keys.ts';
import { openMint } from './mint.ts';
import { Refusal } from './refusal.ts';

const strings = z.union([z.array(z.string()), z.string().transform((text) => text.split(/[ ,]+/).filter(Boolean))]);
const claimsSchema = z.looseObject({
  iss: z.string(),
  sub: z.string().min(1),
  exp: z.number(),
  scope: strings.optional(),
  scp: strings.optional(),
  /** uids the token is narrowed to */
  datasources: z.array(z.string()).optional(),
});
export type Claims = z.output<typeof claimsSchema>;

/**
 * Verifies a caller's JWT (RFC 7519): algorithms fixed by the key's kind, `exp`, `iss`, `aud` and `sub` required. Scopes
 * from `scope` or `scp`; a token with neither gets --default-scopes. Throws ConfigError, later Refusal.
 */
export function createJwt(
  settings: Settings,
  service: Caller | undefined,
  log: Logger,
): (token: string) => Promise<Identity> {
  const keys = openJwtKeys(settings, (error) => {
    log.warn({ reason: reasonOf(error) }, 'key set of --jwt-jwks-url not fetched');
  });
  const mint = settings.upstreamIdentity === 'jwt' ? openMint(settings) : undefined;

  return async (token) => {
    const claims = await verify(token, keys, settings);
    const caller = mint ? mint(claims) : service;
    // checkSettings lets no gateway start that could come here without one.
    if (caller === undefined) throw new Refusal('unavailable', 'The gateway has no service account.');
    return {
      kind: 'jwt',
      principal: `jwt:${claims.iss}|${claims.sub}`,
      subject: claims.sub,
      scopes: scopesOf(claims, settings.defaultScopes),
      caller: claims.datasources === undefined ? caller : { ...caller, allowDatasources: claims.datasources },
      expiresAt: claims.exp,
    };
  };
}

async function verify(token: string, keys: ReturnType<typeof openJwtKeys>, settings: Settings): Promise<Claims> {
  const header = jwt.decode(token, { complete: true })?.header;
  if (header === undefined || !keys.algorithms.some((name) => name === header.alg)) throw new Refusal('invalid');
  // RFC 7515 §4.1.11: what a token calls critical must be understood, and there is no extension that we do.
  if ('crit' in header) throw new Refusal('invalid');
  let key: Awaited<ReturnType<typeof keys.keyFor>>;
  try {
    key = await keys.keyFor(header);
  } catch {
    throw new Refusal('unavailable', "The keys of the token's issuer cannot be fetched.");
  }
  if (key === undefined || settings.jwtIssuer === undefined || settings.jwtAudience === undefined) {
    throw new Refusal('invalid');
  }
  try {
    const verified = jwt.verify(token, key, {
      algorithms: [...keys.algorithms],
      issuer: settings.jwtIssuer,
      audience: settings.jwtAudience,
    });
    return claimsSchema.parse(verified);
  } catch {
    throw new Refusal('invalid');
  }
}

function scopesOf(claims: Claims, fallback: readonly Scope[]): ReadonlySet<Scope> {
  const named = claims.scope ?? claims.scp;
  if (named === undefined) return new Set(fallback);
  return new Set(SCOPES.filter((scope) => named.includes(scope)));
}

/** fetch says no more than "fetch failed"; the cause says why. */
function reasonOf(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error('unknown');
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
