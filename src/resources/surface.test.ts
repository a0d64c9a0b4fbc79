import { describe, expect, test } from 'vitest';
import { loadSettings } from '../config/load.ts';
import { GatewayError } from '../errors.ts';
import type { Upstream } from '../grafana/upstream.ts';
import type { Scope } from '../identity.ts';
import { complete } from '../mcp/completion.ts';
import { isVisible } from '../mcp/context.ts';
import type { ToolContext } from '../mcp/define.ts';
import { TOOLS } from '../tools/table.ts';
import { listResources, listTemplates, readResource } from './surface.ts';
import { datasourceUri } from './uri.ts';

type Given = { uid: string; name: string; type?: string; isDefault?: boolean; url?: string };
const NOW = Date.UTC(2026, 10, 30, 10, 30);

/** A Grafana that holds these datasources, or none at all. */
function context(
  list: Given[] | 'down',
  scopes: Scope[] = ['datasources:read', 'logs:read'],
  cacheKey = 'a',
): ToolContext & { asked: string[] } {
  const asked: string[] = [];
  const caller = { cacheKey, headers: async () => ({}) };
  const signal = new AbortController().signal;
  const upstream: Upstream = {
    caller,
    signal,
    calls: () => asked.length,
    fixed: { baseUrl: 'https://grafana.test' },
    async request({ path }) {
      asked.push(path);
      if (list === 'down') throw new GatewayError('grafana_unreachable', 'Grafana cannot be reached: refused.');
      const status = path.includes('/sick/') ? 400 : 200;
      return { status, contentType: 'application/json', text: JSON.stringify(bodyOf(path, list)) };
    },
    cached: async (_kind, _key, load) => ({ value: await load(upstream), ageMs: 12_400 }),
  };
  const identity = { kind: 'static' as const, principal: 'static:x', subject: 'x', scopes: new Set(scopes), caller };
  const settings = loadSettings([], { GRAFANA_URL: 'https://grafana.test' });
  const call = { identity, signal, requestId: 'r' };
  const offers = (name: string) => TOOLS.some((tool) => tool.name === name && isVisible(tool, call));
  return { call, upstream, now: NOW, settings, scanned: { bytes: 0 }, offers, asked };
}
function bodyOf(path: string, list: Given[]): unknown {
  if (path === '/api/datasources') return list.map((ds) => ({ type: 'loki', isDefault: false, ...ds }));
  if (path.includes('/sick/')) return { status: 'ERROR', message: 'Unable to connect' };
  if (path.endsWith('/health')) return { status: 'OK', message: 'Data source is working' };
  if (path === '/api/org') return { id: 7, name: 'Shop' };
  return { appUrl: 'https://grafana.test/', buildInfo: { version: '12.0.0' } };
}

const MANY = Array.from({ length: 120 }, (_, i) => ({ uid: `u${i}`, name: `Logs ${String(i).padStart(3, '0')}` }));

describe('resources/list', () => {
  test('shows the overview and the datasources by uid', async () => {
    const { resources, nextCursor } = await listResources(
      undefined,
      context([{ uid: 'a b', name: '東京 / Edge', isDefault: true }]),
    );
    expect(resources.map(({ uri, name, description }) => [uri, name, description])).toEqual([
      ['grafana:overview', 'overview', 'This Grafana: version, organisation, datasources by type, what to ask next.'],
      ['datasource:loki:a%20b', '東京 / Edge', 'loki datasource, the default one'],
    ]);
    expect(nextCursor).toBeUndefined();
  });

  test('pages by 50 without loss or repeat', async () => {
    const sizes: number[] = [];
    const uris: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listResources(cursor, context(MANY));
      sizes.push(page.resources.length);
      uris.push(...page.resources.map(({ uri }) => uri));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(sizes).toEqual([50, 50, 21]);
    expect(uris).toEqual(['grafana:overview', ...MANY.map(({ uid }) => `datasource:loki:${uid}`)]);
  });

  test.each(['x', 'AAAA', '-1'])('refuses the cursor %j', async (cursor) => {
    for (const scope of ['datasources:read', 'logs:read'] as const) {
      await expect(listResources(cursor, context(MANY, [scope]))).rejects.toMatchObject({
        kind: 'badParams',
        message: expect.stringMatching(/^Invalid cursor/),
      });
    }
  });

  test('refuses the cursor of another caller', async () => {
    const { nextCursor } = await listResources(undefined, context(MANY));
    await expect(listResources(nextCursor, context(MANY, ['datasources:read'], 'b'))).rejects.toMatchObject({
      kind: 'badParams',
    });
  });

  test('shows the overview while Grafana is down, and nothing without the scope', async () => {
    expect((await listResources(undefined, context('down'))).resources.map(({ uri }) => uri)).toEqual([
      'grafana:overview',
    ]);
    expect(await listResources(undefined, context(MANY, ['logs:read']))).toEqual({ resources: [] });
    expect(await listTemplates(context(MANY, ['logs:read']))).toEqual({ resourceTemplates: [] });
  });

  test('gives the template', async () => {
    const { resourceTemplates } = await listTemplates(context([]));
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(['datasource:{type}:{name}']);
  });
});

