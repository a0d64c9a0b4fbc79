import type { Request, RequestHandler, Response } from 'express';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Settings } from '../config/schema.ts';
import { attachCallInfo, readCallInfo } from './call-info.ts';
import { sha256 } from './identity/hash.ts';
import type { Identify } from './identity/identify.ts';
import { Refusal } from './identity/refusal.ts';
import { createRateLimit, type RateLimit } from './limits.ts';
import { refuse } from './rpc.ts';

const FAILURES = { count: 30, per: 60_000 };

/**
 * Establishes who calls, or refuses: 401 missing or invalid, 429 above a limit, 503 when nobody can be asked. `requests`
 * counts by principal, so that calls without a valid credential use up nobody's quota.
 */
export function authenticate(settings: Settings, identify: Identify, requests: RateLimit, log: Logger): RequestHandler {
  const failures = createRateLimit(FAILURES);
  // Users behind one address share its count of failures: a credential that was good keeps its way in.
  const good = new LRUCache<string, true>({ max: 5_000, ttl: 3_600_000 });
  const checking = new Map<string, Promise<void>>();
  function track(credential: string, checked: Promise<unknown>): void {
    const forget = () => void checking.delete(credential);
    checking.set(credential, checked.then(forget, forget));
  }

  return async (request, response, next) => {
    if (hasTokenInQuery(request.url)) {
      return refuse(
        response,
        400,
        'A token in the address ends up in access logs: send it in the Authorization header.',
      );
    }
    const address = request.ip ?? '';
    const credential = sha256(request.headers.authorization ?? '');
    // Equal credentials that come at once are one guess, not many.
    await checking.get(credential);
    // Taken before the check, so that many at one time count as well; given back unless the credential was refused.
    const known = good.has(credential);
    const wait = known ? 0 : failures.take(address);
    if (wait > 0) return tooMany(response, wait, 'Too many refused credentials from this address');
    try {
      const checked = identify(request.headers);
      if (!known) track(credential, checked);
      const identity = await checked;
      if (!known) failures.give(address);
      good.set(credential, true);
      const over = requests.take(identity.principal);
      if (over > 0) return tooManyRequests(response, over, settings);
      attachCallInfo(request, readCallInfo(request, identity, settings.forwardHeaders));
      next();
    } catch (error) {
      if (!(error instanceof Refusal)) return next(error);
      good.delete(credential);
      if (error.kind === 'unavailable') {
        if (!known) failures.give(address);
        response.set('Retry-After', '5');
        return refuse(response, 503, `The credential cannot be checked now. ${error.message}`);
      }
      if (known) failures.take(address);
      log.warn(describe(request, address, error.kind), 'unauthenticated');
      response.set('WWW-Authenticate', error.kind === 'missing' ? 'Bearer' : 'Bearer error="invalid_token"');
      refuse(response, 401, error.kind === 'missing' ? MISSING : INVALID);
    }
  };
}

const MISSING = 'Missing credential: no Authorization header arrived. Send "Authorization: Bearer <token>".';
const INVALID =
  'Invalid credential: the Authorization header was refused. Send "Authorization: Bearer <token>" with a valid token.';

export function tooManyRequests(response: Response, wait: number, { rateLimit }: Settings): void {
  tooMany(response, wait, `More than ${rateLimit.count} requests in ${rateLimit.per / 1000} s (--rate-limit)`);
}

function tooMany(response: Response, wait: number, what: string): void {
  response.set('Retry-After', String(wait));
  refuse(response, 429, `${what}: wait ${wait} s.`);
}

/** Tells an operator at once whether it is the client that forgets its header, and which; never what was in it. */
function describe(request: Request, address: string, reason: string) {
  const product = /^[A-Za-z][\w .-]{0,30}(\/\d[\w.]{0,15})?/.exec(request.headers['user-agent'] ?? '')?.[0];
  return { reason, method: request.method, path: knownPath(request.path), address, client: product ?? 'unknown' };
}

function knownPath(path: string): string {
  return /^\/(mcp|sse|messages)\/?$/.test(path) ? path : 'another';
}

const TOKEN_NAMES = new Set(['token', 'access_token', 'auth_token', 'bearer', 'api_key', 'apikey', 'authorization']);

function hasTokenInQuery(url: string): boolean {
  const at = url.indexOf('?');
  if (at === -1) return false;
  return [...new URLSearchParams(url.slice(at)).keys()].some((name) => TOKEN_NAMES.has(name.toLowerCase()));
}
