import { afterEach, beforeEach, expect, test } from 'vitest';
import { json, proxied, type ScriptedServer, scriptedServer } from '../src/grafana/testing/scripted-server.ts';
import { type Counter, openCounter } from './support/in-process.ts';

// A Loki without index/volume, which ignores a selector beside a label.
const ROOT = '/api/datasources/proxy/uid/old/loki/api/v1';
const success = (data: unknown) => json({ status: 'success', data });
const STREAMS = [
  { app: 'api', env: 'prod' },
  { app: 'web', env: 'prod' },
];

let server: ScriptedServer;
let counter: Counter;
beforeEach(async () => {
  server = await scriptedServer({
    '/api/org': json({ id: 1, name: 'Shop' }),
    '/api/datasources': json([{ uid: 'old', name: 'Old', type: 'loki', isDefault: true }]),
    [`${ROOT}/label/app/values`]: success(['api', 'batch', 'web']),
    [`${ROOT}/labels`]: success(['app', 'env', 'zone']),
    [`${ROOT}/series`]: success(STREAMS),
    [`${ROOT}/query`]: success({
      resultType: 'vector',
      result: [
        { metric: { app: 'web' }, value: [1, '12'] },
        { metric: { app: 'api' }, value: [1, '3'] },
      ],
    }),
    '*': proxied(404, '404 page not found'),
  });
  counter = openCounter(server.url, 'fake-token');
});
afterEach(async () => {
  await counter.close();
  await server.close();
});

test('a selector that it ignores is read from the streams, and said; lines stand for bytes', async () => {
  const { structured } = await counter.ask('list_loki_labels', { label: 'app', selector: '{env="prod"}' });
  expect(structured).toMatchObject({
    values: ['web', 'api'],
    lines: { web: 12, api: 3 },
    total: 2,
    note: 'This Loki takes no selector here: this is read from the streams that match it.',
  });
  const names = await counter.ask('list_loki_labels', { selector: '{env="prod"}' });
  expect(names.structured).toMatchObject({ labels: ['app', 'env'], note: expect.stringContaining('no selector') });
});

test('a scan that it cannot count is not held up', async () => {
  const { isError } = await counter.ask('query_loki_logs', {
    logql: 'sum by (app) (count_over_time({env="prod"}[6h]))',
  });
  expect(isError).toBe(false);
  expect(server.seen.some(({ path }) => path.endsWith('/index/stats'))).toBe(true);
});
