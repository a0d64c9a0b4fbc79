import { Transform, type TransformCallback } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { isJSONRPCRequest, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { RPC } from '../rpc.ts';

/** Bytes, as over HTTP. */
const MAX_LINE = 4 * 1024 * 1024;
const withId = z.looseObject({ id: z.union([z.string(), z.number()]) });

/**
 * The lines of stdin that hold one JSON-RPC message; every other is answered through `refuse` and left out, since the
 * SDK would be silent about it. No line is held beyond 4 MB. An empty line is nothing. While the process drains, what
 * runs may still be cancelled; nothing begins.
 */
export function messageLines(refuse: (answer: Refusal) => void, draining: () => boolean = () => false): Transform {
  const decoder = new StringDecoder('utf8');
  let line = '';
  let bytes = 0;
  let tooLong = false;

  function end(out: Transform): void {
    const text = line.trim();
    const problem = tooLong ? TOO_LONG : text === '' ? undefined : problemOf(text, draining());
    if (problem !== undefined) refuse(problem);
    else if (text !== '') out.push(`${text}\n`);
    line = '';
    bytes = 0;
    tooLong = false;
  }
  return new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      const [first = '', ...rest] = decoder.write(chunk).split('\n');
      for (const [i, part] of [first, ...rest].entries()) {
        if (i > 0) end(this);
        bytes += Buffer.byteLength(part);
        if (bytes > MAX_LINE) tooLong = true;
        line = tooLong ? '' : line + part;
      }
      done();
    },
    flush(done) {
      end(this);
      done();
    },
  });
}

/** A JSON-RPC error as it goes out. */
export interface Refusal {
  jsonrpc: '2.0';
  id: string | number | null;
  error: { code: number; message: string };
}

function refusal(code: number, message: string, id: Refusal['id'] = null): Refusal {
  return { jsonrpc: '2.0', id, error: { code, message } };
}
const TOO_LONG = refusal(RPC.request, 'The line is longer than 4 MB.');

function problemOf(text: string, draining: boolean): Refusal | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refusal(RPC.parse, 'The line is not JSON: send one JSON-RPC message a line.');
  }
  if (Array.isArray(value)) return refusal(RPC.request, 'Batches are not served on stdio: send one message a line.');
  const message = JSONRPCMessageSchema.safeParse(value);
  if (message.success) {
    return draining && isJSONRPCRequest(message.data)
      ? refusal(RPC.refused, 'The gateway is shutting down.', message.data.id)
      : undefined;
  }
  return refusal(RPC.request, 'The line is no JSON-RPC 2.0 message.', withId.safeParse(value).data?.id ?? null);
}
