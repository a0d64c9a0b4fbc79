import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { ApiAnswer, ApiRequest } from './data/store.ts';

const MOST_BODY = 16 * 1024 * 1024;

/** HTTP around the sandbox's Loki or Prometheus by itself, without a Grafana in front and without identity. */
export function backendServer(answer: (request: ApiRequest) => ApiAnswer, now: () => number): Server {
  return createServer((request, response) => {
    read(request, now)
      .then(answer)
      .catch((error: unknown): ApiAnswer => {
        // A bug of the sandbox: shown as such, so that no test takes it for the server's answer.
        return {
          status: 500,
          contentType: 'text/plain',
          body: `sandbox: ${error instanceof Error ? error.message : ''}`,
        };
      })
      .then(({ status, contentType, body }) => response.writeHead(status, { 'content-type': contentType }).end(body));
  });
}

async function read(request: IncomingMessage, now: () => number): Promise<ApiRequest> {
  const url = new URL(request.url ?? '/', 'http://sandbox');
  const params = url.searchParams;
  const type = request.headers['content-type'] ?? '';
  let size = 0;
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MOST_BODY) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  if (request.method === 'POST' && /^application\/x-www-form-urlencoded/i.test(type)) {
    const form = new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
    for (const [name, value] of form) params.append(name, value);
  }
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
  return { method: request.method ?? 'GET', path: url.pathname, params, headers, now: now() };
}
