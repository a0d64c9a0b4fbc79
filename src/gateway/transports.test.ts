import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ANNA, ask, echo, type Front, initialize, open, rpc, startFront, stream, until } from './testing/front.ts';

let sessions: Front;
let stateless: Front;
beforeAll(async () => {
  sessions = await startFront({ basePath: '/tools' });
  stateless = await startFront({ stateless: true });
});
afterAll(async () => {
  await Promise.all([sessions.close(), stateless.close()]);
});

const ways: [string, () => [Front, Promise<Client>]][] = [
  ['streamable', () => [sessions, sessions.connect('streamable')]],
  ['streamable below the base path', () => [sessions, sessions.connect('streamable', ANNA, '/tools/mcp')]],
  ['streamable at /sse', () => [sessions, sessions.connect('streamable', ANNA, '/sse')]],
  ['stateless', () => [stateless, stateless.connect('streamable')]],
  ['SSE', () => [sessions, sessions.connect('sse')]],
  ['SSE below the base path', () => [sessions, sessions.connect('sse', ANNA, '/tools/sse')]],
  ['SSE at /mcp', () => [sessions, sessions.connect('sse', ANNA, '/mcp')]],
  ['SSE beside --stateless', () => [stateless, stateless.connect('sse')]],
];

describe.each(ways)('the official client over %s', (_name, way) => {
  let front: Front;
  let client: Client;
  beforeAll(async () => {
    const [place, connecting] = way();
    front = place;
    client = await connecting;
  });

  test('lists, calls, reads, completes', async () => {
    expect(client.getServerCapabilities()).toEqual({ tools: {}, resources: {}, prompts: {}, completions: {} });
    expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(['echo', 'slow', 'fail']);
    const result = await client.callTool({ name: 'echo', arguments: { text: 'grüße 日本' } });
    expect(JSON.stringify(result.content)).toContain('grüße 日本');
    expect((await client.readResource({ uri: 'fake:ok' })).contents).toHaveLength(1);
    expect((await client.listResources()).resources).toEqual([]);
    const ref = { type: 'ref/prompt' as const, name: 'x' };
    const completed = await client.complete({ ref, argument: { name: 'a', value: '' } });
    expect(completed.completion.values).toEqual(['a', 'b']);
    await client.ping();
  });

  test.each([
    ['an unknown tool', (c: Client) => c.callTool({ name: 'none' }), -32602, /unknown tool none/],
    ['an unknown resource', (c: Client) => c.readResource({ uri: 'fake:none' }), -32002, /no resource fake:none/],
    ['an unknown prompt', (c: Client) => c.getPrompt({ name: 'none' }), -32602, /unknown prompt none/],
    [
      'a fault that may be told',
      (c: Client) => c.readResource({ uri: 'fake:fault' }),
      -32603,
      /the datasource is away/,
    ],
    ['a fault of the inside', (c: Client) => c.callTool({ name: 'fail' }), -32603, /^(?!.*secret).*gateway/],
  ])('%s is a protocol error', async (_what, act, code, message) => {
    const error = await act(client).then(
      () => undefined,
      (e: { code: number; message: string }) => e,
    );
    expect(error?.code).toBe(code);
    expect(error?.message).toMatch(message);
  });

  test('progress arrives before the answer, and only where a token was given', async () => {
    const seen: number[] = [];
    const onprogress = ({ progress }: { progress: number }) => void seen.push(progress);
    await client.callTool({ name: 'slow', arguments: { ms: 0 } }, undefined, { onprogress });
    expect(seen).toEqual([1]);
    expect(front.calls.at(-1)?.progress).toBeDefined();
    await client.callTool({ name: 'slow', arguments: { ms: 0 } });
    expect(front.calls.at(-1)?.progress).toBeUndefined();
  });
});

