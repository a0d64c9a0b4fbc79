import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createSessions } from './sessions.ts';
import {
  ANNA,
  ask,
  BOB,
  echo,
  type Front,
  initialize,
  open,
  rpc,
  sessionsOf,
  startFront,
  stream,
  until,
} from './testing/front.ts';

describe('a session belongs to its principal', () => {
  let front: Front;
  let annas: string;
  beforeAll(async () => {
    front = await startFront();
    annas = await open(front.port);
  });
  afterAll(() => front.close());

  test.each(['POST', 'GET', 'DELETE'])('%s by another one is answered as an unknown session', async (method) => {
    const body = method === 'POST' ? { body: echo('hi') } : {};
    const foreign = await ask(front.port, { method, session: annas, token: BOB, ...body });
    const unknown = await ask(front.port, { method, session: randomUUID(), token: BOB, ...body });
    expect([foreign.status, foreign.json]).toEqual([404, unknown.json]);
    expect(foreign.json.error?.code).toBe(-32001);
    expect((await ask(front.port, { session: annas, body: echo('still mine') })).status).toBe(200);
  });

  test('/messages by another one too', async () => {
    const mine = await stream(front.port, { path: '/sse' });
    await until(() => mine.text().includes('data: '));
    const path = /data: (\S+)/.exec(mine.text())?.[1] ?? '';
    const foreign = await ask(front.port, { path, token: BOB, body: echo('hi') });
    const unknown = await ask(front.port, {
      path: `/messages?sessionId=${randomUUID()}`,
      token: BOB,
      body: echo('hi'),
    });
    expect([foreign.status, foreign.json]).toEqual([404, unknown.json]);
    expect((await ask(front.port, { path, body: echo('mine', 7) })).status).toBe(202);
    await until(() => mine.text().includes('"id":7'));
    mine.drop();
  });

  test('initialize with the id of a past or foreign session opens a new one', async () => {
    for (const session of [randomUUID(), 'x', annas]) {
      const answer = await ask(front.port, { body: initialize(), token: BOB, session });
      expect(answer.status).toBe(200);
      expect(answer.headers['mcp-session-id']).not.toBe(session);
    }
  });

  test('random ids make no session; after DELETE the id is unknown', async () => {
    const before = await sessionsOf(front);
    await Promise.all(
      Array.from({ length: 50 }, (_, i) => ask(front.port, { session: randomUUID(), body: rpc('tools/list', {}, i) })),
    );
    await ask(front.port, { body: rpc('initialize') });
    await ask(front.port, { body: initialize(), headers: { accept: 'text/html' } });
    expect(await sessionsOf(front)).toBe(before);
    const session = await open(front.port);
    expect((await ask(front.port, { method: 'DELETE', session })).status).toBe(200);
    expect((await ask(front.port, { session, body: echo('gone') })).status).toBe(404);
    expect(await sessionsOf(front)).toBe(before);
  });
});

test('two clients with equal request ids, interleaved, each get their own answers', async () => {
  const front = await startFront();
  const names = [ANNA, BOB].flatMap((token) => (['streamable', 'sse'] as const).map((kind) => ({ token, kind })));
  const clients = await Promise.all(names.map(({ kind, token }) => front.connect(kind, token)));
  const answers = await Promise.all(
    clients.flatMap((client, c) =>
      Array.from({ length: 10 }, async (_, i) => {
        const result = await client.callTool({ name: 'echo', arguments: { text: `${c}/${i}` } });
        const [part] = result.content as { text: string }[];
        return { c, i, ...(JSON.parse(part?.text ?? '') as { text: string; who: string; session: string }) };
      }),
    ),
  );
  for (const { c, i, text } of answers) expect(text).toBe(`${c}/${i}`);
  expect(new Set(answers.map((a) => a.who)).size).toBe(2);
  expect(new Set(answers.map((a) => a.session)).size).toBe(4);
  await front.close();
});

