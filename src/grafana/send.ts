import type { Readable } from 'node:stream';
import type { AxiosInstance } from 'axios';

/** One attempt, as it goes over the wire. */
export interface Attempt {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body?: string;
}

export interface RawAnswer {
  status: number;
  contentType: string;
  text: string;
  /** True when Grafana's datasource proxy passed this answer on (it adds `Via: 1.1 grafana`). */
  viaGrafana: boolean;
  /** Header values, when there. */
  retryAfter?: string;
  location?: string;
  /** How many requests the sender of a 429 allows, in its own words. */
  rateLimit?: string;
}

/** The attempt did not end in a whole answer. `code` is Node's, or one of ours: TOO_LARGE, ABORTED. */
export class TransportError extends Error {
  readonly code: string;
  /** Part of an answer had arrived already. */
  readonly receiving: boolean;
  constructor(code: string, receiving: boolean) {
    super(code);
    this.name = 'TransportError';
    this.code = code;
    this.receiving = receiving;
  }
}

/** Sends one attempt and reads its whole body. Throws TransportError only: axios's own errors carry headers and stay here. */
export async function send(
  http: AxiosInstance,
  attempt: Attempt,
  maxBytes: number,
  signal: AbortSignal,
): Promise<RawAnswer> {
  let status: number;
  let header: (name: string) => string | undefined;
  let stream: Readable;
  try {
    const { method, url, headers, body: data } = attempt;
    const response = await http.request<Readable>({ method, url, headers, data, signal });
    status = response.status;
    header = (name) => {
      const value: unknown = response.headers[name];
      return typeof value === 'string' ? value : undefined;
    };
    stream = response.data;
  } catch (error) {
    throw new TransportError(signal.aborted ? 'ABORTED' : codeOf(error), false);
  }
  // Content-Length is of the body as sent; compressed ones are counted while they come out.
  if (Number(header('content-length') ?? 0) > maxBytes) {
    stream.destroy();
    throw new TransportError('TOO_LARGE', true);
  }
  const body = await readBody(stream, maxBytes, signal);
  const retryAfter = header('retry-after');
  const location = header('location');
  const rateLimit = header('x-ratelimit-limit') ?? header('ratelimit-limit') ?? header('ratelimit-policy');
  return {
    status,
    contentType: header('content-type') ?? '',
    text: body.toString('utf8').replace(/^\uFEFF/, ''),
    viaGrafana: /\bgrafana\b/i.test(header('via') ?? ''),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(location === undefined ? {} : { location }),
    ...(rateLimit === undefined ? {} : { rateLimit }),
  };
}

/** Destroying the stream destroys the socket below it: a cancelled or oversized answer costs upstream nothing more. */
function readBody(stream: Readable, maxBytes: number, signal: AbortSignal): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const fail = (code: string) => {
      signal.removeEventListener('abort', onAbort);
      reject(new TransportError(code, true));
      stream.destroy();
    };
    const onAbort = () => fail('ABORTED');
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) fail('TOO_LARGE');
      else chunks.push(chunk);
    });
    stream.on('end', () => {
      signal.removeEventListener('abort', onAbort);
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size));
    });
    stream.on('error', (error) => fail(codeOf(error)));
    // After an error or an end this changes nothing; without either the connection was cut.
    stream.on('close', () => fail('ECONNRESET'));
  });
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'UNKNOWN';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'cause' in error ? codeOf(error.cause) : 'UNKNOWN';
}
