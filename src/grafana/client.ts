import { setMaxListeners } from 'node:events';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Settings } from '../config/schema.ts';
import { GatewayError } from '../errors.ts';
import type { Caller } from '../identity.ts';
import { createCache } from './cache.ts';
import { openConnection } from './connection.ts';
import { createGate } from './gate.ts';
import { createHeaderMaker } from './headers.ts';
import { createPing } from './ping.ts';
import { perform } from './request.ts';
import type { Upstream, UpstreamRequest } from './upstream.ts';

/** How long a way around a refusing proxy is remembered. */
const ROUTE_TTL = 10 * 60_000;

interface BoundCall {
  caller: Caller;
  signal: AbortSignal;
  requestId: string;
  traceparent?: string;
  /** Allowed headers of the caller (--forward-headers); others are dropped here again. */
  forwarded?: Record<string, string>;
  /** Told how many bytes of logs each answer cost Loki, as it says itself. */
  onScan?: (bytes: number) => void;
}

export interface GrafanaClient {
  /** Bound to one call. */
  for(call: BoundCall): Upstream;
  /** GET /api/health without identity; cached some seconds. For /readyz. */
  ping(): Promise<{ ok: boolean; version?: string; detail: string }>;
  /** Totals for /metrics. A read that joined a running one counts as a hit. */
  stats(): { cacheHits: number; cacheMisses: number; cacheEntries: number; upstreamCalls: number };
  close(): void;
}

/** Throws when a file that the settings name cannot be read. */
export function createGrafanaClient(settings: Settings, log: Logger): GrafanaClient {
  const connection = openConnection(settings);
  const headers = createHeaderMaker(settings);
  const gate = createGate(settings.upstreamConcurrency);
  const cache = createCache();
  const routes = new LRUCache<string, string>({ max: 5_000, ttl: ROUTE_TTL });
  const parts = { connection, headers, gate, settings, log };
  let upstreamCalls = 0;

  function bind(call: BoundCall, counter: { calls: number }): Upstream {
    const { caller, signal } = call;
    // One call may well have more requests under way than the ten listeners at which Node suspects a leak.
    setMaxListeners(0, signal);
    const forwarded = headers.allowedForwards(call.forwarded);
    const identity = `${caller.cacheKey}|${headers.identityKey(forwarded)}`;
    const allowed = (uid: string) => mayUse(uid, settings, caller);
    return {
      caller,
      signal,
      calls: () => counter.calls,
      ...(call.onScan === undefined ? {} : { scanned: call.onScan }),
      datasourceAllowed: allowed,
      fixed: {
        baseUrl: connection.baseUrl,
        ...(settings.grafanaPublicUrl ? { publicUrl: settings.grafanaPublicUrl } : {}),
        ...(settings.orgId === undefined ? {} : { orgId: settings.orgId }),
      },
      routes: {
        get: (key) => routes.get(`${identity}|${key}`),
        set: (key, route) => void routes.set(`${identity}|${key}`, route),
      },
      async request(request) {
        if (request.datasource && !allowed(request.datasource.uid)) {
          throw new GatewayError('no_datasource', 'There is no datasource of that uid, or it is not offered here.');
        }
        // Everything that is sent is a read, so equal ones that run at the same time are one.
        return await cache.join(`${identity}|${wireKey(request)}`, signal, (shared) =>
          perform(parts, request, {
            caller,
            signal: shared,
            headers: {
              requestId: call.requestId,
              forwarded,
              ...(call.traceparent === undefined ? {} : { traceparent: call.traceparent }),
            },
            onAttempt: () => {
              counter.calls += 1;
              upstreamCalls += 1;
            },
          }),
        );
      },
      cached: (kind, key, load) =>
        cache.get(kind, `${identity}|${key}`, signal, (shared) => load(bind({ ...call, signal: shared }, counter))),
    };
  }

  return {
    for: (call) => bind(call, { calls: 0 }),
    ping: createPing(parts, () => {
      upstreamCalls += 1;
    }),
    stats: () => {
      const { hits, misses, entries } = cache.stats();
      return { cacheHits: hits, cacheMisses: misses, cacheEntries: entries, upstreamCalls };
    },
    close: () => {
      cache.clear();
      connection.close();
    },
  };
}

/** All that goes over the wire but what differs by call. */
function wireKey({ method, path, query, form, json, headers, accept }: UpstreamRequest): string {
  return JSON.stringify([method, path, query, form, json, headers, accept]);
}

/** The operator's lists and the caller's own both narrow; deny wins. */
function mayUse(uid: string, settings: Settings, caller: Caller): boolean {
  if (settings.denyDatasources?.includes(uid) || caller.denyDatasources?.includes(uid)) return false;
  return (settings.allowDatasources?.includes(uid) ?? true) && (caller.allowDatasources?.includes(uid) ?? true);
}