test('1,000 sessions opened and dropped are none after the idle time; a stream or a running call keeps its own', async () => {
  const front = await startFront({ sessionIdle: '500ms', maxSessions: 2000, maxSessionsPerPrincipal: 2000 });
  const streaming = await open(front.port);
  const held = await stream(front.port, { session: streaming });
  const calling = await open(front.port);
  const running = ask(front.port, {
    session: calling,
    body: rpc('tools/call', { name: 'slow', arguments: { ms: 60_000 } }),
  });
  let most = 0;
  for (let i = 0; i < 20; i++) {
    await Promise.all(Array.from({ length: 50 }, () => open(front.port)));
    most = Math.max(most, await sessionsOf(front));
  }
  expect(most).toBeGreaterThan(100);
  const twin = await ask(front.port, { session: calling, body: echo('a second request with the id of a running one') });
  expect([twin.status, twin.json.error?.code]).toEqual([400, -32600]);
  await until(async () => (await sessionsOf(front)) === 2, 10_000);
  expect((await ask(front.port, { session: streaming, body: echo('kept') })).status).toBe(200);
  expect((await ask(front.port, { session: calling, body: echo('kept', 3) })).status).toBe(200);
  held.drop();
  front.finish();
  expect((await running).text).toContain('done');
  await until(async () => (await sessionsOf(front)) === 0, 10_000);
  expect((await ask(front.port, { session: streaming, body: echo('late') })).status).toBe(404);
  await front.close();
}, 40_000);

