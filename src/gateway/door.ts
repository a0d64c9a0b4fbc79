import type { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import type { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Response } from 'express';
import type { Settings } from '../config/schema.ts';
import type { Identity } from '../identity.ts';
import type { Caller, Extra } from '../mcp/legacy.ts';
import type { Surface } from '../mcp/surface.ts';
import { callInfoOf } from './call-info.ts';
import type { Calls } from './calls.ts';
import type { RateLimit } from './limits.ts';
import { RPC, refuse } from './rpc.ts';
import type { Session, Sessions } from './sessions.ts';

export type AnyTransport = StreamableHTTPServerTransport | SSEServerTransport;

/** What the transports share; one per gateway. */
export interface Door {
  settings: Settings;
  surface: Surface;
  sessions: Sessions<AnyTransport>;
  calls: Calls;
  requests: RateLimit;
  /** Ends of the requests that run without a session. */
  passing: Set<() => Promise<void>>;
  draining(): boolean;
}

/** The request of a client as the catalogue sees it. Who asks is read from the request, never from the session. */
export function callOf(extra: Extra, session?: Session<AnyTransport>): Caller {
  const info = callInfoOf(extra.authInfo);
  if (info === undefined) throw new Error('a call came past the identity check');
  const header = extra.requestInfo?.headers['mcp-protocol-version'];
  const protocolVersion = typeof header === 'string' ? header : session?.protocolVersion;
  return {
    ...info,
    ...(session === undefined ? {} : { sessionId: session.id, scanned: session.scanned }),
    ...(protocolVersion === undefined ? {} : { protocolVersion }),
  };
}

/** An unknown session and another principal's are told in the same words. */
export function refuseSession(response: Response): void {
  refuse(response, 404, 'Session not found. Send "initialize" to open a new one.', RPC.session);
}

export function refuseDraining(response: Response): void {
  response.set('Retry-After', '5');
  refuse(response, 503, 'The gateway is shutting down.');
}

/** Over a cap a client had better wait for another session to end. */
export function refuseFull(response: Response, why: 'full' | 'full for principal'): void {
  response.set('Retry-After', '30');
  const setting = why === 'full' ? '--max-sessions' : '--max-sessions-per-principal';
  refuse(response, 429, `Too many sessions (${setting}). End one with DELETE, or wait until an idle one ends.`);
}

/** A stream does not outlive the credential it was opened with, nor a day's half. */
export function limitLife(response: Response, { expiresAt }: Identity, end: () => void): void {
  const left = expiresAt === undefined ? MAX_AGE : expiresAt * 1000 - Date.now();
  const timer = setTimeout(end, Math.max(0, Math.min(left, MAX_AGE))).unref();
  response.once('close', () => clearTimeout(timer));
}

const MAX_AGE = 12 * 3_600_000;
