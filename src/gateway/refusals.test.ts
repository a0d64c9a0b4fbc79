import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ANNA,
  type Asked,
  ask,
  echo,
  type Front,
  initialize,
  open,
  REVOKED,
  rpc,
  startFront,
  UNREACHABLE,
} from './testing/front.ts';

let front: Front;
let stateless: Front;
let session: string;
/** Opened with a revision that nobody knows: the newest was agreed on. */
let fallback: string;
beforeAll(async () => {
  front = await startFront({ basePath: '/tools' });
  stateless = await startFront({ stateless: true, noSse: true });
  session = await open(front.port);
  fallback = await open(front.port, { body: initialize('1.0') });
});
afterAll(async () => {
  await Promise.all([front.close(), stateless.close()]);
});

const big = JSON.stringify(echo('x'.repeat(4 * 1024 * 1024)));
const list = rpc('tools/list');
const twins = [rpc('ping', {}, 1), rpc('ping', {}, 1)];
const batch = [rpc('ping', {}, 1), rpc('ping', {}, 2)];

interface Case {
  asked: Asked | (() => Asked);
  status: number;
  code?: number;
  says?: RegExp;
  headers?: Record<string, RegExp>;
}
const bearer = { 'www-authenticate': /^Bearer/ };
const inSession = (asked: Asked) => () => ({ session, ...asked });

