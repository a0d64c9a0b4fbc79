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
])('%#: answered, and the next line is read', async (line, answer) =>
  expect(await read([`${line}\n${ping}\n`])).toEqual({ passed: [ping], refused: [answer] }),
);

test('lines in pieces, with CRLF, empty ones between, the last without an end', async () => {
  const text = Buffer.from(`${ping.replace('ping', '東京')}\r\n\n \n${ping}`);
  const bytes = Array.from(text, (_, i) => text.subarray(i, i + 1));
  expect(await read(bytes)).toEqual({ passed: [ping.replace('ping', '東京'), ping], refused: [] });
});
