import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { type Logger, pino } from 'pino';
import { settingsSchema } from '../../config/schema.ts';
import { GatewayError } from '../../errors.ts';
import type { GrafanaClient } from '../../grafana/client.ts';
import type { Call } from '../../mcp/call.ts';
import { RpcFault, type Surface } from '../../mcp/surface.ts';
import { startGateway } from '../server.ts';

// For tests: the front door over a real listener, with a surface of three tools and a Grafana that knows fake tokens.

export const ANNA = 'glsa_fake_anna';
export const BOB = 'glsa_fake_bob';
export const REVOKED = 'glsa_fake_revoked';
/** Grafana cannot be reached while it is asked about this one. */
export const UNREACHABLE = 'glsa_fake_unreachable';

export interface Front {
  url: string;
  port: number;
  /** Calls that reached the surface. */
  calls: Call[];
  /** Tokens that Grafana was asked about. */
  checks: string[];
  /** Lines of the log. */
  log: string[];
  grafanaUp: boolean;
  /** Lets the calls of `slow` that run now come to their end. */
  finish(): void;
  connect(kind: 'streamable' | 'sse', token?: string, path?: string): Promise<Client>;
  close(): Promise<void>;
}

export async function startFront(given: Record<string, unknown> = {}): Promise<Front> {
  const settings = settingsSchema.parse({
    port: 0,
    grafanaUrl: 'http://grafana.test',
    rateLimit: '0',
    auth: 'grafana',
    ...given,
  });
  const lines: string[] = [];
  const log: Logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const clients: Client[] = [];
  const calls: Call[] = [];
  const checks: string[] = [];
  const state = { grafanaUp: true };
  const waiting = new Set<() => void>();
  const gateway = await startGateway(settings, {
    surface: fakeSurface(calls, waiting),
    grafana: fakeGrafana(checks, () => state.grafanaUp),
    log,
  });
  return Object.assign(state, {
    url: gateway.url,
    port: gateway.port,
    calls,
    checks,
    log: lines,
    finish() {
      for (const end of waiting) end();
      waiting.clear();
    },
    async connect(kind: 'streamable' | 'sse', token = ANNA, path = kind === 'sse' ? '/sse' : '/mcp') {
      const requestInit = { headers: { Authorization: `Bearer ${token}` } };
      const client = new Client({ name: 'test', version: '1' });
      const address = new URL(path, gateway.url);
      const transport =
        kind === 'sse'
          ? new SSEClientTransport(address, { requestInit })
          : new StreamableHTTPClientTransport(address, { requestInit });
      await client.connect(transport as Parameters<Client['connect']>[0]);
      clients.push(client);
      return client;
    },
    async close() {
      await Promise.all(clients.map((client) => client.close().catch(() => {})));
      await gateway.close();
    },
  });
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The JSON-RPC message: of a JSON body, or of the first event of a stream. */
  json: { error?: { code: number; message: string }; result?: Record<string, unknown>; [key: string]: unknown };
}

export interface Asked {
  method?: string;
  path?: string;
  /** null: no Authorization header. */
  token?: string | null;
  headers?: Record<string, string>;
  body?: unknown;
  session?: string;
}

export const initialize = (protocolVersion = '2025-11-25', id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
});
export const rpc = (method: string, params: object = {}, id: unknown = 2) => ({ jsonrpc: '2.0', id, method, params });
export const echo = (text: string, id: unknown = 2) => rpc('tools/call', { name: 'echo', arguments: { text } }, id);