/** Every way in which the front door says no, and what else it must say then. */
const refusals: Record<string, Case> = {
  'no Authorization': { asked: { token: null, body: list }, status: 401, says: /missing/i, headers: bearer },
  'no Authorization, unreadable body': { asked: { token: null, body: '{' }, status: 401, headers: bearer },
  'a revoked token': {
    asked: { token: REVOKED, body: list },
    status: 401,
    says: /^(?!.*(revoked|expired)).*invalid/i,
    headers: bearer,
  },
  'another scheme': {
    asked: { token: null, headers: { authorization: 'Basic dTpw' } },
    status: 401,
    says: /invalid/i,
    headers: bearer,
  },
  'no space after the scheme': {
    asked: { token: null, headers: { authorization: `Bearer${ANNA}` } },
    status: 401,
    headers: bearer,
  },
  'an empty token': { asked: { token: '' }, status: 401, headers: bearer },
  'no identity on GET': { asked: { method: 'GET', token: null }, status: 401, headers: bearer },
  'no identity on DELETE': { asked: { method: 'DELETE', token: null }, status: 401, headers: bearer },
  'no identity on /messages': { asked: { path: '/messages', token: null, body: list }, status: 401, headers: bearer },
  'Grafana out of reach': {
    asked: { token: UNREACHABLE, body: list },
    status: 503,
    headers: { 'retry-after': /^\d+$/ },
  },
  'a token in the address': {
    asked: { path: '/mcp?token=glsa_fake_x', body: list },
    status: 400,
    says: /Authorization/,
  },
  'a token in the address, encoded': {
    asked: { path: '/mcp?a=1&%74oken=glsa_fake_x', body: list },
    status: 400,
    says: /Authorization/,
  },
  'a foreign Host': {
    asked: { headers: { host: 'evil.test' }, body: list },
    status: 403,
    says: /evil\.test.*--allowed-hosts/,
  },
  'a foreign Host, before identity': { asked: { token: null, headers: { host: 'evil.test' } }, status: 403 },
  '0.0.0.0 as Host': { asked: { headers: { host: '0.0.0.0' }, body: list }, status: 403 },
  'a foreign Origin': {
    asked: { headers: { origin: 'https://evil.test' }, body: list },
    status: 403,
    says: /evil\.test.*--allowed-origins/,
  },
  'a foreign Origin, before identity': { asked: { token: null, headers: { origin: 'null' } }, status: 403 },
  'a body above 4 MB': { asked: { body: big }, status: 413 },
  'malformed JSON': { asked: { body: '{"jsonrpc":' }, status: 400, code: -32700 },
  'no body': { asked: { headers: { 'content-type': 'application/json' } }, status: 400 },
  'JSON that is no message': { asked: inSession({ body: { hello: 'world' } }), status: 400 },
  'JSON that is no object': { asked: inSession({ body: '"hello"' }), status: 400 },
  'null as body': { asked: inSession({ body: 'null' }), status: 400 },
  'an empty batch': { asked: inSession({ body: [] }), status: 400, code: -32600 },
  'a batch since 2025-06-18': { asked: inSession({ body: batch }), status: 400, code: -32600, says: /batch/i },
  'a batch, by its header': {
    asked: inSession({ body: batch, headers: { 'mcp-protocol-version': '2025-06-18' } }),
    status: 400,
    code: -32600,
  },
  'a batch where the revision was unknown': {
    asked: () => ({ session: fallback, body: batch }),
    status: 400,
    code: -32600,
  },
  'text instead of JSON': { asked: { headers: { 'content-type': 'text/plain' }, body: 'hello' }, status: 415 },
  'JSON in an unknown encoding': {
    asked: { headers: { 'content-encoding': 'fake' }, body: list },
    status: 415,
    says: /Content-Encoding/,
  },
  'JSON in an unknown charset': {
    asked: { headers: { 'content-type': 'application/json; charset=fake' }, body: list },
    status: 415,
    says: /charset.*Content-Type/,
  },
  ...Object.fromEntries(
    ['gzip', 'deflate', 'br'].map((encoding) => [
      `a body that is not ${encoding}`,
      {
        asked: { headers: { 'content-encoding': encoding }, body: list },
        status: 400,
        code: -32600,
        says: /Content-Encoding/,
      },
    ]),
  ),
  'a batch with one id twice': {
    asked: { body: twins, headers: { 'mcp-protocol-version': '2025-03-26' } },
    status: 400,
    code: -32600,
    says: /id 1 twice/,
  },
  'an answer in JSON alone': {
    asked: inSession({ body: list, headers: { accept: 'application/json' } }),
    status: 406,
    says: /text\/event-stream/,
  },
  'an answer in HTML': { asked: inSession({ body: list, headers: { accept: 'text/html' } }), status: 406 },
  'a page instead of a stream': { asked: inSession({ method: 'GET', headers: { accept: 'text/html' } }), status: 406 },
  'an unknown revision': {
    asked: inSession({ body: list, headers: { 'mcp-protocol-version': '1999-01-01' } }),
    status: 400,
  },
  'no session': { asked: { body: list }, status: 400, says: /Mcp-Session-Id/ },
  'an unknown session': { asked: { body: list, session: 'nope' }, status: 404, code: -32001 },
  'an unknown session on GET': { asked: { method: 'GET', session: 'nope' }, status: 404, code: -32001 },
  'an unknown session on DELETE': { asked: { method: 'DELETE', session: 'nope' }, status: 404, code: -32001 },
  'DELETE without session': { asked: { method: 'DELETE' }, status: 400 },
  'initialize that lacks what it needs': { asked: { body: rpc('initialize') }, status: 400 },
  'initialize as a notification': {
    asked: { body: { jsonrpc: '2.0', method: 'initialize', params: {} } },
    status: 400,
  },
  '/messages without sessionId': { asked: { path: '/messages', body: list }, status: 400, says: /sessionId/ },
  '/messages of an unknown session': {
    asked: { path: '/messages?sessionId=x', body: list },
    status: 404,
    code: -32001,
  },
  '/messages with the id of another transport': {
    asked: () => ({ path: `/messages?sessionId=${session}`, body: list }),
    status: 404,
    code: -32001,
  },
  'PUT /mcp': { asked: { method: 'PUT', body: list }, status: 405, headers: { allow: /GET, POST, DELETE/ } },
  'HEAD /mcp': { asked: { method: 'HEAD' }, status: 405, headers: { allow: /POST/ } },
  'GET /messages': { asked: { method: 'GET', path: '/messages?sessionId=x' }, status: 405, headers: { allow: /POST/ } },
  'another path': { asked: { method: 'GET', path: '/other' }, status: 404 },
  'a path that cannot be decoded': { asked: { method: 'GET', path: '/%zz' }, status: 404 },
};