test('a call that outlives its dropped POST keeps its session', async () => {
  const front = await startFront({ sessionIdle: '200ms' });
  const session = await open(front.port);
  const post = await stream(front.port, { method: 'POST', session, headers: { accept: 'text/html' } });
  post.drop();
  const controller = new AbortController();
  const dropped = fetch(`${front.url}/mcp`, {
    method: 'POST',
    signal: controller.signal,
    headers: {
      authorization: `Bearer ${ANNA}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': session,
    },
    body: JSON.stringify(rpc('tools/call', { name: 'slow', arguments: { ms: 60_000 } })),
  }).catch(() => {});
  await until(() => front.calls.length > 0);
  controller.abort();
  await dropped;
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await sessionsOf(front)).toBe(1);
  expect(front.calls.at(-1)?.signal.aborted).toBe(false);
  front.finish();
  await until(async () => (await sessionsOf(front)) === 0, 4000);
  await front.close();
});

test('a client that leaves while it is checked leaves nothing behind', async () => {
  const fronts = await Promise.all([startFront(), startFront({ stateless: true })]);
  for (const front of fronts) {
    const body = JSON.stringify(initialize());
    const head = `Host: localhost\r\nAuthorization: Bearer ${ANNA}\r\nContent-Type: application/json\r\nAccept: */*\r\n`;
    const socket = connect(front.port, '127.0.0.1');
    socket.write(`POST /mcp HTTP/1.1\r\n${head}Content-Length: ${body.length}\r\n\r\n${body}`);
    await until(() => front.checks.length === 1);
    socket.destroy();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await sessionsOf(front)).toBe(0);
    const began = Date.now();
    await front.close();
    expect(Date.now() - began).toBeLessThan(900);
  }
});

test('a client that resets its connection before initialize is answered leaves no session behind', async () => {
  const front = await startFront();
  const body = JSON.stringify(initialize());
  const head = `Host: localhost\r\nAuthorization: Bearer ${ANNA}\r\nContent-Type: application/json\r\nAccept: */*\r\n`;
  for (let i = 1; i <= 20; i++) {
    const socket = connect(front.port, '127.0.0.1');
    socket.write(`POST /mcp HTTP/1.1\r\n${head}Content-Length: ${body.length}\r\n\r\n`);
    await until(() => front.checks.length > 0);
    await new Promise((resolve) => setTimeout(resolve, 30));
    // The gateway reads the body, and finds the connection reset as it writes.
    socket.write(body);
    socket.resetAndDestroy();
  }
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await sessionsOf(front)).toBe(0);
  await front.close();
});

test('at a cap, a session that was left makes room: after a minute if it was never used, after ten if it was', async () => {
  vi.useFakeTimers();
  const limits = { sessionIdle: 4 * 3_600_000, maxSessions: 100, maxSessionsPerPrincipal: 2 };
  const sessions = createSessions<null>(limits);
  const add = (id: string) =>
    sessions.add({ id, kind: 'streamable', principal: 'p', transport: null, close: async () => {} });
  const room = (id: string) => typeof add(id) === 'object';
  expect([room('used'), room('unused'), room('more')]).toEqual([true, true, false]);
  sessions.find('used', 'streamable', 'p');
  vi.advanceTimersByTime(59_000);
  expect(room('more')).toBe(false);
  vi.advanceTimersByTime(1_000);
  expect([room('third'), sessions.find('unused', 'streamable', 'p')]).toEqual([true, undefined]);
  sessions.find('third', 'streamable', 'p');
  vi.advanceTimersByTime(8 * 60_000);
  expect(room('more')).toBe(false);
  vi.advanceTimersByTime(60_000);
  expect([room('fourth'), sessions.find('used', 'streamable', 'p')]).toEqual([true, undefined]);
  await sessions.closeAll();
  vi.useRealTimers();
});

test('caps: 429 with Retry-After, per principal and in total, for both transports', async () => {
  const front = await startFront({ maxSessions: 3, maxSessionsPerPrincipal: 2 });
  await Promise.all([open(front.port), open(front.port)]);
  const over = await ask(front.port, { body: initialize() });
  expect([over.status, over.headers['retry-after']]).toEqual([429, expect.stringMatching(/^[1-9]\d*$/)]);
  expect((await ask(front.port, { method: 'GET', path: '/sse' })).status).toBe(429);
  const bobs = await open(front.port, { token: BOB });
  expect((await ask(front.port, { body: initialize(), token: BOB })).status).toBe(429);
  await ask(front.port, { method: 'DELETE', token: BOB, session: bobs });
  expect((await ask(front.port, { body: initialize(), token: BOB })).status).toBe(200);
  // Opened at the same time, the cap holds too.
  const burst = await Promise.all(
    Array.from({ length: 10 }, () => ask(front.port, { body: initialize(), token: BOB })),
  );
  expect(burst.filter((answer) => answer.status === 200).length).toBe(0);
  await front.close();
});

describe('limits', () => {
  test('requests per principal: 429 with Retry-After; another principal goes on', async () => {
    const front = await startFront({ rateLimit: '5/min' });
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push((await ask(front.port, { body: initialize() })).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    const over = await ask(front.port, { body: initialize() });
    expect(over.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect(over.json.error?.message).toMatch(/--rate-limit/);
    expect((await ask(front.port, { body: initialize(), token: BOB })).status).toBe(200);
    await front.close();
  });

  test('a batch costs as much as its messages', async () => {
    const front = await startFront({ rateLimit: '5/min' });
    const session = await open(front.port, { body: initialize('2025-03-26') });
    const batch = Array.from({ length: 5 }, (_, i) => rpc('ping', {}, i));
    expect((await ask(front.port, { session, body: batch })).status).toBe(429);
    await front.close();
  });

  test('failed authentications per address: 429 after 30, and valid callers go on', async () => {
    const front = await startFront();
    await open(front.port);
    const guesses = Array.from({ length: 40 }, (_, i) =>
      ask(front.port, { body: initialize(), token: `glsa_fake_${i}` }),
    );
    const statuses = (await Promise.all(guesses)).map((answer) => answer.status);
    // Half a one a second comes back.
    expect(statuses.filter((status) => status === 401).length).toBeOneOf([30, 31, 32]);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    const over = await ask(front.port, { body: initialize(), token: 'glsa_fake_more' });
    expect(over.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    // Grafana is not asked on behalf of an address that only guesses.
    expect(front.checks).not.toContain('glsa_fake_more');
    expect((await ask(front.port, { body: initialize() })).status).toBe(200);
    await front.close();
  });

  test('the address of a caller is taken from a trusted proxy alone', async () => {
    const guess = (front: Front, address: string) =>
      ask(front.port, { token: 'glsa_fake_guess', body: initialize(), headers: { 'x-forwarded-for': address } });
    const plain = await startFront();
    for (let i = 0; i < 30; i++) await guess(plain, `10.0.0.${i}`);
    expect((await guess(plain, '10.0.0.99')).status).toBe(429);
    const proxied = await startFront({ trustedProxies: '127.0.0.1' });
    for (let i = 0; i < 30; i++) await guess(proxied, '10.0.0.1');
    expect((await guess(proxied, '10.0.0.1')).status).toBe(429);
    expect((await guess(proxied, '10.0.0.2')).status).toBe(401);
    await Promise.all([plain.close(), proxied.close()]);
  });
});
