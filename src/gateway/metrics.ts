import type { RequestHandler } from 'express';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { GrafanaClient } from '../grafana/client.ts';
import { VERSION } from '../version.ts';
import type { Ended } from './calls.ts';

export interface MetricsSource {
  grafana: GrafanaClient;
  sessions(kind: 'streamable' | 'sse'): number;
  running(): number;
}

export interface Metrics {
  /** Counts every answer of the listener by its status. */
  countResponses: RequestHandler;
  called(ended: Ended): void;
  serve: RequestHandler;
}

const PREFIX = 'grafana_mcp_gateway_';
const METHODS = ['GET', 'POST', 'DELETE', 'OPTIONS'];

/** Counts without names: no subject, query or datasource stands in a label, and tools only as far as they exist. */
export function createMetrics(source: MetricsSource): Metrics {
  const register = new Registry();
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Counter({ name: PREFIX + name, help, labelNames, registers: [register] });
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers: [register],
      collect() {
        this.set(value());
      },
    });
  /** A counter whose total somebody else keeps. */
  const total = (name: string, help: string, value: () => number) =>
    new Counter({
      name: PREFIX + name,
      help,
      registers: [register],
      collect() {
        this.reset();
        this.inc(value());
      },
    });

  const responses = counter('http_responses_total', 'HTTP answers by method and status.', ['method', 'status']);
  const calls = counter('calls_total', 'MCP calls by method, tool and outcome.', ['method', 'tool', 'outcome']);
  const seconds = new Histogram({
    name: `${PREFIX}call_seconds`,
    help: 'Duration of MCP calls.',
    labelNames: ['method', 'tool'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.5, 1, 5, 15, 45],
    registers: [register],
  });
  const info = { name: `${PREFIX}info`, help: 'Version.', labelNames: ['version'], registers: [register] };
  new Gauge(info).set({ version: VERSION }, 1);
  new Gauge({
    name: `${PREFIX}sessions`,
    help: 'Sessions by transport.',
    labelNames: ['transport'],
    registers: [register],
    collect() {
      for (const transport of ['streamable', 'sse'] as const) this.set({ transport }, source.sessions(transport));
    },
  });
  gauge(`${PREFIX}calls_running`, 'MCP calls that run now.', source.running);
  gauge(`${PREFIX}cache_entries`, 'Cached answers of Grafana.', () => source.grafana.stats().cacheEntries);
  total('cache_hits_total', 'Reads answered from the cache.', () => source.grafana.stats().cacheHits);
  total('cache_misses_total', 'Reads that had to ask Grafana.', () => source.grafana.stats().cacheMisses);
  total('upstream_calls_total', 'Requests to Grafana.', () => source.grafana.stats().upstreamCalls);
  gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss());
  gauge('process_start_time_seconds', 'Start of the process, s since epoch.', () => started);

  return {
    countResponses(request, response, next) {
      const method = METHODS.includes(request.method) ? request.method : 'other';
      response.once('finish', () => responses.inc({ method, status: String(response.statusCode) }));
      next();
    },
    called({ method, tool = '', outcome, seconds: duration }) {
      calls.inc({ method, tool, outcome });
      seconds.observe({ method, tool }, duration);
    },
    async serve(_request, response) {
      response.set('Content-Type', register.contentType);
      response.end(await register.metrics());
    },
  };
}

const started = Math.round(Date.now() / 1000 - process.uptime());
