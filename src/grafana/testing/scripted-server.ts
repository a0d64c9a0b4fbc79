import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

// For tests: a Grafana whose every answer is written down beforehand.

interface Seen {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: string;
}

export type Reply = (seen: Seen, response: ServerResponse) => void;

export interface ScriptedServer {
  url: string;
  seen: Seen[];
  /** How many requests ended because the client hung up before its answer was whole. */
  hungUp(): number;
  /** Replies by path; a list is used up one by one, its last one stays. */
  script(replies: Record<string, Reply | Reply[]>): void;
  close(): Promise<void>;
}

export async function scriptedServer(replies: Record<string, Reply | Reply[]> = {}): Promise<ScriptedServer> {
  let table = replies;
  let hungUp = 0;
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    response.on('close', () => {
      if (!response.writableFinished) hungUp += 1;
    });
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const url = new URL(request.url ?? '/', 'http://scripted.test');
      const one: Seen = {
        method: request.method ?? '',
        path: url.pathname,
        query: url.searchParams,
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      };
      seen.push(one);
      const reply = table[one.path] ?? table['*'] ?? json({ message: 'Not found' }, 404);
      const chosen = Array.isArray(reply) ? (reply.length > 1 ? reply.shift() : reply[0]) : reply;
      chosen?.(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    hungUp: () => hungUp,
    script: (next) => {
      table = next;
      seen.length = 0;
      hungUp = 0;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Reply {
  return answer(status, JSON.stringify(value), { 'content-type': 'application/json', ...headers });
}

export function answer(status: number, body: string, headers: Record<string, string> = {}): Reply {
  return (_seen, response) => {
    response.writeHead(status, headers);
    response.end(body);
  };
}

/** As Grafana's datasource proxy passes an answer on. */
export function proxied(status: number, body: string, contentType = 'text/plain; charset=utf-8'): Reply {
  return answer(status, body, {
    'content-type': contentType,
    via: '1.1 grafana',
    'content-security-policy': 'sandbox',
  });
}

/** Takes the request and never answers. */
export const hang: Reply = () => {};

/** Headers and some of the body, then silence. */
export const hangInside: Reply = (_seen, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"status":');
};

/** Cuts the connection without an answer. */
export const reset: Reply = (_seen, response) => void response.socket?.destroy();

/** Promises more than it sends, then cuts the connection. */
export const truncated: Reply = (_seen, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"status":"success","data":[');
  setTimeout(() => response.socket?.destroy(), 10);
};

export const loginPage: Reply = answer(200, '<!DOCTYPE html><html><title>Sign in</title></html>', {
  'content-type': 'text/html; charset=utf-8',
});

/** Without Content-Length, and for as long as the client listens. */
export const endless: Reply = (_seen, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write('x'.repeat(65_536)), 1);
  response.on('close', () => clearInterval(timer));
};

/** A few KB on the wire that become `bytes` when they are unpacked. */
export function gzipBomb(bytes: number): Reply {
  const packed = gzipSync(Buffer.alloc(bytes, 0x20));
  return (_seen, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    response.end(packed);
  };
}
