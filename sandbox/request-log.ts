import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const MOST_ENTRIES = 20_000;

/** One request as the sandbox received it. Credentials only as a hash. */
export interface LoggedRequest {
  /** ms since epoch */
  time: number;
  method: string;
  /** Without query string. */
  path: string;
  query: string;
  /** Names of all headers, sorted. */
  headerNames: string[];
  /** Values of X-Request-Id, X-Grafana-Org-Id, User-Agent, traceparent and the encoding flags of Loki. */
  headers: Record<string, string>;
  /** SHA-256 (hex) of the Authorization header. */
  authorizationSha256?: string;
  outcome: 'open' | 'answered' | 'aborted';
  status?: number;
}

const SHOWN = ['x-request-id', 'x-grafana-org-id', 'user-agent', 'traceparent', 'x-loki-response-encoding-flags'];

export interface RequestLog {
  add(request: IncomingMessage, path: string, query: string): LoggedRequest;
  list(): LoggedRequest[];
  clear(): void;
}

export function createRequestLog(): RequestLog {
  let entries: LoggedRequest[] = [];
  return {
    add(request, path, query) {
      const { authorization } = request.headers;
      const shown = SHOWN.map((name) => [name, request.headers[name]] as const);
      const entry: LoggedRequest = {
        time: Date.now(),
        method: request.method ?? 'GET',
        path,
        query,
        headerNames: Object.keys(request.headers).sort(),
        headers: Object.fromEntries(
          shown.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
        ),
        ...(authorization && { authorizationSha256: createHash('sha256').update(authorization).digest('hex') }),
        outcome: 'open',
      };
      entries.push(entry);
      if (entries.length > MOST_ENTRIES) entries = entries.slice(-MOST_ENTRIES / 2);
      return entry;
    },
    list: () => [...entries],
    clear() {
      entries = [];
    },
  };
}
