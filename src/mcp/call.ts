import type { Identity } from '../identity.ts';

/** A sum that goes on. */
export interface Tally {
  bytes: number;
}

/** One request of a client, as the transport hands it to the catalogue. Identity is that of this request, never of the session. */
export interface Call {
  readonly identity: Identity;
  /** Aborted when the client cancels or its stream closes; with a GatewayError as its reason, when the gateway ends. */
  readonly signal: AbortSignal;
  /** Made by the front door; sent upstream as X-Request-Id and written to the audit. */
  readonly requestId: string;
  readonly sessionId?: string;
  readonly protocolVersion?: string;
  /** Of the session; absent where there is none. */
  readonly scanned?: Tally;
  /** W3C trace context, when the client sent one. */
  readonly traceparent?: string;
  /** Headers of the client that go on to Grafana (--forward-headers), by lower-case name. */
  readonly forwarded?: Record<string, string>;
  /** Present only when the client gave a progress token. */
  readonly progress?: (done: number, total?: number, message?: string) => Promise<void>;
}