describe('refusals', () => {
  test.each(Object.entries(refusals))('%s', async (_name, wanted) => {
    const asked = typeof wanted.asked === 'function' ? wanted.asked() : wanted.asked;
    const answer = await ask(front.port, asked);
    expect([answer.status, answer.text.slice(0, 300)]).toEqual([wanted.status, answer.text.slice(0, 300)]);
    for (const [name, value] of Object.entries(wanted.headers ?? {})) expect(answer.headers[name]).toMatch(value);
    if (asked.method === 'HEAD') return;
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.json).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: expect.any(Number) } });
    if (wanted.code !== undefined) expect(answer.json.error?.code).toBe(wanted.code);
    if (wanted.says) expect(answer.json.error?.message).toMatch(wanted.says);
  });

  const statelessRefusals: Record<string, Case> = {
    'GET /mcp': { asked: { method: 'GET' }, status: 405, headers: { allow: /^POST$/ } },
    'DELETE /mcp': { asked: { method: 'DELETE' }, status: 405, headers: { allow: /^POST$/ } },
    'PUT /mcp': { asked: { method: 'PUT', body: list }, status: 405, headers: { allow: /^POST$/ } },
    'an answer in JSON alone': { asked: { body: list, headers: { accept: 'application/json' } }, status: 406 },
    'a batch since 2025-06-18': {
      asked: { body: batch, headers: { 'mcp-protocol-version': '2025-06-18' } },
      status: 400,
      code: -32600,
    },
    'an unknown revision': { asked: { body: list, headers: { 'mcp-protocol-version': '2026-07-28' } }, status: 400 },
    'a batch with one id twice': { asked: { body: twins }, status: 400, code: -32600 },
  };
  test.each(Object.entries(statelessRefusals))('--stateless: %s', async (_name, wanted) => {
    const answer = await ask(stateless.port, wanted.asked as Asked);
    expect(answer.status).toBe(wanted.status);
    for (const [name, value] of Object.entries(wanted.headers ?? {})) expect(answer.headers[name]).toMatch(value);
    expect(answer.json).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: wanted.code ?? expect.any(Number) } });
  });

  test.each<[string, (whole: Buffer) => Buffer, number]>([
    ['whole', (whole) => whole, 200],
    ['cut short', (whole) => whole.subarray(0, -12), 400],
    ['followed by something else', (whole) => Buffer.concat([whole, Buffer.from('xyz, and more')]), 400],
  ])('a body in gzip that is %s', async (_what, change, status) => {
    const body = change(gzipSync(JSON.stringify(echo('hi', 'z'))));
    const headers = {
      authorization: `Bearer ${ANNA}`,
      accept: '*/*',
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      'mcp-session-id': session,
    };
    const answer = await fetch(`${front.url}/mcp`, { method: 'POST', headers, body });
    expect([answer.status, await answer.text()]).toEqual([
      status,
      expect.stringMatching(status === 200 ? /"id":"z"/ : /"code":-32600,"message":"[^"]*Content-Encoding/),
    ]);
  });

  test.each(['HTTP/1.1', 'HTTP/1.0'])('a request of %s with an empty Host or none', async (version) => {
    for (const host of ['', 'Host:\r\n']) {
      const socket = connect(front.port, '127.0.0.1');
      socket.end(`POST /mcp ${version}\r\n${host}Content-Length: 0\r\nConnection: close\r\n\r\n`);
      const answer = (await socket.toArray()).join('');
      expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*"code":-32600,"message":"The request has no Host header\."/);
    }
  });

  test.each(['tools/list', 'prompts/list', 'resources/templates/list'])(
    '%s with a cursor that is none',
    async (method) => {
      const { json } = await ask(front.port, { session, body: rpc(method, { cursor: 'x' }) });
      expect(json.error).toEqual({ code: -32602, message: expect.stringMatching(/cursor/) });
    },
  );

  test('no refusal reached the catalogue, and no token reached the log', async () => {
    const before = front.calls.length;
    await ask(front.port, { token: REVOKED, body: list });
    expect(front.calls.length).toBe(before);
    expect(front.log.join('')).not.toMatch(/glsa_fake|dTpw|evil\.test/);
    // The operator sees at once whether it is the client that forgets its header.
    expect(front.log.join('')).toMatch(/"reason":"missing"/);
    expect(front.log.join('')).toMatch(/"reason":"invalid"/);
  });
});

