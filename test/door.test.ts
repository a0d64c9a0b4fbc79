import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../sandbox/main.ts';
import { cli, running, start } from './support/cli.ts';
import { type Gateways, startGateways, TRANSPORTS } from './support/gateway.ts';

// How the shipped process ends: what runs is answered, then its streams end, then it.
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ port: 0 });
});
beforeEach(() => {
  sandbox.faults.clear();
  sandbox.faults.add({ kind: 'hang', match: 'query' });
});
afterAll(() => sandbox.close());

const env = () => ({ GRAFANA_URL: sandbox.url, GRAFANA_SERVICE_ACCOUNT_TOKEN: sandbox.tokens.viewer });
const FLAGS = ['--drain', '300ms', '--audit-file', '/dev/null'];
const stuck = { name: 'query_prometheus', arguments: { promql: 'up' } };
const told = {
  isError: true,
  content: [
    {
      type: 'text',
      text: expect.stringMatching(/^The gateway is shutting down\.\nCall again[\s\S]*code: shutting_down/),
    },
  ],
};
/** Requests that the sandbox never answers. */
const hanging = () => sandbox.requests().filter(({ path }) => path.includes('query')).length;

describe('a call that runs when the grace of the drain ends is told so', () => {
  test.each([
    ['streamable HTTP', [], '/mcp'],
    ['streamable HTTP, --stateless', ['--stateless'], '/mcp'],
    ['SSE', [], '/sse'],
  ])('over %s', async (_name, flags, path) => {
    const gateway = await running(['serve', '--port', '0', ...FLAGS, ...flags], env(), 'stderr');
    const address = new URL(path, JSON.parse(gateway.line).url);
    const client = new Client({ name: 'test', version: '1' });
    const transport = path === '/sse' ? new SSEClientTransport(address) : new StreamableHTTPClientTransport(address);
    await client.connect(transport as Parameters<Client['connect']>[0]);
    const before = hanging();
    const answer = client.callTool(stuck);
    await expect.poll(hanging).toBeGreaterThan(before);
    const [{ code, ms }, result] = await Promise.all([gateway.stop('SIGTERM'), answer]);
    expect(result).toMatchObject(told);
    expect([code, ms < 3000]).toEqual([0, true]);
    await client.close();
  });

  test.each(['SIGTERM', 'SIGINT', 'the end of stdin'] as const)('over stdio, at %s', async (how) => {
    const gateway = await stdio();
    const before = hanging();
    const answer = gateway.ask('tools/call', stuck);
    await expect.poll(hanging).toBeGreaterThan(before);
    const closed = once(gateway.child, 'close');
    if (how === 'the end of stdin') gateway.child.stdin?.end();
    else gateway.child.kill(how);
    const [[code], { result }] = await Promise.all([closed, answer]);
    expect(result).toMatchObject(told);
    expect(code).toBe(0);
  });
});

describe('stdio, while it drains', () => {
  test('a call that ends in time is answered; a new one is refused', async () => {
    sandbox.faults.clear();
    sandbox.faults.add({ kind: 'latency', ms: 700, match: 'query' });
    const gateway = await stdio('5s');
    const before = hanging();
    const answer = gateway.ask('tools/call', stuck);
    await expect.poll(hanging).toBeGreaterThan(before);
    const closed = once(gateway.child, 'close');
    gateway.child.kill('SIGTERM');
    await new Promise((resolve) => setTimeout(resolve, 100));
    const late = await gateway.ask('tools/list', {});
    expect(late.error).toEqual({ code: -32000, message: 'The gateway is shutting down.' });
    expect((await answer).result).not.toHaveProperty('isError');
    expect((await closed)[0]).toBe(0);
  });

  test('a client that has ended its stdin and sends a signal waits for no grace', async () => {
    const gateway = await stdio('60s');
    const before = hanging();
    const answer = gateway.ask('tools/call', stuck);
    await expect.poll(hanging).toBeGreaterThan(before);
    const closed = once(gateway.child, 'close');
    gateway.child.stdin?.end();
    await new Promise((resolve) => setTimeout(resolve, 100));
    gateway.child.kill('SIGTERM');
    expect((await answer).result).toMatchObject(told);
    expect((await closed)[0]).toBe(0);
  });
});

describe('stdio', () => {
  const ping = (id: number) => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' });
  const deep = `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`;
  test.each([
    ['no JSON', 'hello', [null, -32700]],
    ['half a message', '{"jsonrpc":"2.0","id":5', [null, -32700]],
    ['JSON that is no message', '{"id":5,"method":"ping"}', [5, -32600]],
    ['a number', '42', [null, -32600]],
    ['a batch', `[${ping(5)}]`, [null, -32600]],
    ['a line above 4 MB', `{"jsonrpc":"2.0","id":5,"method":"ping","x":"${'x'.repeat(5e6)}"}`, [null, -32600]],
    ['a method that nobody has', '{"jsonrpc":"2.0","id":5,"method":"nope"}', [5, -32601]],
    [
      'arguments nested without end',
      `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"query_prometheus","arguments":{"promql":${deep}}}}`,
      [5, undefined],
    ],
  ])('%s is answered, an empty line is not, and the next request is', async (_what, line, answer) => {
    const { code, stdout } = await cli(['stdio'], env(), `\n${line}\n \r\n${ping(9)}\n`);
    const answers: Message[] = stdout
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text));
    const seen = answers.map(({ id, error }) => [id, error?.code]);
    expect(seen).toHaveLength(2);
    expect(seen).toEqual(expect.arrayContaining([answer, [9, undefined]]));
    expect(code).toBe(0);
  });
});

describe.each(TRANSPORTS)('a cursor that no list gave, over %s', (transport) => {
  let gateways: Gateways;
  let client: Client;
  beforeAll(async () => {
    gateways = await startGateways(sandbox.url);
    client = await gateways.connect(transport, sandbox.tokens.viewer);
  });
  afterAll(() => gateways.close());

  test.each(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'] as const)(
    'is an error of %s',
    async (method) => {
      for (const cursor of ['x', '', 'cDFhYWFhYWFhYWFhYWEwMDA', '50']) {
        await expect(client.request({ method, params: { cursor } }, ResultSchema)).rejects.toMatchObject({
          code: -32602,
          message: expect.stringMatching(/: Invalid cursor/),
        });
      }
      await client.request({ method, params: {} }, ResultSchema);
    },
  );
});

interface Message {
  id?: unknown;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

/** The bundle over stdio, initialized; `ask` is one request and its answer. */
async function stdio(drain = '300ms') {
  const child: ChildProcess = start(['stdio', '--audit-file', '/dev/null', '--drain', drain], env());
  const answers = new Map<unknown, (message: Message) => void>();
  if (child.stdout === null) throw new Error('no stdout');
  createInterface(child.stdout).on('line', (line) => {
    const message: Message = JSON.parse(line);
    answers.get(message.id)?.(message);
  });
  let id = 0;
  const ask = (method: string, params: object) =>
    new Promise<Message>((resolve, reject) => {
      id += 1;
      answers.set(id, resolve);
      child.once('close', () => reject(new Error(`no answer to ${method}`)));
      child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  await ask('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'raw', version: '1' },
  });
  return { child, ask };
}
