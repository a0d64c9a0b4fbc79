import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readLogFile } from './file-logs.ts';
import { lineTime } from './line-time.ts';

const NOW = Date.UTC(2026, 10, 30, 10, 0, 0);

test.each([
  ['2026-11-30T09:59:58.123456789Z boom', '2026-11-30T09:59:58.123Z', 456_789n],
  ['2026-11-30 09:59:58,5 ERROR x', '2026-11-30T09:59:58.500Z', 0n],
  ['[2026-11-30T11:59:58+02:00] x', '2026-11-30T09:59:58.000Z', 0n],
  ['2026/11/30 09:59:58 [error] 7#0: x', '2026-11-30T09:59:58.000Z', 0n],
  ['ts=2026-11-30T09:59:58Z level=info', '2026-11-30T09:59:58.000Z', 0n],
  ['time="2026-11-30T09:59:58Z" level=info', '2026-11-30T09:59:58.000Z', 0n],
  ['10.0.0.1 - - [30/Nov/2026:11:59:58 +0200] "GET / HTTP/1.1" 200', '2026-11-30T09:59:58.000Z', 0n],
  ['Nov 30 09:59:58 host app[1]: x', '2026-11-30T09:59:58.000Z', 0n],
  ['<34>Dec  2 01:02:03 host su: x', '2025-12-02T01:02:03.000Z', 0n],
  ['<34>1 2026-11-30T09:59:58.003Z host app', '2026-11-30T09:59:58.003Z', 0n],
  ['{"level":"info","ts":"2026-11-30T09:59:58Z"}', '2026-11-30T09:59:58.000Z', 0n],
  ['{"ts":1796032798.25,"m":"x"}', '2026-11-30T09:59:58.250Z', 0n],
  ['{"time":1796032798250}', '2026-11-30T09:59:58.250Z', 0n],
  ['{"@timestamp":1796032798250000001}', '2026-11-30T09:59:58.250Z', 1n],
])('%s', (line, iso, rest) => {
  expect(lineTime(line, NOW)).toBe(BigInt(Date.parse(iso)) * 1_000_000n + rest);
});

test.each(['plain text', '{"level":"info"}', '  at Foo.java:3', '12:00:01 x', ''])('no time in %j', (line) => {
  expect(lineTime(line, NOW)).toBeUndefined();
});

describe('a file of a person', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-logs-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const load = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return readLogFile(join(folder, name), NOW);
  };
  const everything = [0n, BigInt(NOW) * 2_000_000n] as const;

  test('keeps its times, puts lines in order and lets continuation lines follow', () => {
    const store = load('app.log', '2026-11-30T09:00:02Z b\r\n\tat x\n2026-11-30T09:00:01Z a\n\nlast 日本');
    const [stream] = store.select(() => true, ...everything);
    expect(stream?.labels).toEqual({ app: 'app', env: 'local', filename: join(folder, 'app.log') });
    expect(stream?.lines.map((l) => l.line)).toEqual([
      '2026-11-30T09:00:01Z a',
      'last 日本',
      '2026-11-30T09:00:02Z b',
      '\tat x',
    ]);
    const second = BigInt(Date.UTC(2026, 10, 30, 9, 0, 2)) * 1_000_000n;
    expect(store.select(() => true, second, second + 1n)[0]?.lines.map((l) => l.line)).toEqual([
      '2026-11-30T09:00:02Z b',
      '\tat x',
    ]);
    expect(store.streams(second, second + 1n)).toHaveLength(1);
    expect(store.streams(second + 1n, second + 2n)).toEqual([]);
    expect(store.select((l) => l.app === 'other', ...everything)).toEqual([]);
  });

  test('without times is spread over the last hour', () => {
    const [stream] = load('plain.txt', Array.from({ length: 60 }, (_, i) => `line ${i}`).join('\n')).select(
      () => true,
      ...everything,
    );
    expect(stream?.lines.map((l) => Number(l.ts / 1_000_000n) - NOW)).toEqual(
      Array.from({ length: 60 }, (_, i) => (i - 60) * 60_000),
    );
  });

  test('that cannot be read is refused', () => {
    expect(() => readLogFile(join(folder, 'none.log'), NOW)).toThrow(/^The log file .*none\.log cannot be read\.$/);
  });
});
