import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { Settings } from '../config/schema.ts';
import type { Caller } from '../identity.ts';
import { VERSION } from '../version.ts';
import type { UpstreamRequest } from './upstream.ts';

/** What belongs to a hop, to the body or to the gateway's own front door is never taken over from a caller. */
const NEVER_FORWARDED = new Set([
  'authorization',
  'proxy-authorization',
  'host',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'accept',
  'accept-encoding',
  'content-type',
  'content-length',
  'content-encoding',
  'user-agent',
  'x-request-id',
  'traceparent',
  'mcp-session-id',
  'mcp-protocol-version',
  'x-gateway-scopes',
]);

/** How often the file of extra headers is looked at, ms. */
const LOOK_EVERY = 1000;

export interface CallHeaders {
  requestId: string;
  traceparent?: string;
  /** Already narrowed by `allowedForwards`. */
  forwarded: Record<string, string>;
}

export interface HeaderMaker {
  /** Every header that goes upstream; nothing else does. `caller` is absent for the probe without identity. */
  make(request: UpstreamRequest, call: CallHeaders, caller?: Caller): Promise<Record<string, string>>;
  /** The callers' headers that the operator lets pass, by lower-case name. */
  allowedForwards(headers: Record<string, string> | undefined): Record<string, string>;
  /** Digest of everything but the caller's own credential that can make two answers differ. */
  identityKey(forwarded: Record<string, string>): string;
}

export function createHeaderMaker(settings: Settings): HeaderMaker {
  const extra = extraHeaders(settings.grafanaHeadersFile);
  const passing = new Set(
    settings.forwardHeaders.map((name) => name.toLowerCase()).filter((n) => !NEVER_FORWARDED.has(n)),
  );
  return {
    async make(request, call, caller) {
      const headers: Record<string, string> = { ...extra(), ...call.forwarded, ...lowerCase(await caller?.headers()) };
      // The operator's organisation wins over whatever a caller or a file says.
      if (settings.orgId !== undefined) headers['x-grafana-org-id'] = String(settings.orgId);
      headers['user-agent'] = `grafana-mcp-gateway/${VERSION}`;
      headers.accept = 'application/json';
      headers['accept-encoding'] = 'gzip';
      headers['x-request-id'] = call.requestId;
      if (call.traceparent && TRACEPARENT.test(call.traceparent)) headers.traceparent = call.traceparent;
      if (request.form) headers['content-type'] = 'application/x-www-form-urlencoded';
      if (request.json !== undefined) headers['content-type'] = 'application/json';
      return { ...headers, ...lowerCase(request.headers) };
    },
    allowedForwards: (headers) =>
      Object.fromEntries(Object.entries(lowerCase(headers)).filter(([name]) => passing.has(name))),
    identityKey: (forwarded) =>
      createHash('sha256')
        .update(JSON.stringify([settings.orgId ?? null, entries(forwarded), entries(extra())]))
        .digest('hex'),
  };
}

const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Reads the file again when it changes; keeps the last good content while it cannot be read. Throws when it cannot at the start. */
function extraHeaders(file: string | undefined): () => Record<string, string> {
  if (file === undefined) return () => ({});
  let content = parseHeaders(readFileSync(file, 'utf8'), file);
  let changedAt = statSync(file).mtimeMs;
  let lookedAt = Date.now();
  return () => {
    if (Date.now() - lookedAt < LOOK_EVERY) return content;
    lookedAt = Date.now();
    try {
      const modified = statSync(file).mtimeMs;
      if (modified !== changedAt) {
        content = parseHeaders(readFileSync(file, 'utf8'), file);
        changedAt = modified;
      }
    } catch {
      return content;
    }
    return content;
  };
}

/** One `Name: value` a line; empty lines and lines that begin with # are left out. */
function parseHeaders(text: string, file: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*(.*?)\s*$/.exec(line);
    if (!match?.[1]) throw new Error(`${file}, line ${i + 1}: not of the form "Name: value".`);
    headers[match[1].toLowerCase()] = match[2] ?? '';
  }
  return headers;
}

function lowerCase(headers: Record<string, string> | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
}

function entries(headers: Record<string, string>): [string, string][] {
  return Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1));
}
