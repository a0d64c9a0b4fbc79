import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express';
import type { Logger } from 'pino';
import { z } from 'zod';
import { RPC, refuse } from './rpc.ts';

const LIMIT = '4mb';

/** JSON bodies of POSTs, up to 4 MB; every other media type is refused. */
export function readBody(): RequestHandler[] {
  // Not strict: JSON that is no object is readable, and refused as no message further on.
  const parse = express.json({ limit: LIMIT, strict: false, type: () => true });
  return [
    (request, response, next) => {
      if (request.method !== 'POST') return next();
      if (!/^application\/json *(;|$)/i.test(request.headers['content-type'] ?? '')) {
        return refuse(response, 415, 'The body must be JSON: send "Content-Type: application/json".');
      }
      parse(request, response, next);
    },
  ];
}

const httpError = z.looseObject({ status: z.number().int().min(400).max(499), type: z.string().optional() });

/** The last resort: every fault is a JSON-RPC error without a stack. */
export function onError(log: Logger): ErrorRequestHandler {
  return async (error: unknown, request: Request, response: Response, _next) => {
    const known = httpError.safeParse(error);
    if (!known.success) {
      log.error({ err: error, requestId: request.headers['x-request-id'] }, 'a request failed');
      return refuse(response, 500, 'The gateway failed in this request; its log has the details.', RPC.internal);
    }
    const { status, type } = known.data;
    if (type === 'entity.parse.failed') return refuse(response, 400, 'The body is not JSON.', RPC.parse);
    if (status === 413) {
      // Answered while it still sends, a client would see a broken connection instead of the reason.
      await drained(request);
      return refuse(response, 413, `The body is larger than ${LIMIT}.`);
    }
    // What unpacks a body names its faults by no type.
    const packed = type === undefined && request.headers['content-encoding'] !== undefined;
    refuse(response, status, PROBLEMS[type ?? (packed ? PACKED : '')] ?? 'Bad request.', RPC.request);
  };
}

const PACKED = 'packed';
const PROBLEMS: Partial<Record<string, string>> = {
  [PACKED]: 'The body is not what its Content-Encoding says.',
  'encoding.unsupported': 'The Content-Encoding of the body is not supported: send gzip, deflate, br or none.',
  'charset.unsupported': 'The charset in Content-Type is not supported: send UTF-8.',
};

const PATIENCE = 2000;

function drained(request: Request): Promise<void> {
  return new Promise((resolve) => {
    if (request.readableEnded || request.destroyed) return resolve();
    const timer = setTimeout(resolve, PATIENCE);
    request.once('close', () => clearTimeout(timer));
    for (const event of ['end', 'close', 'error']) request.once(event, () => resolve());
    request.resume();
  });
}