describe('let in', () => {
  test.each(['bearer', 'BEARER', 'Bearer ', 'BeArEr  '])('scheme "%s"', async (scheme) => {
    const answer = await ask(front.port, {
      token: null,
      headers: { authorization: `${scheme} ${ANNA}` },
      body: echo('hi'),
      session,
    });
    expect(answer.status).toBe(200);
  });
  test.each([
    '*/*',
    'application/*, text/*',
    'application/json;q=0.9, text/event-stream',
    'Application/JSON, Text/Event-Stream',
  ])('Accept: %s', async (accept) => {
    expect((await ask(front.port, { body: echo('hi'), session, headers: { accept } })).status).toBe(200);
  });
  test('a charset after the content type', async () => {
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    expect((await ask(front.port, { body: echo('hi'), session, headers })).status).toBe(200);
  });
  test('a body just below 4 MB', async () => {
    const answer = await ask(front.port, { body: echo('x'.repeat(4 * 1024 * 1024 - 500)), session });
    expect(answer.status).toBe(200);
  });
  test('a batch of a revision that had them, bounded', async () => {
    const old = await open(front.port, { body: initialize('2025-03-26') });
    const answer = await ask(front.port, { session: old, body: batch });
    expect([answer.status, [...answer.text.matchAll(/"id":(\d)/g)].map((m) => m[1])]).toEqual([200, ['1', '2']]);
    const many = Array.from({ length: 200 }, (_, i) => rpc('ping', {}, i));
    expect((await ask(front.port, { session: old, body: many })).status).toBe(400);
  });
  test.each(['/mcp', '/mcp/', '/tools/mcp', '/tools/mcp/', '/sse', '/tools/sse'])('POST %s', async (path) => {
    expect((await ask(front.port, { path, body: echo('hi'), session })).json.result).toBeDefined();
  });
});

describe('without identity', () => {
  const get = (path: string, port = front.port) =>
    ask(port, { method: 'GET', path, token: null, headers: { host: 'pod.test' } });
  test('health and readiness are told to anybody, and say nothing of the inside', async () => {
    const health = await get('/healthz');
    expect([health.status, health.json.status]).toEqual([200, 'ok']);
    expect(health.json.sessions).toEqual(expect.any(Number));
    expect(health.text).not.toContain(session);
    expect((await get('/readyz')).status).toBe(200);
    front.grafanaUp = false;
    const unready = await get('/readyz');
    front.grafanaUp = true;
    expect(unready.status).toBe(503);
    expect(unready.text).not.toContain('grafana.test');
    expect((await get('/tools/healthz')).status).toBe(200);
  });

  test('/metrics counts without names', async () => {
    await ask(front.port, { body: rpc('tools/call', { name: 'no_such_tool', arguments: {} }), session });
    const { status, text } = await get('/metrics');
    expect(status).toBe(200);
    expect(text).toMatch(/_sessions\{?.*\}? \d/);
    expect(text).toMatch(/cache.*hit.* 3$/m);
    expect(text).not.toMatch(/glsa_|grafana:|no_such_tool|anna/);
  });

  test.each([
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-authorization-server/mcp',
    '/.well-known/openid-configuration',
    '/tools/.well-known/oauth-protected-resource',
  ])('%s is a JSON 404', async (path) => {
    const answer = await ask(front.port, { method: 'GET', path, token: null });
    expect([answer.status, answer.headers['content-type']]).toEqual([404, expect.stringMatching(/^application\/json/)]);
    expect(answer.json).toBeTypeOf('object');
  });

  test.each([
    ['POST', '/register'],
    ['GET', '/authorize?client_id=x'],
    ['POST', '/token'],
    ['POST', '/tools/register'],
  ])('%s %s tells a person about the bearer token, in the form of OAuth', async (method, path) => {
    const body =
      method === 'POST'
        ? { body: 'grant_type=x', headers: { 'content-type': 'application/x-www-form-urlencoded' } }
        : {};
    const answer = await ask(front.port, { method, path, token: null, ...body });
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({
      error: expect.stringMatching(/^[a-z_]+$/),
      error_description: expect.stringMatching(/bearer token.*(missing|refused)/is),
    });
  });
});

test('what is not HTTP gets a short answer, and the listener lives on', async () => {
  const answer = await new Promise<string>((resolve) => {
    const socket = connect(front.port, '127.0.0.1', () => socket.write('hello\r\n\r\n'));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('close', () => resolve(text));
  });
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect((await ask(front.port, { body: echo('hi'), session })).status).toBe(200);
});