describe('resources/read', () => {
  test('a datasource: identity, health, what to ask next, and the uniform metadata', async () => {
    const url = 'http://admin:hunter2@loki.test:3100'; // fake
    const body = await read('datasource:loki:Logs', [{ uid: 'l1', name: 'Logs', isDefault: true, url }]);
    expect(JSON.stringify(body)).not.toContain('hunter2');
    expect(body).toEqual({
      isDefault: true,
      name: 'Logs',
      type: 'loki',
      uid: 'l1',
      url: expect.stringMatching(/^http:\/\/.*\[masked:[\w-]+\].*@loki\.test:3100$/),
      health: { status: 'ok', message: 'Data source is working', age_seconds: 12 },
      next: [
        { tool: 'describe_datasource', arguments: { datasource: 'l1' } },
        { tool: 'list_loki_labels', arguments: { datasource: 'l1' } },
      ],
      uri: 'datasource:loki:l1',
      source: 'https://grafana.test',
      generated_at: '2026-11-30T10:30:00.000Z',
      age_seconds: 12,
      masked: 1,
    });
  });

  test.each(['EU/Prod', '100%', '50% done', 'a:b', 'a b', 'one, two', 'a?b#c', '東京 / Edge', 'a%2Fb'])(
    'the name %s works encoded, and raw where it has no escape',
    async (name) => {
      const list = [{ uid: 'u1', name }];
      const raw = name === 'a%2Fb' ? [] : [`datasource:loki:${name}`];
      for (const uri of [datasourceUri('loki', name), ...raw]) expect((await read(uri, list)).uid).toBe('u1');
    },
  );

  test('uid before exact name before a name that is unique without regard to case', async () => {
    const list = [
      { uid: 'logs', name: 'Other' },
      { uid: 'u2', name: 'Main' },
      { uid: 'u3', name: 'MAIN' },
      { uid: 'u4', name: 'logs' },
    ];
    expect((await read('datasource:loki:logs', list)).uid).toBe('logs');
    expect((await read('datasource:loki:MAIN', list)).uid).toBe('u3');
    expect((await read('datasource:loki:OTHER', list)).uid).toBe('logs');
    await expect(read('datasource:loki:main', list)).rejects.toMatchObject({
      kind: 'badParams',
      message: 'More than one datasource of type loki has this name: datasource:loki:u2, datasource:loki:u3.',
    });
  });

  test('an unknown one is a fault of the protocol; one of another type is named', async () => {
    const list = [{ uid: 'p1', name: 'Metrics', type: 'prometheus' }];
    await expect(read('datasource:loki:nope', list)).rejects.toMatchObject({ kind: 'notFound' });
    await expect(read('datasource:loki:Metrics', list)).rejects.toMatchObject({
      kind: 'notFound',
      message: expect.stringContaining('datasource:prometheus:p1'),
    });
  });

  test('without the scope neither reads, and the scope is named', async () => {
    for (const uri of ['grafana:overview', 'datasource:loki:u1']) {
      await expect(readResource(uri, context(MANY, ['logs:read']))).rejects.toMatchObject({
        message: expect.stringContaining('datasources:read'),
      });
    }
  });

  test('while Grafana is down a datasource says so, and the overview is still read', async () => {
    await expect(readResource('datasource:loki:u1', context('down'))).rejects.toMatchObject({
      message: expect.stringMatching(/^Grafana cannot be reached/),
    });
    const overview = await read('grafana:overview', 'down');
    expect(overview).toMatchObject({ grafana: null, datasources: null });
    const message = 'Grafana cannot be reached: refused.';
    expect(overview.faults).toEqual(
      ['Grafana', 'organisation', 'datasources'].map((of) => ({ of, hop: 'grafana', message })),
    );
  });

  test('the overview: version, organisation, datasources by type', async () => {
    const overview = await read('grafana:overview', [
      { uid: 'l1', name: 'Logs' },
      { uid: 'p1', name: 'Metrics', type: 'prometheus', isDefault: true },
    ]);
    expect(overview).toMatchObject({
      grafana: { version: '12.0.0', url: 'https://grafana.test' },
      organisation: { id: 7, name: 'Shop' },
      datasources: {
        loki: { total: 1, datasources: [{ uri: 'datasource:loki:l1', name: 'Logs' }] },
        prometheus: { total: 1, datasources: [{ uri: 'datasource:prometheus:p1', name: 'Metrics', isDefault: true }] },
      },
      uri: 'grafana:overview',
    });
  });
});

test("a datasource's next calls are those that the scopes allow, and begin with the hops when its health fails", async () => {
  const list = [
    { uid: 'p1', name: 'Metrics', type: 'prometheus' },
    { uid: 'l1', name: 'Logs' },
    { uid: 'sick', name: 'Sick' },
    { uid: 'm1', name: 'Tables', type: 'mysql' },
  ];
  const tools = async (uri: string, scopes: Scope[]) =>
    ((await read(uri, list, ['datasources:read', ...scopes])).next as { tool: string }[]).map(({ tool }) => tool);
  expect(await tools('datasource:loki:l1', ['metrics:read'])).toEqual(['describe_datasource']);
  expect(await tools('datasource:prometheus:p1', ['logs:read'])).toEqual(['describe_datasource']);
  expect(await tools('datasource:mysql:m1', ['logs:read', 'metrics:read'])).toEqual(['describe_datasource']);
  const metrics = ['describe_datasource', 'list_prometheus_labels', 'query_prometheus'];
  expect(await tools('datasource:prometheus:p1', ['metrics:read'])).toEqual(metrics);
  expect(await tools('datasource:loki:sick', [])).toEqual(['check_access', 'describe_datasource']);
});

