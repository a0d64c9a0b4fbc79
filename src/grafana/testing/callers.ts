import { pino } from 'pino';
import { settingsSchema } from '../../config/schema.ts';
import type { Caller } from '../../identity.ts';
import { createGrafanaClient, type GrafanaClient } from '../client.ts';
import type { Datasource, Upstream } from '../upstream.ts';

// For tests: callers with fake tokens, and a client before a scripted server.

export function callerOf(name: string, extra: Partial<Caller> = {}): Caller {
  return { cacheKey: name, headers: async () => ({ Authorization: `Bearer fake-token-of-${name}` }), ...extra };
}

export function clientOf(url: string, settings: Record<string, unknown> = {}): GrafanaClient {
  return createGrafanaClient(settingsSchema.parse({ grafanaUrl: url, ...settings }), pino({ level: 'silent' }));
}

export function upstreamOf(client: GrafanaClient, caller = callerOf('anna'), signal?: AbortSignal): Upstream {
  return client.for({ caller, signal: signal ?? new AbortController().signal, requestId: 'request-1' });
}

export const LOKI: Datasource = { uid: 'logs', name: 'Logs', type: 'loki', isDefault: false, jsonData: {} };
export const PROMETHEUS: Datasource = { uid: 'prom', name: 'Prom', type: 'prometheus', isDefault: true, jsonData: {} };
