import type { Request, RequestHandler } from 'express';
import { isLoopback } from '../config/auth.ts';
import type { Settings } from '../config/schema.ts';
import { RPC, refuse } from './rpc.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Guards against DNS rebinding: a page that resolves its own name to this machine sends its own name as Host. With a
 * proxy in --trusted-proxies its X-Forwarded-Host counts instead (Express's `trust proxy`).
 */
export function checkHost(settings: Settings, onRefused: () => void): RequestHandler {
  const allowed = new Set([...LOOPBACK, ...settings.allowedHosts.map((h) => h.toLowerCase())]);
  if (settings.publicUrl !== undefined) allowed.add(new URL(settings.publicUrl).hostname);
  // A listener on one address may be called by it; a wildcard names no host.
  if (!/^(0\.0\.0\.0|\[?::\]?|)$/.test(settings.host)) allowed.add(bracketed(settings.host.toLowerCase()));
  return (request, response, next) => {
    const host = hostOf(request);
    if (allowed.has(host) || allowed.has(host.replace(/:\d+$/, ''))) return next();
    onRefused();
    if (host === '') return refuse(response, 400, 'The request has no Host header.', RPC.request);
    refuse(
      response,
      403,
      `The host "${printable(host)}" is not one of this gateway's. The operator allows it with --allowed-hosts or --public-url.`,
    );
  };
}

/** No Origin (every client but a browser) passes; a foreign one is refused before anything is looked at. */
export function checkOrigin(settings: Settings): RequestHandler {
  const allowed = new Set(settings.allowedOrigins.map((o) => o.toLowerCase().replace(/\/$/, '')));
  if (settings.publicUrl !== undefined) allowed.add(new URL(settings.publicUrl).origin);
  return (request, response, next) => {
    const origin = request.headers.origin;
    if (origin === undefined || allowed.has(origin.toLowerCase()) || (isLoopback(settings.host) && isLocal(origin))) {
      return next();
    }
    refuse(
      response,
      403,
      `The origin "${printable(origin)}" may not call this gateway. The operator allows it with --allowed-origins.`,
    );
  };
}

const METHODS = 'GET, POST, DELETE, OPTIONS';
const REQUEST_HEADERS =
  'Authorization, Content-Type, Accept, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID, X-Request-Id, X-Gateway-Scopes, Traceparent';
const EXPOSED = 'Mcp-Session-Id, Mcp-Protocol-Version, WWW-Authenticate, Retry-After, X-Request-Id';

/** CORS for the origins that passed checkOrigin: on every answer, refusals included; a preflight needs no identity. */
export const cors: RequestHandler = (request, response, next) => {
  const origin = request.headers.origin;
  response.vary('Origin');
  if (origin !== undefined) {
    response.set({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': EXPOSED });
  }
  if (request.method !== 'OPTIONS') return next();
  response.set({
    Allow: METHODS,
    'Access-Control-Allow-Methods': METHODS,
    'Access-Control-Allow-Headers': REQUEST_HEADERS,
    'Access-Control-Max-Age': '600',
  });
  response.status(204).end();
};

function hostOf(request: Request): string {
  const host: string | undefined = request.host;
  return (host ?? '').toLowerCase();
}

/** An IPv6 address as it stands in a Host header. */
function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

function isLocal(origin: string): boolean {
  return URL.canParse(origin) && /^https?:$/.test(new URL(origin).protocol) && isLoopback(new URL(origin).hostname);
}

function printable(text: string): string {
  return text.slice(0, 100).replace(/[^\x20-\x7e]|"/g, '?');
}