describe('a call is cancelled', () => {
  test.each(['streamable', 'sse'] as const)('by the client, over %s', async (kind) => {
    const client = await sessions.connect(kind);
    const controller = new AbortController();
    const calling = client.callTool({ name: 'slow', arguments: { ms: 10_000 } }, undefined, {
      signal: controller.signal,
    });
    await until(() => sessions.calls.at(-1)?.signal.aborted === false && sessions.calls.length > 0);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const call = sessions.calls.at(-1);
    controller.abort();
    await expect(calling).rejects.toThrow();
    await until(() => call?.signal.aborted === true);
  });

  test('and its stream ends, so that the session can be idle', async () => {
    const session = await open(sessions.port);
    const running = ask(sessions.port, {
      session,
      body: rpc('tools/call', { name: 'slow', arguments: { ms: 10_000 } }, 'c'),
    });
    await until(() => sessions.calls.at(-1)?.sessionId === session);
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'c' } };
    expect((await ask(sessions.port, { session, body: cancelled })).status).toBe(202);
    expect((await running).text).not.toContain('"id"');
    expect((await ask(sessions.port, { session, body: echo('the id is free again', 'c') })).status).toBe(200);
  });

  test('by closing the stream, over SSE', async () => {
    const client = await sessions.connect('sse');
    const calling = client.callTool({ name: 'slow', arguments: { ms: 10_000 } }).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 50));
    const call = sessions.calls.at(-1);
    await client.close();
    await calling;
    await until(() => call?.signal.aborted === true);
  });

  test('by closing the request, with --stateless', async () => {
    const controller = new AbortController();
    const before = stateless.calls.length;
    const calling = fetch(`${stateless.url}/mcp`, {
      method: 'POST',
      signal: controller.signal,
      headers: {
        authorization: `Bearer ${ANNA}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(rpc('tools/call', { name: 'slow', arguments: { ms: 10_000 } })),
    }).then(
      (response) => response.text(),
      () => {},
    );
    await until(() => stateless.calls.length > before);
    controller.abort();
    await calling.catch(() => {});
    await until(() => stateless.calls.at(-1)?.signal.aborted === true);
  });
});

describe('what a call is told', () => {
  const trace = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  test.each([
    ['a fit id and trace', { 'x-request-id': 'abc-1.2_3', traceparent: trace }, 'abc-1.2_3', trace],
    ['an unfit id and trace', { 'x-request-id': 'a b\tc', traceparent: 'no' }, /^[0-9a-f-]{36}$/, undefined],
    ['nothing', {}, /^[0-9a-f-]{36}$/, undefined],
  ])('%s', async (_what, headers, requestId, traceparent) => {
    const session = await open(sessions.port, { body: initialize('2025-06-18') });
    const answer = await ask(sessions.port, { session, body: echo('x'), headers });
    const call = sessions.calls.at(-1);
    expect(call?.requestId).toMatch(requestId);
    expect(answer.headers['x-request-id']).toBe(call?.requestId);
    expect(call?.traceparent).toBe(traceparent);
    expect(call?.sessionId).toBe(session);
    // The revision that was agreed on, where the client does not repeat it.
    expect(call?.protocolVersion).toBe('2025-06-18');
  });

  test('the identity of its own request, narrowed by it', async () => {
    const session = await open(sessions.port);
    await ask(sessions.port, { session, body: echo('x'), headers: { 'x-gateway-scopes': 'logs:read, sql:read' } });
    expect([...(sessions.calls.at(-1)?.identity.scopes ?? [])]).toEqual(['logs:read']);
    await ask(sessions.port, { session, body: echo('x') });
    expect(sessions.calls.at(-1)?.identity.scopes.size).toBeGreaterThan(1);
  });

  test('the headers that the operator lets pass', async () => {
    const front = await startFront({ forwardHeaders: 'X-Tenant', stateless: true });
    await ask(front.port, { body: echo('x'), headers: { 'x-tenant': 'a', 'x-other': 'b' } });
    expect(front.calls.at(-1)?.forwarded).toEqual({ 'x-tenant': 'a' });
    await front.close();
  });
});

test('a batch with one id twice is refused on /messages too, and none of it runs', async () => {
  const opened = await stream(sessions.port, { path: '/sse' });
  await until(() => opened.text().includes('data: '));
  const path = /data: (\S+)/.exec(opened.text())?.[1] ?? '';
  const before = sessions.calls.length;
  const answer = await ask(sessions.port, { path, body: [echo('a', 'twin'), echo('b', 7), echo('c', 'twin')] });
  expect([answer.status, answer.json.error]).toEqual([
    400,
    { code: -32600, message: expect.stringContaining('"twin"') },
  ]);
  expect(sessions.calls.length).toBe(before);
  opened.drop();
});

describe('streams', () => {
  test('SSE: no buffering, the endpoint below the base path, an absolute path', async () => {
    for (const [path, base] of [
      ['/tools/sse', '/tools'],
      ['/sse', '/tools'],
    ]) {
      const opened = await stream(sessions.port, { path: path ?? '' });
      expect([opened.status, opened.headers['content-type'], opened.headers['x-accel-buffering']]).toEqual([
        200,
        'text/event-stream',
        'no',
      ]);
      expect(opened.headers['cache-control']).toMatch(/no-cache.*no-transform/);
      await until(() => opened.text().includes('\n\n'));
      expect(opened.text()).toMatch(new RegExp(`^event: endpoint\ndata: ${base}/messages\\?sessionId=`));
      opened.drop();
    }
  });

  test('the stream of a session is one, and says so', async () => {
    const session = await open(sessions.port);
    const first = await stream(sessions.port, { session });
    expect([first.status, first.headers['content-type']]).toEqual([200, 'text/event-stream']);
    expect((await ask(sessions.port, { method: 'GET', session })).status).toBe(409);
    first.drop();
  });

  test('--no-sse: /sse and /messages are not there, GET /mcp needs a session', async () => {
    const front = await startFront({ noSse: true });
    for (const asked of [
      { method: 'GET', path: '/sse' },
      { method: 'POST', path: '/messages?sessionId=x', body: echo('x') },
      { method: 'GET', path: '/mcp' },
    ]) {
      const answer = await ask(front.port, asked);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
      expect(answer.json.error?.message).toBeTypeOf('string');
    }
    expect((await ask(front.port, { path: '/sse', body: initialize() })).status).toBe(200);
    await front.close();
  });
});
