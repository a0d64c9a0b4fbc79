import { expect, test } from 'vitest';
import { ask, type Front, initialize, startFront } from './testing/front.ts';

async function within<T>(settings: Record<string, unknown>, work: (front: Front) => Promise<T>): Promise<T> {
  const front = await startFront(settings);
  try {
    return await work(front);
  } finally {
    await front.close();
  }
}
const status = async (front: Front, headers: Record<string, string>) =>
  (await ask(front.port, { body: initialize(), headers })).status;

test('Host: loopback names, the public one, the allowed ones with or without port', async () => {
  const settings = { allowedHosts: 'gw.test,exact.test:8443', publicUrl: 'https://Public.test/tools' };
  await within(settings, async (front) => {
    const seen: Record<string, number> = {};
    for (const host of [
      'localhost',
      'LOCALHOST:1',
      '127.0.0.1:8080',
      '[::1]:8080',
      'gw.test',
      'gw.test:99',
      'public.test',
      'exact.test:8443',
      'exact.test',
      'localhost.evil.test',
      '127.0.0.1.evil.test',
      'evil.test',
    ]) {
      seen[host] = await status(front, { host });
    }
    expect(seen).toEqual({
      localhost: 200,
      'LOCALHOST:1': 200,
      '127.0.0.1:8080': 200,
      '[::1]:8080': 200,
      'gw.test': 200,
      'gw.test:99': 200,
      'public.test': 200,
      'exact.test:8443': 200,
      'exact.test': 403,
      'localhost.evil.test': 403,
      '127.0.0.1.evil.test': 403,
      'evil.test': 403,
    });
  });
});

test('X-Forwarded-Host counts from a trusted proxy alone', async () => {
  const headers = { host: 'internal.test', 'x-forwarded-host': 'gw.test' };
  await within({ allowedHosts: 'gw.test' }, async (front) => {
    expect(await status(front, headers)).toBe(403);
    expect(await status(front, { host: 'gw.test', 'x-forwarded-host': 'evil.test' })).toBe(200);
  });
  await within({ allowedHosts: 'gw.test', trustedProxies: '127.0.0.0/8' }, async (front) => {
    expect(await status(front, headers)).toBe(200);
    expect(await status(front, { host: 'gw.test', 'x-forwarded-host': 'evil.test' })).toBe(403);
  });
});

test('CORS: a preflight needs no identity, and every answer to an allowed origin can be read', async () => {
  await within({ allowedOrigins: 'https://app.test' }, async (front) => {
    const origin = 'https://app.test';
    const preflight = await ask(front.port, {
      method: 'OPTIONS',
      token: null,
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
    });
    expect(preflight.status).toBe(204);
    const list = (name: string) => String(preflight.headers[name]).toLowerCase().split(/, */);
    expect(preflight.headers['access-control-allow-origin']).toBe(origin);
    expect(list('access-control-allow-methods')).toEqual(expect.arrayContaining(['get', 'post', 'delete', 'options']));
    expect(list('access-control-allow-headers')).toEqual(
      expect.arrayContaining([
        'authorization',
        'content-type',
        'accept',
        'mcp-session-id',
        'mcp-protocol-version',
        'last-event-id',
      ]),
    );
    for (const token of [undefined, null]) {
      const answer = await ask(front.port, {
        body: initialize(),
        headers: { origin },
        ...(token === null ? { token } : {}),
      });
      expect(answer.status).toBe(token === null ? 401 : 200);
      expect(answer.headers['access-control-allow-origin']).toBe(origin);
      expect(answer.headers.vary).toMatch(/origin/i);
      expect(String(answer.headers['access-control-expose-headers']).toLowerCase()).toMatch(
        /mcp-session-id.*www-authenticate|www-authenticate.*mcp-session-id/,
      );
    }
    // The listener is a loopback one: pages of this machine may call it, the Inspector among them.
    expect(await status(front, { origin: 'http://localhost:6274' })).toBe(200);
    expect(await status(front, { origin: 'http://localhost.evil.test' })).toBe(403);
    const foreign = await ask(front.port, {
      method: 'OPTIONS',
      token: null,
      headers: { origin: 'https://evil.test', 'access-control-request-method': 'POST' },
    });
    expect([foreign.status, foreign.headers['access-control-allow-origin']]).toEqual([403, undefined]);
  });
});
