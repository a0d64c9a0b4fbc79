import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { type AuditRecord, openAudit } from './audit.ts';
import { createRateLimit } from './limits.ts';
import { ask, echo, initialize, open, rpc, startFront, stream, until } from './testing/front.ts';

const folder = mkdtempSync(join(tmpdir(), 'server-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a listener beyond loopback', () => {
  const service = { grafanaToken: 'glsa_fake_service' };
  test.each([
    ['with nothing said about identity', { host: '0.0.0.0' }, /--host 0\.0\.0\.0.*--auth.*--allow-unauthenticated/],
    ['with a service account and nothing else', { host: '::', ...service }, /--auth.*--allow-unauthenticated/],
    [
      'with anonymous callers',
      { host: '0.0.0.0', auth: 'anonymous', ...service },
      /anonymous.*--allow-unauthenticated/,
    ],
    ['with anonymous callers too', { host: '0.0.0.0', auth: 'grafana,anonymous', ...service }, /anonymous/],
  ])('%s does not start', async (_what, settings, message) => {
    await expect(startFront({ auth: undefined, ...settings })).rejects.toThrow(message);
  });
  test.each([
    ['with an identity', { host: '0.0.0.0', auth: 'grafana' }, 401],
    [
      'where the operator allows anonymous callers',
      { host: '0.0.0.0', auth: 'anonymous', allowUnauthenticated: true, ...service },
      200,
    ],
  ])('%s starts', async (_what, settings, status) => {
    const front = await startFront(settings);
    expect(front.url).toBe(`http://127.0.0.1:${front.port}`);
    expect((await ask(front.port, { token: null, body: initialize() })).status).toBe(status);
    // Counts are for operators: not on the network unless they say so.
    expect((await ask(front.port, { method: 'GET', path: '/metrics', token: null })).status).not.toBe(200);
    await front.close();
  });
});

test('settings that cannot be served are refused in words', async () => {
  await expect(startFront({ trustedProxies: 'my-proxy' })).rejects.toThrow(/--trusted-proxies/);
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const address = taken.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  await expect(startFront({ port })).rejects.toMatchObject({ code: 'EADDRINUSE', port });
  await expect(startFront({ metricsPort: port })).rejects.toMatchObject({ code: 'EADDRINUSE', port });
  taken.close();
});

test('--metrics-port: there, and not on the main port', async () => {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  const metricsPort = typeof address === 'object' && address !== null ? address.port : 0;
  await new Promise((resolve) => probe.close(resolve));
  const front = await startFront({ metricsPort });
  const get = async (port: number, path: string) => (await ask(port, { method: 'GET', path, token: null })).status;
  expect([await get(metricsPort, '/metrics'), await get(metricsPort, '/mcp')]).toEqual([200, 404]);
  expect(await get(front.port, '/metrics')).toBe(401);
  await front.close();
});

describe('drain', () => {
  test('not ready, nothing new, running calls end, streams end', async () => {
    const front = await startFront({ drain: '30s' });
    const session = await open(front.port);
    const events = await stream(front.port, { session });
    const legacy = await stream(front.port, { path: '/sse' });
    const slow = rpc('tools/call', { name: 'slow', arguments: { ms: 60_000 } });
    const running = ask(front.port, { session, body: slow });
    await until(() => front.calls.length === 1);
    const closing = front.close();
    const seen = {
      health: (await ask(front.port, { method: 'GET', path: '/healthz', token: null })).json.status,
      ready: (await ask(front.port, { method: 'GET', path: '/readyz', token: null })).status,
      initialize: (await ask(front.port, { body: initialize() })).status,
      sse: (await ask(front.port, { method: 'GET', path: '/sse' })).status,
      call: (await ask(front.port, { session, body: echo('new', 9) })).status,
    };
    expect(seen).toEqual({ health: 'draining', ready: 503, initialize: 503, sse: 503, call: 503 });
    const began = Date.now();
    front.finish();
    expect((await running).text).toContain('done');
    await Promise.all([closing, events.ended, legacy.ended]);
    expect(Date.now() - began).toBeLessThan(3000);
    await expect(ask(front.port, { body: initialize() })).rejects.toThrow(/ECONNREFUSED/);
  });

  test.each([false, true])('a call that takes longer than --drain is cut (stateless: %s)', async (stateless) => {
    const front = await startFront({ drain: '100ms', stateless });
    const session = stateless ? {} : { session: await open(front.port) };
    const slow = rpc('tools/call', { name: 'slow', arguments: { ms: 20_000 } });
    const running = ask(front.port, { ...session, body: slow });
    const reading = ask(front.port, { ...session, body: rpc('resources/read', { uri: 'fake:hang' }, 3) });
    await until(() => front.calls.length === 2);
    const began = Date.now();
    await front.close();
    expect(Date.now() - began).toBeLessThan(4000);
    expect(front.calls[0]?.signal.aborted).toBe(true);
    // Its client hears why, a model as the error of its tool.
    expect((await running).json.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/shutting down/) }],
    });
    expect((await reading).json.error?.message).toMatch(/^The gateway is shutting down\. Call again/);
  });

  test('with idle clients it takes no time, and closing twice is closing once', async () => {
    const front = await startFront();
    await Promise.all([front.connect('streamable'), front.connect('sse')]);
    await stream(front.port, { path: '/sse' });
    const began = Date.now();
    await Promise.all([front.close(), front.close()]);
    expect(Date.now() - began).toBeLessThan(3000);
  });
});

