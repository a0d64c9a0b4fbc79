import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import type { RequestHandler } from 'express';
import type { Identity } from '../identity.ts';

/** What the front door knows of one HTTP request and the catalogue needs. */
export interface CallInfo {
  identity: Identity;
  requestId: string;
  traceparent?: string;
  /** Headers of the caller that the operator lets pass (--forward-headers), by lower-case name. */
  forwarded: Record<string, string>;
}

/** Where the SDK's transports look for who asks. */
export type WithAuth = IncomingMessage & { auth?: AuthInfo };

// The SDK carries an AuthInfo from the request to the handler. It is only the key here: what it would hold (token,
// claims) does not travel, so that no handler can log it.
const infos = new WeakMap<AuthInfo, CallInfo>();

export function attachCallInfo(request: WithAuth, info: CallInfo): void {
  const key: AuthInfo = { token: '', clientId: info.identity.principal, scopes: [...info.identity.scopes] };
  infos.set(key, info);
  request.auth = key;
}

export function callInfoOf(auth: AuthInfo | undefined): CallInfo | undefined {
  return auth === undefined ? undefined : infos.get(auth);
}

/** Who sent a request that came past the identity check. */
export function identityOf(request: WithAuth): Identity {
  const info = callInfoOf(request.auth);
  if (info === undefined) throw new Error('a request came past the identity check');
  return info.identity;
}

/** Every answer names its request. A client's own id is taken over only in a harmless form. */
export const nameRequest: RequestHandler = (request, response, next) => {
  const given = request.headers['x-request-id'];
  const id = typeof given === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(given) ? given : randomUUID();
  request.headers['x-request-id'] = id;
  response.set('X-Request-Id', id);
  next();
};

/** Reads what is not identity from a request's headers. */
export function readCallInfo(request: IncomingMessage, identity: Identity, forwardNames: readonly string[]): CallInfo {
  const trace = request.headers.traceparent;
  return {
    identity,
    requestId: String(request.headers['x-request-id']),
    ...(typeof trace === 'string' && TRACEPARENT.test(trace) ? { traceparent: trace } : {}),
    forwarded: forwardedHeaders(request.headers, forwardNames),
  };
}

// W3C Trace Context, version 00; ids of zeros are none.
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The callers' headers that --forward-headers names, by lower-case name. */
export function forwardedHeaders(
  headers: IncomingMessage['headers'],
  names: readonly string[],
): Record<string, string> {
  const forwarded: Record<string, string> = {};
  for (const name of names.map((n) => n.toLowerCase())) {
    const value = headers[name];
    if (typeof value === 'string') forwarded[name] = value;
  }
  return forwarded;
}
