import type { Logger } from 'pino';
import type { Settings } from '../config/schema.ts';
import { GatewayError } from '../errors.ts';
import type { Caller } from '../identity.ts';
import { checkAllowed } from './allow.ts';
import type { Connection } from './connection.ts';
import { encode } from './encode.ts';
import { answerFault, grafanaRefused, isAnswer } from './faults.ts';
import type { Gate } from './gate.ts';
import type { CallHeaders, HeaderMaker } from './headers.ts';
import { createLifetime, type Lifetime } from './lifetime.ts';
import { retryAfterMs } from './retry-after.ts';
import { type Attempt, type RawAnswer, send, TransportError } from './send.ts';
import { transportFault } from './transport-faults.ts';
import type { UpstreamAnswer, UpstreamRequest } from './upstream.ts';

const MAX_RETRIES = 2;
/** First wait without Retry-After, ms; doubles, ± half. */
const BACKOFF = 250;

export interface Parts {
  connection: Connection;
  headers: HeaderMaker;
  gate: Gate;
  settings: Settings;
  log: Logger;
}

export interface Sender {
  /** Absent for the probe without identity. */
  caller?: Caller;
  signal: AbortSignal;
  headers: CallHeaders;
  onAttempt: () => void;
}

/**
 * One request with its retries, all within one deadline: two on 429 and 503 (everything that checkAllowed lets pass is
 * a read), one on a connection that broke, one with a renewed credential. 502 and 504 of the proxy mean that the
 * datasource had its time already, so they are not tried again. Throws GatewayError.
 */
export async function perform(parts: Parts, request: UpstreamRequest, sender: Sender): Promise<UpstreamAnswer> {
  checkAllowed(request);
  if (parts.connection.baseUrl === '') {
    throw new GatewayError('grafana_unreachable', "Grafana's address is not set (--grafana-url or GRAFANA_URL).");
  }
  const life = createLifetime(
    sender.signal,
    Math.min(parts.settings.upstreamTimeout, request.deadlineMs ?? Number.POSITIVE_INFINITY),
  );
  const spent = { busy: 0, reset: 0, renewed: false };
  try {
    for (;;) {
      const raw = await attempt(parts, request, sender, life, spent);
      if (raw === undefined) continue;
      if (raw.status === 401 && !spent.renewed && grafanaRefused(raw, request) && sender.caller?.renew) {
        spent.renewed = true;
        if (await sender.caller.renew()) continue;
      }
      const wait = waitBefore(raw, request, spent.busy);
      if (wait !== undefined && spent.busy < MAX_RETRIES && wait < life.left()) {
        spent.busy += 1;
        await life.sleep(wait);
        continue;
      }
      if (isAnswer(raw, request)) return { status: raw.status, contentType: raw.contentType, text: raw.text };
      throw answerFault(raw, request, { tries: spent.busy + 1, baseUrl: parts.connection.baseUrl });
    }
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    throw transportFault(error, request, life.ended(), parts.settings);
  } finally {
    life.close();
  }
}

/** Undefined when the connection broke and another try is left. */
async function attempt(
  parts: Parts,
  request: UpstreamRequest,
  sender: Sender,
  life: Lifetime,
  spent: { reset: number },
): Promise<RawAnswer | undefined> {
  const headers = await parts.headers.make(request, sender.headers, sender.caller);
  // A place is held per attempt, not while waiting for the next one.
  const leave = request.datasource ? await enter(parts.gate, request.datasource.uid, life) : () => {};
  const began = performance.now();
  let status: number | string = 'none';
  try {
    sender.onAttempt();
    const { connection, settings } = parts;
    const raw = await send(connection.http, wire(request, connection, headers), settings.maxResponseBytes, life.signal);
    status = raw.status;
    return raw;
  } catch (error) {
    if (error instanceof TransportError) status = error.code;
    if (error instanceof TransportError && RESET.has(error.code) && spent.reset === 0) {
      spent.reset += 1;
      return undefined;
    }
    throw error;
  } finally {
    leave();
    // Paths hold uids and label names only; queries and headers are never logged.
    parts.log.debug(
      { requestId: sender.headers.requestId, path: request.path, status, ms: Math.round(performance.now() - began) },
      'upstream',
    );
  }
}

async function enter(gate: Gate, uid: string, life: Lifetime): Promise<() => void> {
  try {
    return await gate.enter(uid, life.signal);
  } catch (error) {
    if (life.ended() !== 'deadline') throw error;
    throw new GatewayError('busy', 'The call waited for its turn at this datasource until its deadline passed.');
  }
}

const RESET = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'Z_BUF_ERROR']);

function wire(request: UpstreamRequest, connection: Connection, headers: Record<string, string>): Attempt {
  const query = encode(request.query);
  const body = request.form
    ? encode(request.form)
    : request.json === undefined
      ? undefined
      : JSON.stringify(request.json);
  return {
    method: request.method ?? 'GET',
    url: connection.baseUrl + request.path + (query === '' ? '' : `?${query}`),
    headers,
    ...(body === undefined ? {} : { body }),
  };
}

/** ms to wait before this answer is worth another try; undefined when it is not. */
function waitBefore(raw: RawAnswer, request: UpstreamRequest, retries: number): number | undefined {
  if ((raw.status !== 429 && raw.status !== 503) || request.accept?.includes(raw.status)) return undefined;
  // Prometheus says 503 when a query ran out of its time: to run it again would cost the same once more.
  if (raw.status === 503 && /"errorType"\s*:\s*"(timeout|canceled)"/.test(raw.text)) return undefined;
  const jitter = 0.5 + Math.random();
  return retryAfterMs(raw.retryAfter) ?? BACKOFF * 2 ** retries * jitter;
}
