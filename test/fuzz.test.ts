import { connect as connectTcp } from 'node:net';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from './support/world.ts';

// 10,000 malformed inputs: a valid answer or an error that names the fault; never a crash, a hang, a stack or a 5xx of ours.
const STACK = /\n\s+at .*:\d+:\d+|node:internal|TypeError|ReferenceError|undefined is not|\[object Object\]/;
let world: World;
let client: Client;
let session: string;
let headers: Record<string, string>;

beforeAll(async () => {
  world = await startWorld();
  client = await world.connect('streamable');
  headers = {
    authorization: `Bearer ${world.sandbox.tokens.viewer}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const opened = await fetch(`${world.url}/mcp`, { method: 'POST', headers, body: JSON.stringify(initialize) });
  session = opened.headers.get('mcp-session-id') ?? '';
  await opened.body?.cancel();
});
afterAll(async () => {
  // Still alive and well after all of it.
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  expect((await fetch(`${world.url}/healthz`)).status).toBe(200);
  await world.close();
});

const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'fuzz', version: '1' } },
};

describe('malformed input', () => {
  test('3,000 JSON-RPC bodies', async () => {
    await fc.assert(
      fc.asyncProperty(body, fc.boolean(), async (text, inSession) => {
        const response = await fetch(`${world.url}/mcp`, {
          method: 'POST',
          headers: inSession ? { ...headers, 'mcp-session-id': session } : headers,
          body: text,
          signal: AbortSignal.timeout(10_000),
        });
        const answer = await response.text();
        expect(response.status).toBeLessThan(500);
        expect(answer).not.toMatch(STACK);
        if (response.status >= 400)
          expect(JSON.parse(answer)).toMatchObject({ jsonrpc: '2.0', error: { message: expect.any(String) } });
      }),
      { numRuns: 3000, seed: 20261201 },
    );
  }, 120_000);

  // A client each: the SDK's hangs a listener on one signal for every request, until garbage is collected.
  test.each([1, 2, 3, 4, 5])(
    '5,000 argument objects, part %i',
    async (part) => {
      const client = await world.connect('streamable');
      const names = (await client.listTools()).tools.map((tool) => tool.name);
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...names), argumentObject, async (name, args) => {
          const result = await client.callTool({ name, arguments: args }, undefined, { timeout: 15_000 });
          const wire = JSON.stringify(result);
          expect(wire.length).toBeLessThanOrEqual(7500);
          expect(wire).not.toMatch(STACK);
          expect(wire).not.toContain('fault of the gateway itself');
          if (result.isError) expect((result.content as { text: string }[])[0]?.text.length).toBeGreaterThan(20);
        }),
        { numRuns: 1000, seed: 20261201 + part },
      );
      await client.close();
    },
    60_000,
  );

  test.each([1, 2])(
    '1,000 resource URIs and prompt arguments, part %i',
    async (part) => {
      const client = await world.connect('streamable');
      await fc.assert(
        fc.asyncProperty(
          uri,
          fc.dictionary(word, fc.string({ unit: 'binary', maxLength: 60 }), { maxKeys: 4 }),
          async (text, args) => {
            await client.readResource({ uri: text }).then(
              () => expect(text).toMatch(/^(datasource|grafana):/),
              (error: { code: number; message: string }) => {
                expect([-32002, -32602]).toContain(error.code);
                expect(error.message).not.toMatch(STACK);
              },
            );
            await client
              .getPrompt({ name: 'debug-error', arguments: args })
              .catch((error: { code: number }) => expect(error.code).toBe(-32602));
          },
        ),
        { numRuns: 500, seed: 20261201 + part },
      );
      await client.close();
    },
    60_000,
  );

  test('1,000 raw HTTP requests', async () => {
    const port = Number(new URL(world.url).port);
    await fc.assert(
      fc.asyncProperty(rawRequest, async (text) => {
        const answer = await raw(port, text);
        // An empty answer is Node closing a connection that does not speak HTTP.
        if (answer !== '') expect(answer).toMatch(/^HTTP\/1\.1 [1-4]\d\d /);
        expect(answer).not.toMatch(STACK);
      }),
      { numRuns: 1000, seed: 20261201 },
    );
  }, 60_000);
});

const word = fc.constantFrom('error', 'service', 'since', 'x', '__proto__', 'constructor', '');
const junk = fc.oneof(
  fc.jsonValue(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(null, -1, 1e308, '', [], {}, true),
);
const method = fc.constantFrom(
  'tools/list',
  'tools/call',
  'resources/read',
  'resources/list',
  'prompts/get',
  'completion/complete',
  'initialize',
  'ping',
  'nope',
  'notifications/cancelled',
);
const message = fc.record(
  {
    jsonrpc: fc.oneof(fc.constant('2.0'), junk),
    id: junk,
    method: fc.oneof(method, junk),
    params: fc.oneof(
      junk,
      fc.dictionary(fc.constantFrom('name', 'uri', 'arguments', 'ref', 'argument', 'cursor', '_meta'), junk),
    ),
  },
  { requiredKeys: [] },
);
const body = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.json(),
  message.map((m) => JSON.stringify(m)),
  fc.array(message, { maxLength: 4 }).map((m) => JSON.stringify(m)),
  message.map((m) => JSON.stringify(m).slice(0, -1)),
);
const key = fc.constantFrom(
  'logql',
  'promql',
  'datasource',
  'start',
  'end',
  'step',
  'limit',
  'cursor',
  'label',
  'selector',
  'match',
  'uri',
  'type',
  'name',
  'around',
  'detail',
  'direction',
  'expr',
  'query',
  'datasourceUid',
  'stepSeconds',
  'form',
  '__proto__',
);
const value = fc.oneof(
  junk,
  fc.constantFrom(
    '{app="x"}',
    '{app=',
    'rate({a="b"}[5m])',
    'up',
    'sum(',
    'now',
    'now-1h',
    'now-1h/h',
    '1796032800000000000',
    '99999999999999999999999',
    '-5m',
    '5m',
    '0',
    '1e400',
    'datasource:loki:%zz',
    '日志',
    'Loki Demo',
    '\u0000',
    '{"a":1}',
    '["a"]',
  ),
);
const argumentObject = fc.dictionary(key, value, { maxKeys: 6 });
const uri = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc
    .tuple(
      fc.constantFrom(
        'datasource:',
        'datasource:loki:',
        'grafana:',
        'dashboard:',
        'report:',
        'DATASOURCE:loki:',
        '//',
        'file:///etc/',
      ),
      fc.string({ maxLength: 60 }),
    )
    .map(([a, b]) => a + b),
);
const rawRequest = fc
  .record({
    verb: fc.constantFrom('GET', 'POST', 'DELETE', 'PUT', 'OPTIONS', 'get', 'BREW', ''),
    path: fc.oneof(
      fc.constantFrom(
        '/mcp',
        '/mcp/',
        '/sse',
        '/messages',
        '/messages?sessionId=x',
        '/',
        '/healthz',
        '/.well-known/x',
        '/%',
        '/mcp?token=abc',
        '//mcp',
        '/../mcp',
      ),
      fc.webPath(),
    ),
    host: fc.constantFrom('127.0.0.1', 'localhost', 'evil.example.test', '', '127.0.0.1:1'),
    extra: fc.constantFrom(
      '',
      'Authorization: Bearer \r\n',
      'Authorization: Basic x\r\n',
      'Content-Length: 5\r\n',
      'Transfer-Encoding: chunked\r\n',
      'Origin: http://evil.example.test\r\n',
      'Mcp-Session-Id: \u00e4\r\n',
      'X: y\n',
    ),
    body: fc.constantFrom('', 'hello', '5\r\nhello\r\n0\r\n\r\n', '{}'),
  })
  .map((r) => `${r.verb} ${r.path} HTTP/1.1\r\nHost: ${r.host}\r\nConnection: close\r\n${r.extra}\r\n${r.body}`);

/** Sends bytes, gives what comes within half a second after the request was written. */
function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTcp(port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    const timer = setTimeout(() => socket.destroy(), 500);
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      if (/\r\n\r\n/.test(answer)) socket.destroy();
    });
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(answer);
    });
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' || error.code === 'EPIPE' ? resolve(answer) : reject(error),
    );
  });
}
