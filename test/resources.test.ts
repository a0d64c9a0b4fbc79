import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type CallOptions, type Desk, openDesk } from './support/in-process.ts';

// Resources as a client gets them, over a Grafana that counts what it is asked.
let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());
afterEach(() => desk.sandbox.faults.clear());

async function read(uri: string, options?: CallOptions): Promise<Record<string, unknown>> {
  const { contents } = await desk.surface.readResource(uri, desk.call(options));
  const [first] = contents;
  expect(contents).toHaveLength(1);
  expect(first?.mimeType).toBe('application/json');
  return JSON.parse(first !== undefined && 'text' in first ? String(first.text) : '');
}
const list = (options?: CallOptions) => desk.surface.listResources(undefined, desk.call(options));
const EDGE = '東京 / Edge Logs';

describe('the list', () => {
  test('holds the overview and every datasource by uid; each of them can be read', async () => {
    const { resources, nextCursor } = await list();
    expect(resources.map(({ uri }) => uri)).toEqual([
      'grafana:overview',
      'datasource:alertmanager:am-demo',
      'datasource:prometheus:broken',
      'datasource:loki:loki-demo',
      'datasource:prometheus:prometheus-demo',
      'datasource:loki:edge-logs',
    ]);
    expect(nextCursor).toBeUndefined();
    for (const { uri, name, title, description, mimeType } of resources) {
      expect([name, title, description].every((text) => (text ?? '').length > 3)).toBe(true);
      expect(mimeType).toBe('application/json');
      expect((await read(uri)).uri).toBe(uri);
    }
  });

  test('warm it takes less than 5 ms and asks nothing upstream', async () => {
    await list();
    const before = desk.sandbox.requests().length;
    const took: number[] = [];
    for (let i = 0; i < 51; i++) {
      const started = performance.now();
      await list();
      took.push(performance.now() - started);
    }
    expect(took.sort((a, b) => a - b)[25]).toBeLessThan(5);
    expect(desk.sandbox.requests().length).toBe(before);
  });

  test('is the same for a role that may not list datasources; a body then says why it has no address', async () => {
    const { viewer, limited } = desk.sandbox.tokens;
    const uris = async (token: string) => (await list({ token })).resources.map(({ uri }) => uri);
    expect(await uris(limited)).toEqual(await uris(viewer));
    expect(await read('datasource:loki:edge-logs', { token: limited })).toMatchObject({
      uid: 'edge-logs',
      url: '',
      limited: expect.stringContaining('datasources:read'),
    });
  });
});

describe('a datasource', () => {
  test.each([
    ['by uid', 'datasource:loki:edge-logs'],
    ['by name, raw', `datasource:loki:${EDGE}`],
    ['by name, encoded', `datasource:loki:${encodeURIComponent(EDGE)}`],
    ['by name, encoded as far as an address bar does', `datasource:loki:${encodeURI(EDGE)}`],
    ['by name without regard to case', 'datasource:loki:東京 / EDGE logs'],
  ])('is read %s', async (_how, uri) => {
    const { generated_at, age_seconds, ...body } = await read(uri);
    expect(body).toEqual({
      isDefault: false,
      name: EDGE,
      type: 'loki',
      uid: 'edge-logs',
      url: 'http://127.0.0.1:3101',
      health: { status: 'unknown', message: 'Its plugin has no health check.', age_seconds: expect.any(Number) },
      next: [
        { tool: 'describe_datasource', arguments: { datasource: 'edge-logs' } },
        { tool: 'list_loki_labels', arguments: { datasource: 'edge-logs' } },
      ],
      uri: 'datasource:loki:edge-logs',
      source: desk.sandbox.url,
    });
    expect(Math.abs(Date.parse(String(generated_at)) - Date.now())).toBeLessThan(60_000);
    expect(age_seconds).toBeGreaterThanOrEqual(0);
  });

  test('that is dead says so, and what to call about it', async () => {
    const { health, next } = await read('datasource:prometheus:broken');
    expect(health).toMatchObject({ status: 'error', message: expect.stringMatching(/\w/) });
    expect(next).toContainEqual({ tool: 'check_access', arguments: {} });
  });

  test('names next calls that work as they stand', async () => {
    for (const uri of ['datasource:prometheus:prometheus-demo', 'datasource:loki:loki-demo', 'grafana:overview']) {
      for (const { tool, arguments: args } of (await read(uri)).next as { tool: string; arguments: object }[]) {
        expect(await desk.ask(tool, { ...args }), `${uri} ${tool}`).toMatchObject({ isError: false });
      }
    }
  });

  test.each([
    ['datasource:loki:nope', 'notFound', /There is no resource/],
    ['datasource:loki:prometheus-demo', 'notFound', /another type: datasource:prometheus:prometheus-demo/],
    ['datasource:loki:%zz', 'badParams', /broken percent escape/],
    ['datasource:loki:', 'badParams', /names no datasource/],
    ['dashboard:abc', 'notFound', /There is no resource/],
  ])('%s is refused', async (uri, kind, message) => {
    await expect(read(uri)).rejects.toMatchObject({ kind, message: expect.stringMatching(message) });
  });
});

