import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  json,
  proxied,
  type Reply,
  type ScriptedServer,
  scriptedServer,
} from '../src/grafana/testing/scripted-server.ts';
import { type Counter, openCounter } from './support/in-process.ts';

// One request through three services: two write its id into their lines, one has it as structured metadata alone.
const ROOT = '/api/datasources/proxy/uid/logs/loki/api/v1';
const ID = '4bf92f3577b34da6';
const at = (ms: number) => String(1_796_040_000_000n * 1_000_000n + BigInt(ms) * 1_000_000n);
const success = (data: unknown) => json({ status: 'success', data });
const checkout = {
  stream: { service_name: 'checkout' },
  values: [
    [at(0), `began ${ID}`],
    [at(5_200), `failed ${ID}`],
  ],
};
const payments = {
  stream: { service_name: 'payments' },
  values: [[at(40), 'charge refused', { structuredMetadata: { trace_id: ID } }]],
};
const streams = (...result: unknown[]) =>
  success({ resultType: 'streams', encodingFlags: ['categorize-labels'], result });
const queryOf = (seen: Parameters<Reply>[0]) =>
  (seen.method === 'POST' ? new URLSearchParams(seen.body) : seen.query).get('query') ?? '';

let server: ScriptedServer;
let counter: Counter;
let byMetadata: Reply;
beforeEach(async () => {
  byMetadata = streams(payments, checkout);
  server = await scriptedServer({
    '/api/org': json({ id: 1, name: 'Shop' }),
    '/api/datasources': json([{ uid: 'logs', name: 'Logs', type: 'loki', isDefault: true }]),
    [`${ROOT}/labels`]: success(['env', 'service_name']),
    [`${ROOT}/query_range`]: (seen, response) =>
      (queryOf(seen).includes('|= ') ? streams(checkout) : byMetadata)(seen, response),
    '*': proxied(404, '404 page not found'),
  });
  counter = openCounter(server.url, 'fake-token');
});
afterEach(async () => {
  await counter.close();
  await server.close();
});
const follow = (args: Record<string, unknown> = {}) =>
  counter.ask('summarize_loki_logs', {
    follow: ID,
    start: '2026-11-30T11:59:00Z',
    end: '2026-11-30T12:01:00Z',
    ...args,
  });

test('lines that hold the id in their text or their metadata stand in one order, each once', async () => {
  const { lines, data } = await follow();
  expect(lines[0]).toMatch(/^3 lines of 2 services within 5s200ms, oldest first · /);
  expect(data[0]).toBe('by service: checkout 2, payments 1');
  expect(data.slice(1).map((line) => line.slice(line.indexOf(' ') + 1))).toEqual([
    `began ${ID} service_name=checkout`,
    `charge refused service_name=payments trace_id=${ID}`,
    `failed ${ID} service_name=checkout`,
  ]);
  const asked = server.seen.filter(({ path }) => path.endsWith('/query_range')).map(queryOf);
  expect(asked.sort()).toEqual([
    expect.stringMatching(/^\{service_name=~"\.\+"\} \| trace_id="4bf92f3577b34da6" or traceID="4bf92f3577b34da6" or /),
    `{service_name=~".+"} |= "${ID}"`,
  ]);
});

test('a server that refuses the question about metadata gives the lines, and it is said', async () => {
  byMetadata = proxied(500, 'internal error');
  const { lines, text } = await follow();
  expect(lines[0]).toMatch(/^2 lines of 1 service /);
  expect(text).toContain('lines that hold it in their metadata alone could not be looked for');
});

test.each([['abc'], [' \n '], ['x'.repeat(201)], ['two\nlines']])('what is no id is refused: %j', async (id) => {
  const { text, isError } = await follow({ follow: id });
  expect([isError, text]).toEqual([true, expect.stringContaining('code: bad_argument')]);
  expect(server.seen.filter(({ path }) => path.endsWith('/query_range'))).toEqual([]);
});
