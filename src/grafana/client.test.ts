import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { settingsSchema } from '../config/schema.ts';
import { GatewayError } from '../errors.ts';
import { createGrafanaClient, type GrafanaClient } from './client.ts';
import { callerOf, clientOf, LOKI, upstreamOf } from './testing/callers.ts';
import {
  answer,
  endless,
  gzipBomb,
  hang,
  hangInside,
  json,
  loginPage,
  proxied,
  type Reply,
  reset,
  type ScriptedServer,
  scriptedServer,
  truncated,
} from './testing/scripted-server.ts';

let server: ScriptedServer;
let client: GrafanaClient | undefined;
beforeAll(async () => {
  server = await scriptedServer();
});
afterEach(() => client?.close());
afterAll(() => server.close());

const LABELS = '/api/datasources/proxy/uid/logs/loki/api/v1/labels';
const labels = { path: LABELS, datasource: LOKI };

function connect(settings: Record<string, unknown> = {}): GrafanaClient {
  client = clientOf(server.url, settings);
  return client;
}

async function failure(run: Promise<unknown>): Promise<GatewayError> {
  const error = await run.then(
    () => undefined,
    (e: unknown) => e,
  );
  if (!(error instanceof GatewayError)) throw new Error(`not a GatewayError: ${String(error)}`);
  return error;
}

describe('what goes wrong becomes an error that names the hop', () => {
  const cases: { what: string; reply: Reply; code: string; says: RegExp; attempts: number; settings?: object }[] = [
    { what: 'hang', reply: hang, code: 'deadline', says: /"Logs" \(logs\) did not answer within 0.3 s/, attempts: 1 },
    { what: 'hang inside the body', reply: hangInside, code: 'deadline', says: /within 0.3 s/, attempts: 1 },
    { what: 'reset', reply: reset, code: 'grafana_unreachable', says: /cannot be reached.*ECONNRESET/, attempts: 2 },
    { what: 'cut off', reply: truncated, code: 'grafana_unreachable', says: /broke off inside/, attempts: 2 },
    { what: 'too large', reply: endless, code: 'response_too_large', says: /larger than 0.1 MB/, attempts: 1 },
    {
      what: 'too large by its own word',
      reply: answer(200, 'x', { 'content-length': '999999999' }),
      code: 'response_too_large',
      says: /larger than 0.1 MB/,
      attempts: 1,
    },
    {
      what: 'too large when unpacked',
      reply: gzipBomb(10_000_000),
      code: 'response_too_large',
      says: /0.1 MB/,
      attempts: 1,
    },
    { what: 'login page', reply: loginPage, code: 'not_grafana', says: /proxy or a login page in front/, attempts: 1 },
    {
      what: 'redirect elsewhere',
      reply: answer(302, '', { location: 'https://sso.example.test/login?state=secret' }),
      code: 'not_grafana',
      says: /^The call was redirected \(302\) to sso\.example\.test; no redirect is followed\.$/,
      attempts: 1,
    },
    {
      what: '502 of the proxy',
      reply: answer(502, ''),
      code: 'datasource_unreachable',
      says: /could not reach the datasource "Logs" \(logs\) \(502\)/,
      attempts: 1,
    },
    {
      what: '504 of the proxy',
      reply: answer(504, ''),
      code: 'datasource_unreachable',
      says: /did not answer Grafana in time \(504\)/,
      attempts: 1,
    },
    {
      what: '502 page of a proxy before Grafana',
      reply: answer(502, '<html>Bad Gateway</html>', { 'content-type': 'text/html' }),
      code: 'grafana_unreachable',
      says: /A proxy in front of Grafana answered 502/,
      attempts: 1,
    },
    {
      what: '429 for good',
      reply: proxied(429, 'too many outstanding requests'),
      code: 'rate_limited',
      says: /^The datasource "Logs" \(logs\) has too many requests \(429\) after 3 tries\.$/,
      attempts: 3,
      settings: { upstreamTimeout: '10s' },
    },
    {
      what: '503 for good',
      reply: proxied(503, 'empty ring'),
      code: 'datasource_unreachable',
      says: /is not ready \(503\)/,
      attempts: 3,
      settings: { upstreamTimeout: '10s' },
    },
    {
      what: '503 of a query that ran out of its time',
      reply: proxied(503, '{"status":"error","errorType":"timeout","error":"query timed out"}', 'application/json'),
      code: 'datasource_limit',
      says: /took too long/,
      attempts: 1,
    },
    {
      what: '500 of the datasource',
      reply: proxied(500, 'oops'),
      code: 'datasource_error',
      says: /answered with an error \(500\)/,
      attempts: 1,
    },
  ];
  test.each(cases)('$what', async ({ reply, code, says, attempts, settings }) => {
    server.script({ [LABELS]: reply });
    const up = upstreamOf(connect({ upstreamTimeout: '300ms', maxResponseBytes: '100KB', ...settings }));
    const error = await failure(up.request(labels));
    expect([error.code, error.message]).toEqual([code, expect.stringMatching(says)]);
    // Neither axios's error (it holds the headers) nor anything of the token.
    expect(JSON.stringify([error, error.stack, String(error.cause)])).not.toMatch(
      /fake-token|axios|Authorization|secret/i,
    );
    expect([server.seen.length, up.calls()]).toEqual([attempts, attempts]);
  });

  test('nobody listens there', async () => {
    client = clientOf('http://127.0.0.1:1');
    const error = await failure(upstreamOf(client).request(labels));
    expect(error.message).toBe('Grafana cannot be reached: the connection to Grafana was refused (ECONNREFUSED).');
  });

  test('no address at all', async () => {
    client = clientOf('');
    expect((await failure(upstreamOf(client).request(labels))).message).toMatch(/GRAFANA_URL/);
  });
});