test('a stream ends with the credential that opened it', async () => {
  const { default: jwt } = await import('jsonwebtoken');
  const secret = 'fake-secret-of-a-test';
  const front = await startFront({
    auth: 'jwt',
    jwtSecret: secret,
    jwtIssuer: 'i',
    jwtAudience: 'a',
    grafanaToken: 'glsa_fake_service',
  });
  const tokenOf = (exp: number) => jwt.sign({ iss: 'i', aud: 'a', sub: 'anna', exp }, secret);
  const seconds = Math.floor(Date.now() / 1000);
  const short = tokenOf(seconds + 2);
  const session = await open(front.port, { token: short });
  const streams = await Promise.all([
    stream(front.port, { session, token: short }),
    stream(front.port, { path: '/sse', token: short }),
  ]);
  expect(streams.map((s) => s.status)).toEqual([200, 200]);
  await Promise.all(streams.map((s) => s.ended));
  expect(Date.now() / 1000).toBeGreaterThanOrEqual(seconds + 1.9);
  expect((await ask(front.port, { session, token: short, body: echo('late') })).status).toBe(401);
  // The session goes on with a renewed token of the same user, and belongs to no other one.
  expect((await ask(front.port, { session, token: tokenOf(seconds + 60), body: echo('renewed') })).status).toBe(200);
  const bob = jwt.sign({ iss: 'i', aud: 'a', sub: 'bob', exp: seconds + 60 }, secret);
  expect((await ask(front.port, { session, token: bob, body: echo('foreign') })).status).toBe(404);
  await front.close();
});

test('a bucket refills evenly, keeps principals apart and forgets the oldest', () => {
  let now = 0;
  const limit = createRateLimit({ count: 2, per: 60_000 }, () => now);
  expect([limit.take('a'), limit.take('a'), limit.take('a'), limit.take('b')]).toEqual([0, 0, 30, 0]);
  now = 29_000;
  expect(limit.take('a')).toBe(1);
  now = 30_000;
  expect([limit.take('a'), limit.take('a')]).toEqual([0, 30]);
  limit.give('a');
  expect([limit.take('a'), limit.take('a'), limit.take('b', 3), limit.take('b')]).toEqual([0, 30, 0, 30]);
  for (let i = 0; i < 10_001; i++) limit.take(`other ${i}`);
  expect(limit.take('a')).toBe(0);
  const off = createRateLimit({ count: 0, per: 60_000 });
  expect(Array.from({ length: 1000 }, () => off.take('a')).some((wait) => wait > 0)).toBe(false);
});

test('the audit is one line a call, in a file that only its owner reads and that may be rotated', () => {
  const path = join(folder, 'audit.log');
  const record: AuditRecord = {
    time: '2026-12-01T00:00:00.000Z',
    requestId: 'r',
    subject: 'anna',
    tool: 'echo',
    args: ['text'],
    argsHash: 'ff',
    outcome: 'ok',
    ms: 1,
    bytes: 2,
    upstreamCalls: 0,
  };
  const audit = openAudit({ auditFile: path });
  audit(record);
  audit({ ...record, requestId: 's' });
  expect(readFileSync(path, 'utf8')).toBe(
    `${JSON.stringify(record)}\n${JSON.stringify({ ...record, requestId: 's' })}\n`,
  );
  expect(statSync(path).mode & 0o777).toBe(0o600);
  rmSync(path);
  audit(record);
  expect(readFileSync(path, 'utf8')).toBe(`${JSON.stringify(record)}\n`);
  writeFileSync(join(folder, 'file'), '');
  expect(() => openAudit({ auditFile: join(folder, 'file', 'audit.log') })).toThrow(/--audit-file/);
});

test('--tls-cert-file and --tls-key-file: HTTPS on the listener', async () => {
  const pem = (name: string) => fileURLToPath(new URL(`../../test/fixtures/tls/${name}.pem`, import.meta.url));
  const front = await startFront({ tlsCertFile: pem('cert'), tlsKeyFile: pem('key') });
  expect(front.url).toBe(`https://127.0.0.1:${front.port}`);
  const status = await new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: front.port, path: '/healthz', rejectUnauthorized: false, agent: false };
    get(options, (response) => resolve(response.resume().statusCode)).on('error', reject);
  });
  expect(status).toBe(200);
  await front.close();
});

test('streams carry a comment every 15 s', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const front = await startFront();
  const session = await open(front.port);
  const streams = await Promise.all([stream(front.port, { session }), stream(front.port, { path: '/sse' })]);
  for (const comments of [1, 2]) {
    vi.advanceTimersByTime(15_000);
    await until(() => streams.every((s) => s.text().split(': keepalive\n\n').length === comments + 1));
  }
  vi.useRealTimers();
  await front.close();
});