describe("the overview's next calls", () => {
  const next = async (list: Given[] | 'down', scopes?: Scope[]) =>
    (await read('grafana:overview', list, scopes)).next as { tool: string; arguments: Record<string, string> }[];

  test('name a datasource, the default of its kind or the first: several would be ambiguous', async () => {
    const list = [
      { uid: 'l1', name: 'A logs' },
      { uid: 'l2', name: 'B logs' },
      { uid: 'p1', name: 'A metrics', type: 'prometheus' },
      { uid: 'p2', name: 'B metrics', type: 'prometheus', isDefault: true },
    ];
    expect(await next(list, ['datasources:read', 'logs:read', 'metrics:read'])).toEqual([
      { tool: 'list_datasources', arguments: {} },
      { tool: 'list_loki_labels', arguments: { datasource: 'l1' } },
      { tool: 'search_metrics', arguments: { datasource: 'p2', match: 'error|fail|request' } },
      { tool: 'check_access', arguments: {} },
    ]);
  });

  test('name only what there is and what the caller may call', async () => {
    const tools = async (list: Given[] | 'down', scopes?: Scope[]) =>
      (await next(list, scopes)).map(({ tool }) => tool);
    const both = [
      { uid: 'l1', name: 'Logs' },
      { uid: 'p1', name: 'Metrics', type: 'prometheus' },
    ];
    expect(await tools(both, ['datasources:read', 'metrics:read'])).toEqual([
      'list_datasources',
      'search_metrics',
      'check_access',
    ]);
    expect(await tools([], ['datasources:read', 'logs:read'])).toEqual(['list_datasources', 'check_access']);
    expect(await tools('down')).toEqual(['check_access']);
  });
});

test('the overview of a large Grafana stays within the budget of an answer, with true totals', async () => {
  const types = ['loki', 'prometheus', 'tempo', 'mysql', 'elasticsearch', 'influxdb', 'postgres', 'jaeger'];
  const list = types.flatMap((type) =>
    Array.from({ length: 60 }, (_, i) => ({
      uid: `${type}-${i}`,
      name: `A datasource with a long name, ${type} ${i}`,
      type,
    })),
  );
  const ctx = context(list);
  expect(JSON.stringify(await readResource('grafana:overview', ctx)).length).toBeLessThanOrEqual(
    ctx.settings.answerChars,
  );
  const { datasources } = await read('grafana:overview', list);
  expect(Object.values(datasources as Record<string, { total: number }>).map(({ total }) => total)).toEqual(
    types.map(() => 60),
  );
});

describe('completion of the template', () => {
  const ref = { type: 'ref/resource' as const, uri: 'datasource:{type}:{name}' };
  const list = [...MANY, { uid: 'p1', name: 'Metrics', type: 'prometheus' }];
  const ask = (name: string, value: string, given?: Record<string, string>, ctx = context(list)) =>
    complete(
      { ref, argument: { name, value }, ...(given === undefined ? {} : { context: { arguments: given } }) },
      ctx,
    );

  test('first the type, then names and uids of that type', async () => {
    expect((await ask('type', '')).completion.values).toEqual(['loki', 'prometheus']);
    expect((await ask('type', 'PRO')).completion.values).toEqual(['prometheus']);
    expect((await ask('name', '', { type: 'prometheus' })).completion.values).toEqual(['Metrics', 'p1']);
  });

  test('at most 100, with the total', async () => {
    const { values, total, hasMore } = (await ask('name', 'logs', { type: 'loki' })).completion;
    expect([values.length, total, hasMore]).toEqual([100, 120, true]);
  });

  test('is empty while Grafana is down and without the scope; refuses what does not exist', async () => {
    const empty = { completion: { values: [], total: 0, hasMore: false } };
    expect(await ask('type', '', undefined, context('down'))).toEqual(empty);
    expect(await ask('type', '', undefined, context(list, ['logs:read']))).toEqual(empty);
    await expect(ask('uid', '')).rejects.toMatchObject({ kind: 'badParams' });
    const other = { type: 'ref/resource' as const, uri: 'folder:{uid}' };
    await expect(complete({ ref: other, argument: { name: 'uid', value: '' } }, context(list))).rejects.toMatchObject({
      kind: 'badParams',
    });
  });
});

async function read(uri: string, list: Given[] | 'down', scopes?: Scope[]): Promise<Record<string, unknown>> {
  const { contents } = await readResource(uri, context(list, scopes));
  const [first] = contents;
  return JSON.parse(first !== undefined && 'text' in first ? String(first.text) : '');
}