describe('tries', () => {
  test('Retry-After is honoured', async () => {
    const busy = answer(429, 'slow down', { 'retry-after': '1', via: '1.1 grafana' });
    server.script({ [LABELS]: [busy, json({ status: 'success' })] });
    const began = performance.now();
    expect((await upstreamOf(connect()).request(labels)).status).toBe(200);
    expect(performance.now() - began).toBeGreaterThanOrEqual(1000);
  });

  test('a Retry-After beyond the deadline is told at once', async () => {
    server.script({ [LABELS]: answer(429, '', { 'retry-after': '120', via: '1.1 grafana' }) });
    const error = await failure(upstreamOf(connect({ upstreamTimeout: '5s' })).request(labels));
    expect([error.message, error.details.retryAfterSeconds, server.seen.length]).toEqual([
      'The datasource "Logs" (logs) has too many requests (429); it asks to wait 120 s.',
      120,
      1,
    ]);
  });

  test('a broken connection is tried once more', async () => {
    server.script({ [LABELS]: [reset, json({ status: 'success', data: ['app'] })] });
    expect((await upstreamOf(connect()).request(labels)).text).toContain('app');
  });

  test('after a 401 the credential is renewed once', async () => {
    let token = 'old';
    let renewals = 0;
    const caller = callerOf('anna', {
      headers: async () => ({ Authorization: `Bearer fake-${token}` }),
      renew: async () => {
        renewals += 1;
        token = 'new';
        return true;
      },
    });
    const refused = json({ message: 'Expired API key', messageId: 'api-key.expired', statusCode: 401 }, 401);
    server.script({ '/api/org': [refused, json({ id: 1, name: 'Main' })] });
    expect((await upstreamOf(connect(), caller).request({ path: '/api/org' })).status).toBe(200);
    expect(server.seen.map((s) => s.headers.authorization)).toEqual(['Bearer fake-old', 'Bearer fake-new']);

    server.script({ '/api/org': refused });
    const error = await failure(upstreamOf(connect(), caller).request({ path: '/api/org' }));
    expect([error.message, server.seen.length, renewals]).toEqual([
      'Grafana refused the credential (401): the token has expired.',
      2,
      2,
    ]);
  });
});

describe('cancellation', () => {
  test('closes the socket, before and inside the answer', async () => {
    for (const reply of [hang, hangInside]) {
      server.script({ [LABELS]: reply });
      const abort = new AbortController();
      const run = failure(upstreamOf(connect(), callerOf('anna'), abort.signal).request(labels));
      await until(() => server.seen.length === 1);
      await new Promise((resolve) => setTimeout(resolve, 20));
      abort.abort();
      expect((await run).code).toBe('cancelled');
      await until(() => server.hungUp() === 1);
    }
  });

  test('ends the wait between two tries', async () => {
    server.script({ [LABELS]: answer(429, '', { 'retry-after': '20' }) });
    const abort = new AbortController();
    const run = failure(upstreamOf(connect(), callerOf('anna'), abort.signal).request(labels));
    await until(() => server.seen.length === 1);
    setTimeout(() => abort.abort(), 20);
    expect((await run).code).toBe('cancelled');
  });

  test('an oversized answer costs upstream nothing more', async () => {
    server.script({ [LABELS]: endless });
    await failure(upstreamOf(connect({ maxResponseBytes: '100KB' })).request(labels));
    await until(() => server.hungUp() === 1);
  });
});

const slowly: Reply = (seen, response) => void setTimeout(() => json({ status: 'success' })(seen, response), 50);

