import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  json,
  proxied,
  type Reply,
  type ScriptedServer,
  scriptedServer,
} from '../src/grafana/testing/scripted-server.ts';
import { type Counter, openCounter } from './support/in-process.ts';

// A Loki with more lines than are read: 100,000 in the window 12:00–13:00, 60,000 in the hour before.
const ROOT = '/api/datasources/proxy/uid/busy/loki/api/v1';
const HOUR = 3_600_000_000_000n;
const NOON = BigInt(Date.parse('2026-11-30T12:00:00Z')) * 1_000_000n;

interface Line {
  ts: bigint;
  text: string;
  pod: string;
  level: string;
}

/** One in `rare` lines is a refund that failed, all of them in the last tenth of the hour from 12:00. */
function hour(start: bigint, count: number, errors: boolean): Line[] {
  return Array.from({ length: count }, (_, i): Line => {
    const at = { ts: start + (HOUR * BigInt(i)) / BigInt(count), pod: i % 4 === 0 ? 'api-1' : 'api-0' };
    if (errors && i >= count * 0.9 && i % 10 === 0) return { ...at, level: 'error', text: `refund ${i} failed` };
    return i % 3 === 0
      ? { ...at, level: 'warn', text: `slow answer after ${i} ms` }
      : { ...at, level: 'info', text: `order ${i} placed${i % 3 === 1 ? '' : ' again'}` };
  });
}
const LINES = [...hour(NOON - HOUR, 60_000, false), ...hour(NOON, 100_000, true)];
const within = (start: string | null, end: string | null) =>
  LINES.filter(({ ts }) => ts >= BigInt(start ?? 0) && ts < BigInt(end ?? 0));

const fieldsOf = (seen: Parameters<Reply>[0]) => (seen.method === 'POST' ? new URLSearchParams(seen.body) : seen.query);
const needleOf = (fields: URLSearchParams) => /\|= "([^"]*)"/.exec(fields.get('query') ?? '')?.[1] ?? '';
const send = (value: unknown): Reply => json({ status: 'success', data: value });

const range: Reply = (seen, response) => {
  const fields = fieldsOf(seen);
  const needle = needleOf(fields);
  const found = within(fields.get('start'), fields.get('end')).filter(({ text }) => text.includes(needle));
  const limit = Number(fields.get('limit'));
  const lines = fields.get('direction') === 'forward' ? found.slice(0, limit).reverse() : found.slice(-limit);
  const streams = new Map<string, Line[]>();
  for (const line of lines.reverse()) {
    const key = JSON.stringify({ app: 'api', pod: line.pod, level: line.level });
    streams.set(key, [...(streams.get(key) ?? []), line]);
  }
  const result = [...streams].map(([key, all]) => ({
    stream: JSON.parse(key),
    values: all.map(({ ts, text }) => [String(ts), text]),
  }));
  send({ resultType: 'streams', result })(seen, response);
};

const instant: Reply = (seen, response) => {
  const fields = fieldsOf(seen);
  const end = BigInt(fields.get('time') ?? 0);
  const query = fields.get('query') ?? '';
  const by = /^sum by \((pod|level)/.exec(query)?.[1] === 'pod' ? 'pod' : 'level';
  const isSummed = query.startsWith('sum (');
  const needle = needleOf(fields);
  const counts = new Map<string, number>();
  for (const line of within(String(end - HOUR), String(end))) {
    if (line.text.includes(needle))
      counts.set(isSummed ? '' : line[by], (counts.get(isSummed ? '' : line[by]) ?? 0) + 1);
  }
  const result = [...counts].map(([value, n]) => ({ metric: isSummed ? {} : { [by]: value }, value: [1, String(n)] }));
  send({ resultType: 'vector', result })(seen, response);
};

let server: ScriptedServer;
let counter: Counter;
beforeAll(async () => {
  server = await scriptedServer({
    '/api/org': json({ id: 1, name: 'Shop' }),
    '/api/datasources': json([{ uid: 'busy', name: 'Busy', type: 'loki', isDefault: true }]),
    [`${ROOT}/query_range`]: range,
    [`${ROOT}/query`]: instant,
    [`${ROOT}/labels`]: send(['app', 'pod', 'level']),
    [`${ROOT}/patterns`]: send([
      { pattern: 'order <_> placed again', level: 'info', samples: [[1, 40_000]] },
      {
        pattern: 'disk <_> is full',
        level: 'error',
        samples: [
          [1, 1],
          [2, 2],
        ],
      },
    ]),
    '*': proxied(404, '404 page not found'),
  });
  counter = openCounter(server.url, 'fake-token');
});
afterAll(async () => {
  await counter.close();
  await server.close();
});

const ask = (more: Record<string, unknown> = {}) =>
  counter.ask('summarize_loki_logs', {
    logql: '{app="api"}',
    start: '2026-11-30T12:00:00Z',
    end: '2026-11-30T13:00:00Z',
    ...more,
  });

test('what was read in parts is estimated, and said; totals by level and stream are counted', async () => {
  const { text, data, size } = await ask();
  expect(size).toBeLessThanOrEqual(7_500);
  expect(text).toMatch(/^100,000 lines in 4 groups, 1 new, 0 grown, 0 gone/);
  expect(text).toContain('5,000 of 100,000 lines of the window were read, spread over it: ≈ is estimated from those');
  expect(text).toContain('of 60,000 lines of the window before were read');
  expect(text).toContain('by level: info 66,000 (before 40,000), warn 33,000 (before 20,000), error 1,000 (before 0)');
  expect(data).toContain('by pod: api-0 75,000 (before 45,000), api-1 25,000 (before 15,000)');
  const rowOf = (template: string) => data[data.indexOf(`  ${template}`) - 1] ?? '';
  // What words of its own tell apart is counted, the rest estimated.
  expect(rowOf('refund <*> failed')).toMatch(/^NEW error × 1,000 \(before 0\) 12:54:00–12:59:59 /);
  expect(rowOf('slow answer after <*> ms')).toMatch(/^warn × 33,000 \(before 20,000\) /);
  const [, placed = '', before = ''] = /^info × ≈ ([\d,]+) \(before ≈ ([\d,]+)\)/.exec(rowOf('order <*> placed')) ?? [];
  for (const [shown, truth] of [
    [placed, 33_000],
    [before, 20_000],
  ] as const) {
    expect(Math.abs(Number(shown.replaceAll(',', '')) / truth - 1)).toBeLessThan(0.15);
  }
});

test("what Loki's own patterns know and no line that was read shows is said", async () => {
  const { data } = await ask();
  expect(data.slice(-2)).toEqual([
    "1 of Loki's own patterns fits no line that was read:",
    '  error × 3 disk <_> is full',
  ]);
  server.seen.length = 0;
  const filtered = await ask({ logql: '{app="api"} |= "e"' });
  expect(filtered.text).not.toContain('patterns');
  expect(server.seen.some(({ path }) => path.endsWith('/patterns'))).toBe(false);
});