test('two names that differ in case only: the candidates are offered', async () => {
  const twins = ['main', 'MAIN'].map((name, i) => ({ id: i, uid: `twin-${i}`, name, type: 'loki', isDefault: false }));
  desk.sandbox.faults.add({ kind: 'status', status: 200, match: '/api/datasources$', body: JSON.stringify(twins) });
  // Nobody has asked with this token before: the list is not in the cache.
  const token = desk.sandbox.tokens.admin;
  await expect(read('datasource:loki:Main', { token })).rejects.toMatchObject({
    kind: 'badParams',
    message: expect.stringMatching(/More than one.*datasource:loki:twin-0, datasource:loki:twin-1/),
  });
  expect((await read('datasource:loki:MAIN', { token })).uid).toBe('twin-1');
});

test('a Grafana that refuses: the overview says which hop, a datasource is a fault in plain words', async () => {
  const token = desk.sandbox.tokens.revoked;
  expect((await list({ token })).resources.map(({ uri }) => uri)).toEqual(['grafana:overview']);
  const { faults } = await read('grafana:overview', { token });
  expect((faults as { hop: string }[]).map(({ hop }) => hop)).toEqual(['grafana', 'grafana', 'grafana']);
  await expect(read('datasource:loki:loki-demo', { token })).rejects.toMatchObject({
    kind: 'internal',
    message: expect.stringMatching(/^Grafana refused the credential \(401\)/),
  });
});

test('the template is completed step by step to a URI that can be read', async () => {
  const { resourceTemplates } = await desk.surface.listTemplates(desk.call());
  const [{ uriTemplate: uri, description } = { uriTemplate: '' }] = resourceTemplates;
  expect(description).toMatch(/datasource/i);
  const values = async (name: string, value: string, given: Record<string, string> = {}) =>
    (
      await desk.surface.complete(
        { ref: { type: 'ref/resource', uri }, argument: { name, value }, context: { arguments: given } },
        desk.call(),
      )
    ).completion.values;
  expect(await values('type', '')).toEqual(['alertmanager', 'loki', 'prometheus']);
  expect(await values('name', '東', { type: 'loki' })).toEqual([EDGE]);
  expect(await values('name', 'EDGE', { type: 'loki' })).toEqual(['edge-logs']);
  for (const name of await values('name', '', { type: 'loki' })) {
    expect(await read(uri.replace('{type}', 'loki').replace('{name}', encodeURIComponent(name)))).toMatchObject({
      type: 'loki',
    });
  }
});

test('2,000 malformed URIs: never a success, never a request upstream', async () => {
  const call = desk.call({ token: desk.sandbox.tokens.editor });
  const before = desk.sandbox.requests().length;
  await fc.assert(
    fc.asyncProperty(malformed, async (uri) => {
      await expect(desk.surface.readResource(uri, call)).rejects.toMatchObject({
        kind: expect.stringMatching(/^(badParams|notFound)$/),
        message: expect.stringMatching(/\w{3}/),
      });
    }),
    { numRuns: 2000 },
  );
  expect(desk.sandbox.requests().length).toBe(before);
});

const text = fc.string({ unit: 'grapheme', maxLength: 30 });
const word = fc.stringMatching(/^[a-z]{1,10}$/);
const named = (end: fc.Arbitrary<string>) => fc.tuple(word, text, end).map(([t, n, e]) => `datasource:${t}:${n}${e}`);
/** Each is wrong in one known way, so that a success would be a fault whatever Grafana holds. */
const malformed = fc.oneof(
  named(fc.constantFrom('%zz', '%G1', '%FF', '%E6%9D', '%C0%AF', '%ED%A0%80')),
  named(fc.constantFrom('\0', '\n', '\r', '\x7f', '%00', '%0A', '%1b', '\ud800', '\udc00')),
  named(fc.constant('x'.repeat(2048))),
  fc.tuple(word, fc.constantFrom('', ' ', '%20', '\u00a0', '%E3%80%80')).map(([t, n]) => `datasource:${t}:${n}`),
  fc.tuple(fc.constantFrom('', ' ', '.', '-', '日', '%2F', '../x'), text).map(([t, n]) => `datasource:${t}:${n}`),
  word.map((t) => `datasource:${t}`),
  fc
    .tuple(fc.constantFrom('Datasource', ' datasource', 'DATASOURCE', 'data source'), text)
    .map((p) => p.join(':loki:')),
  text.filter((t) => t !== 'overview').map((t) => `grafana:${t}`),
  text.map((t) => `grafana:overview/${t}`),
  fc.tuple(fc.constantFrom('file', 'http', 'https', 'javascript', 'folder', 'alerts'), text).map((p) => p.join(':')),
);