/** One request as it stands, without a client's manners; the whole answer, streams until they end. */
export function ask(port: number, asked: Asked = {}): Promise<Answer> {
  const { method = 'POST', path = '/mcp', token = ANNA, session } = asked;
  const body =
    asked.body === undefined ? undefined : typeof asked.body === 'string' ? asked.body : JSON.stringify(asked.body);
  const headers: Record<string, string> = {
    ...(body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
    accept: 'application/json, text/event-stream',
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...(session === undefined ? {} : { 'mcp-session-id': session }),
    ...asked.headers,
  };
  return new Promise((resolve, reject) => {
    const request = httpRequest({ port, host: '127.0.0.1', method, path, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', reject);
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: readMessage(text) });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

function readMessage(text: string): Answer['json'] {
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  try {
    return JSON.parse(data);
  } catch {
    return {};
  }
}

/** Opens a session; its id. */
export async function open(port: number, asked: Asked = {}): Promise<string> {
  const answer = await ask(port, { body: initialize(), ...asked });
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return String(answer.headers['mcp-session-id']);
}

export interface Stream {
  status: number;
  headers: IncomingHttpHeaders;
  /** What arrived so far. */
  text(): string;
  ended: Promise<void>;
  drop(): void;
}

/** A stream that stays open until `drop`. */
export function stream(port: number, asked: Asked = {}): Promise<Stream> {
  const { method = 'GET', path = '/mcp', token = ANNA, session } = asked;
  const headers = {
    accept: 'text/event-stream',
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...(session === undefined ? {} : { 'mcp-session-id': session }),
    ...asked.headers,
  };
  return new Promise((resolve, reject) => {
    const request = httpRequest({ port, host: '127.0.0.1', method, path, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', () => {});
      const ended = new Promise<void>((done) => response.once('close', done));
      const opened = { status: response.statusCode ?? 0, headers: response.headers, text: () => text, ended };
      resolve({ ...opened, drop: () => request.destroy() });
    });
    request.on('error', reject);
    request.end();
  });
}

/** Waits until `check` is true. */
export async function until(check: () => boolean | Promise<boolean>, ms = 3000): Promise<void> {
  const end = Date.now() + ms;
  while (!(await check())) {
    if (Date.now() > end) throw new Error('waited in vain');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Sessions that /healthz counts. */
export async function sessionsOf(front: Front): Promise<number> {
  return Number((await ask(front.port, { method: 'GET', path: '/healthz', token: null })).json.sessions);
}

function fakeSurface(calls: Call[], waiting: Set<() => void>): Surface {
  const seen = <T>(call: Call, value: T): T => {
    calls.push(call);
    return value;
  };
  const tool = (name: string) => ({ name, description: name, inputSchema: { type: 'object' as const } });
  return {
    info: { name: 'fake', version: '1' },
    instructions: 'fake',
    listTools: async (call) => seen(call, { tools: ['echo', 'slow', 'fail'].map(tool) }),
    async callTool(name, args, call) {
      seen(call, undefined);
      if (name === 'slow') return await slow(Number(args.ms), call, waiting);
      if (name === 'fail') throw new Error('secret-of-the-inside');
      if (name !== 'echo') throw new RpcFault('badParams', `unknown tool ${name}`);
      const facts = { text: args.text, who: call.identity.principal, session: call.sessionId ?? null };
      return { content: [{ type: 'text', text: JSON.stringify(facts) }] };
    },
    listResources: async (_cursor, call) => seen(call, { resources: [] }),
    listTemplates: async (call) => seen(call, { resourceTemplates: [] }),
    async readResource(uri, call) {
      seen(call, undefined);
      if (uri === 'fake:hang') await new Promise(() => {});
      if (uri === 'fake:fault') throw new RpcFault('internal', 'the datasource is away');
      if (uri !== 'fake:ok') throw new RpcFault('notFound', `no resource ${uri}`);
      return { contents: [{ uri, text: 'ok' }] };
    },
    listPrompts: async (call) => seen(call, { prompts: [] }),
    async getPrompt(name) {
      throw new RpcFault('badParams', `unknown prompt ${name}`);
    },
    complete: async (_params, call) => seen(call, { completion: { values: ['a', 'b'] } }),
  };
}

async function slow(ms: number, call: Call, waiting: Set<() => void>): Promise<CallToolResult> {
  await call.progress?.(1, 2, 'half');
  const how = await new Promise<string>((resolve) => {
    setTimeout(() => resolve('done'), ms).unref();
    waiting.add(() => resolve('done'));
    call.signal.addEventListener('abort', () => resolve('aborted'));
  });
  const why: unknown = call.signal.reason;
  if (why instanceof GatewayError) return { isError: true, content: [{ type: 'text', text: why.message }] };
  return { content: [{ type: 'text', text: how }] };
}

export function fakeGrafana(checks: string[], up: () => boolean): GrafanaClient {
  return {
    for: ({ caller, signal }) => ({
      caller,
      signal,
      calls: () => 0,
      async request() {
        const headers = Object.entries(await caller.headers()).map(([name, value]) => [name.toLowerCase(), value]);
        const token = String(Object.fromEntries(headers).authorization).replace('Bearer ', '');
        checks.push(token);
        await new Promise((resolve) => setTimeout(resolve, 20));
        if (!up() || token === UNREACHABLE) throw new GatewayError('grafana_unreachable', 'Grafana cannot be reached.');
        if (token !== ANNA && token !== BOB)
          throw new GatewayError('grafana_refused', 'Grafana refused the credential.');
        return { status: 200, contentType: 'application/json', text: '{"id":1,"name":"Main Org."}' };
      },
      async cached() {
        throw new Error('not used here');
      },
    }),
    ping: async () =>
      up() ? { ok: true, version: '12.0.0', detail: 'ok' } : { ok: false, detail: 'no way to grafana.test' },
    stats: () => ({ cacheHits: 3, cacheMisses: 1, cacheEntries: 1, upstreamCalls: 4 }),
    close: () => {},
  };
}
