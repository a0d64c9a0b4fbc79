import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Desk, openDesk } from './support/in-process.ts';

// What a query would make Loki read is asked of its index first; what it did read, Loki says in its answers.
const WIDE = { logql: '{env="prod"} |= "order"', start: 'now-90m' };

describe('above the budget of a call', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(['--scan-budget', '400KB']);
  });
  afterAll(() => desk.close());
  const ask = (tool: string, args: Record<string, unknown>) => desk.ask(tool, { datasource: 'loki-demo', ...args });
  const queries = () => desk.sandbox.requests().filter(({ path }) => /\/query(?:_range)?$/.test(path)).length;

  test.each([
    ['query_loki_logs', WIDE],
    ['query_loki_logs', { logql: 'sum(rate({env="prod"}[90m]))' }],
    ['query_loki_logs', { logql: 'sum(rate({env="prod"}[5m]))', start: 'now-90m' }],
    ['query_loki_logs', { ...WIDE, around: 'now-3h', end: 'now' }],
    ['summarize_loki_logs', { logql: '{env="prod"}', start: 'now-2h' }],
    ['summarize_loki_logs', {}],
    ['summarize_loki_logs', { follow: 'abcdef', start: 'now-90m' }],
  ])('%s %j is refused with its bytes, and nothing is read', async (tool, args) => {
    const before = queries();
    const { isError, text } = await ask(tool, args);
    expect([isError, text]).toEqual([true, expect.stringContaining('code: scan_budget')]);
    expect(text).toMatch(
      /^The query would read about [\d.]+ MB of logs, and a call may read 400 KB \(--scan-budget\); it was not run\.$/m,
    );
    expect(queries()).toBe(before);
  });

  test('the window that is offered fits, and the services that cost most are named', async () => {
    const { text } = await ask('query_loki_logs', WIDE);
    expect(text).toMatch(/by (?:service_name|app): \w+ [\d.]+ [KM]B, /);
    const [, start, end] = /start="([^"]+)" end="([^"]+)"/.exec(text) ?? [];
    const second = await ask('query_loki_logs', { ...WIDE, start, end });
    expect(second.isError, second.text).toBe(false);
  });

  test('the ranges that are offered fit', async () => {
    const { text } = await ask('query_loki_logs', { logql: 'sum(rate({env="prod"}[90m]))' });
    const logql = /This fits \(about [^)]+\): (.+)$/m.exec(text)?.[1];
    expect(logql).toMatch(/^sum\(rate\(\{env="prod"\}\[\w+\]\)\)$/);
    expect((await ask('query_loki_logs', { logql })).isError).toBe(false);
  });

  test('more than a tenth is said', async () => {
    const { text } = await ask('query_loki_logs', {
      logql: '{app="checkout"} |= "order"',
      start: 'now-10m',
      limit: 2000,
    });
    expect(text).toMatch(/^read \d+ KB of logs; a call may read 400 KB$/m);
  });
});

test('an hour of one service is not asked about, and a session reads no more than it may', async () => {
  const desk = await openDesk(['--session-scan-budget', '2GB']);
  const scanned = { bytes: 0 };
  const ask = () =>
    desk.ask('query_loki_logs', { logql: '{app="checkout"} |= "order"', datasource: 'loki-demo' }, { scanned });
  await ask();
  expect(desk.sandbox.requests().filter(({ path }) => path.endsWith('/index/stats'))).toEqual([]);
  expect(scanned.bytes).toBeGreaterThan(10_000);
  scanned.bytes = 1.5 * 1024 ** 3;
  expect((await ask()).lines.join('\n')).toContain('this session has read 1.5 GB of its 2 GB');
  scanned.bytes = 2 * 1024 ** 3;
  const { isError, text } = await ask();
  expect([isError, text]).toEqual([true, expect.stringContaining('code: scan_budget')]);
  expect(text).toContain('This session has read 2 GB of logs; it may read 2 GB.');
  await desk.close();
});

test('0 is off', async () => {
  const desk = await openDesk(['--scan-budget', '0', '--session-scan-budget', '0']);
  const scanned = { bytes: 1e15 };
  const { isError } = await desk.ask('query_loki_logs', { ...WIDE, datasource: 'loki-demo' }, { scanned });
  expect(isError).toBe(false);
  expect(desk.sandbox.requests().filter(({ path }) => path.endsWith('/index/stats'))).toEqual([]);
  await desk.close();
});
