import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault, Faults } from '../faults.ts';
import { faultSchema } from '../faults.ts';
import type { RequestLog } from '../request-log.ts';
import { type GrafanaAnswer, type GrafanaRequest, html, json, LOGIN_PAGE } from './answer.ts';
import { grafanaApi } from './api.ts';
import type { World } from './world.ts';

const MOST_BODY = 16 * 1024 * 1024;
const CONTROL = '/__sandbox/';

/** HTTP around the facade: bodies, faults on demand, the log of requests and the control endpoints. */
export function grafanaServer(parts: { world: World; faults: Faults; log: RequestLog; now: () => number }): Server {
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      // A bug of the sandbox: shown as such, so that no test takes it for Grafana's answer.
      send(response, json(500, { message: `sandbox: ${error instanceof Error ? error.message : String(error)}` }));
    });
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = '/', query = ''] = splitOnce(request.url ?? '/', '?');
    const method = request.method ?? 'GET';
    if (path.startsWith(CONTROL)) return send(response, control(method, path, await bodyOf(request)));

    const entry = parts.log.add(request, path, query);
    response.on('close', () => {
      entry.outcome = response.writableFinished ? 'answered' : 'aborted';
      if (response.writableFinished) entry.status = response.statusCode;
    });
    const body = await bodyOf(request);
    const fault = parts.faults.take(method, request.url ?? '/');
    if (fault && (await instead(fault, request, response))) return;
    const asked: GrafanaRequest = {
      method,
      path,
      query: new URLSearchParams(query),
      headers: headersOf(request),
      body,
      now: parts.now(),
      ...(fault?.kind === 'upstream' && {
        upstream: { status: fault.status, contentType: fault.contentType, body: fault.body },
      }),
    };
    const answer = grafanaApi(parts.world, asked);
    if (fault?.kind === 'truncate') return truncate(response, answer, fault.bytes);
    send(response, fault?.kind === 'contentType' ? { ...answer, contentType: fault.contentType } : answer);
  }

  function control(method: string, path: string, body: string): GrafanaAnswer {
    const name = path.slice(CONTROL.length);
    if (name === 'log') {
      if (method === 'DELETE') parts.log.clear();
      return json(200, { requests: parts.log.list() });
    }
    if (name !== 'faults') return json(404, { message: 'Not found' });
    if (method === 'DELETE') parts.faults.clear();
    if (method === 'POST') {
      const parsed = faultSchema.safeParse(parsedJson(body));
      if (!parsed.success) return json(400, { message: parsed.error.message });
      parts.faults.add(parsed.data);
    }
    return json(200, { faults: parts.faults.list() });
  }

  server.requestTimeout = 0;
  server.keepAliveTimeout = 30_000;
  return server;
}

/** True when the fault has answered (or never will). */
async function instead(fault: Fault, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
  switch (fault.kind) {
    case 'latency':
      await sleep(fault.ms);
      return response.destroyed;
    case 'hang':
      return true;
    case 'reset':
      request.socket.resetAndDestroy();
      return true;
    case 'status':
      send(response, fault);
      return true;
    case 'html':
      send(response, html(fault.status, LOGIN_PAGE));
      return true;
    case 'redirect':
      send(response, html(fault.status, '', { Location: fault.location }));
      return true;
    case 'truncate':
    case 'contentType':
    case 'upstream':
      return false;
  }
}

function send(response: ServerResponse, answer: GrafanaAnswer): void {
  if (response.destroyed || response.headersSent) return;
  const body = Buffer.from(answer.body);
  response.writeHead(answer.status, {
    ...(answer.contentType && { 'Content-Type': answer.contentType }),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...answer.headers,
    'Content-Length': body.length,
  });
  response.end(body);
}

function truncate(response: ServerResponse, answer: GrafanaAnswer, bytes: number): void {
  const body = Buffer.from(answer.body);
  response.writeHead(answer.status, { 'Content-Type': answer.contentType, 'Content-Length': body.length + 1 });
  response.write(body.subarray(0, bytes), () => response.destroy());
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > MOST_BODY) throw new Error('request body above 16 MB');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString();
}

function headersOf(request: IncomingMessage): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
}

function parsedJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function splitOnce(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
