import { expect, test } from 'vitest';
import { messageLines } from './stdin-lines.ts';

async function read(chunks: (string | Buffer)[]) {
  const refused: unknown[] = [];
  const lines = messageLines((message) => void refused.push(message));
  for (const chunk of chunks) lines.write(chunk);
  lines.end();
  return { passed: (await lines.toArray()).join('').split('\n').slice(0, -1), refused };
}
const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const error = (code: number, id: unknown, says: RegExp) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message: expect.stringMatching(says) },
});

test.each([
  ['{"jsonrpc":', error(-32700, null, /not JSON/)],
  ['hello', error(-32700, null, /not JSON/)],
  ['null', error(-32600, null, /no JSON-RPC/)],
  ['{"id":7,"method":"ping"}', error(-32600, 7, /no JSON-RPC/)],
  ['{"jsonrpc":"2.0","id":{},"method":"ping"}', error(-32600, null, /no JSON-RPC/)],
  [`[${ping}]`, error(-32600, null, /Batches/)],
  ['x'.repeat(5 * 1024 * 1024), error(-32600, null, /4 MB/)],
  // The limit is one of bytes, as over HTTP.
  ['京'.repeat(2 * 1024 * 1024), error(-32600, null, /4 MB/)],
  ['[]', error(-32600, null, /Batches/)],
  ['{"jsonrpc":"2.0","id":"a","method":7}', error(-32600, 'a', /no JSON-RPC/)],
  ['{"jsonrpc":"2.0","id":null,"method":"ping"}', error(-32600, null, /no JSON-RPC/)],
  [`${'['.repeat(500_000)}`, error(-32700, null, /not JSON/)],
])('%#: answered, and the next line is read', async (line, answer) =>
  expect(await read([`${line}\n${ping}\n`])).toEqual({ passed: [ping], refused: [answer] }),
);

test('lines in pieces, with CRLF, empty ones between, the last without an end', async () => {
  const text = Buffer.from(`${ping.replace('ping', '東京')}\r\n\n \n${ping}`);
  const bytes = Array.from(text, (_, i) => text.subarray(i, i + 1));
  expect(await read(bytes)).toEqual({ passed: [ping.replace('ping', '東京'), ping], refused: [] });
});

test('a line without an end is refused once and held in no part', async () => {
  const refused: unknown[] = [];
  const lines = messageLines((message) => void refused.push(message));
  lines.resume();
  const part = Buffer.alloc(1024 * 1024, 'x');
  const write = (chunk: Buffer | string) => new Promise<unknown>((resolve) => void lines.write(chunk, resolve));
  for (let i = 0; i < 8; i++) await write(part);
  const before = process.memoryUsage();
  for (let i = 0; i < 200; i++) await write(part);
  const after = process.memoryUsage();
  expect(after.rss - before.rss).toBeLessThan(100e6);
  await write('\n');
  expect(refused).toEqual([error(-32600, null, /4 MB/)]);
});