describe('at once', () => {
  test('no more than the cap reach a datasource; a short queue waits; the rest are told so', async () => {
    let running = 0;
    let most = 0;
    const slow: Reply = (seen, response) => {
      running += 1;
      most = Math.max(most, running);
      setTimeout(() => {
        running -= 1;
        json({ status: 'success' })(seen, response);
      }, 20);
    };
    server.script({ [LABELS]: slow });
    const up = upstreamOf(connect({ upstreamConcurrency: 2 }));
    const runs = await Promise.allSettled(
      Array.from({ length: 12 }, (_, i) => up.request({ ...labels, query: { start: String(i) } })),
    );
    const codes = runs.map((r) => (r.status === 'fulfilled' ? 'ok' : (r.reason as GatewayError).code));
    expect(most).toBe(2);
    expect(codes).toEqual([...Array(10).fill('ok'), 'busy', 'busy']);
  });

  test('equal reads of one identity are one request, those of another are not, and one who leaves ends it for nobody', async () => {
    server.script({ [LABELS]: slowly });
    const client = connect({});
    const abort = new AbortController();
    const leaver = failure(upstreamOf(client, callerOf('anna'), abort.signal).request(labels));
    const others = Array.from({ length: 9 }, () => upstreamOf(client, callerOf('anna')).request(labels));
    const bert = upstreamOf(client, callerOf('bert')).request(labels);
    await until(() => server.seen.length === 2);
    abort.abort();
    expect((await leaver).code).toBe('cancelled');
    const answers = await Promise.all([...others, bert]);
    expect(answers.map((a) => a.status)).toEqual(Array(10).fill(200));
    expect(server.seen).toHaveLength(2);
  });

  test('who waits may leave, and never reaches the datasource', async () => {
    server.script({ [LABELS]: hang });
    const client = connect({ upstreamConcurrency: 1, upstreamTimeout: '400ms' });
    const first = failure(upstreamOf(client).request(labels));
    const abort = new AbortController();
    const second = failure(upstreamOf(client, callerOf('bert'), abort.signal).request(labels));
    await until(() => server.seen.length === 1);
    abort.abort();
    expect((await second).code).toBe('cancelled');
    expect((await first).code).toBe('deadline');
    expect(server.seen).toHaveLength(1);
  });
});

test('the operator and the caller both narrow the datasources, and deny wins', async () => {
  server.script({ '*': json({ status: 'success' }) });
  const ask = async (settings: object, caller: object, uid: string) =>
    upstreamOf(connect({ ...settings }), callerOf('anna', caller))
      .request({ path: `/api/datasources/proxy/uid/${uid}/loki/api/v1/labels`, datasource: { ...LOKI, uid } })
      .then(
        () => 'ok',
        (e: GatewayError) => e.code,
      );
  expect(await ask({ allowDatasources: ['a', 'b'] }, {}, 'c')).toBe('no_datasource');
  expect(await ask({ allowDatasources: ['a', 'b'] }, { allowDatasources: ['b'] }, 'a')).toBe('no_datasource');
  expect(await ask({ denyDatasources: ['a'] }, { allowDatasources: ['a'] }, 'a')).toBe('no_datasource');
  expect(await ask({ allowDatasources: ['a'] }, { denyDatasources: ['a'] }, 'a')).toBe('no_datasource');
  expect(server.seen).toHaveLength(0);
  expect(await ask({ allowDatasources: ['a', 'b'] }, { allowDatasources: ['b'] }, 'b')).toBe('ok');
});

test('ping asks without identity, shares and keeps its answer', async () => {
  server.script({ '/api/health': json({ database: 'ok', version: '13.3.1' }) });
  const { ping } = connect();
  expect(await Promise.all([ping(), ping()])).toEqual(
    Array(2).fill({ ok: true, version: '13.3.1', detail: 'Grafana answers.' }),
  );
  expect([server.seen.length, server.seen[0]?.headers.authorization]).toEqual([1, undefined]);
  server.script({ '/api/health': json({ database: 'failing', version: '13.3.1' }, 503) });
  expect(await connect().ping()).toMatchObject({ ok: false, detail: 'Grafana answers, but its database does not.' });
  server.script({ '/api/health': loginPage });
  expect(await connect().ping()).toMatchObject({ ok: false, detail: expect.stringMatching(/login page/) });
});

test('nothing of a token, a header or a query is logged, at any level', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const settings = settingsSchema.parse({ grafanaUrl: server.url, forwardHeaders: 'X-Team' });
  client = createGrafanaClient(settings, log);
  const up = client.for({
    caller: callerOf('anna'),
    signal: new AbortController().signal,
    requestId: 'request-1',
    forwarded: { 'x-team': 'fake-team' },
  });
  const request = { ...labels, query: { query: '{app="fake-query"}' } };
  server.script({ [LABELS]: [json({ status: 'success' }), answer(500, 'fake-body'), reset] });
  await up.request(request);
  await failure(up.request(request));
  await failure(up.request(request));
  expect(lines).toHaveLength(4);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ requestId: 'request-1', path: LABELS, status: 200 });
  expect(lines.join('')).not.toMatch(/fake-|authorization|bearer/i);
});

test('a sub-path and slashes at its end', async () => {
  server.script({ '/grafana/api/org': json({ id: 1, name: 'Main' }) });
  client = clientOf(`${server.url}/grafana//`);
  expect((await upstreamOf(client).request({ path: '/api/org' })).status).toBe(200);
});

async function until(done: () => boolean): Promise<void> {
  const by = Date.now() + 3000;
  while (!done()) {
    if (Date.now() > by) throw new Error('waited in vain');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
