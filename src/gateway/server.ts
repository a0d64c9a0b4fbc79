import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import express from 'express';
import type { Logger } from 'pino';
import { isLoopback } from '../config/auth.ts';
import { ConfigError } from '../config/error.ts';
import type { Settings } from '../config/schema.ts';
import type { GrafanaClient } from '../grafana/client.ts';
import type { Surface } from '../mcp/surface.ts';
import { createApp } from './app.ts';
import { createCalls } from './calls.ts';
import type { AnyTransport, Door } from './door.ts';
import { createIdentify } from './identity/identify.ts';
import { createRateLimit } from './limits.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { createSessions } from './sessions.ts';

export interface Gateway {
  /** Origin of the listener, without base path. */
  url: string;
  port: number;
  /** Drains: new work is refused, running calls get --drain, streams end. */
  close(): Promise<void>;
}

/** Starts the listener. Throws ConfigError for settings that cannot be served, and what `listen` throws. */
export async function startGateway(
  settings: Settings,
  parts: { surface: Surface; grafana: GrafanaClient; log: Logger },
): Promise<Gateway> {
  refuseOpenListener(settings);
  const { surface, grafana, log } = parts;
  let draining = false;
  const sessions = createSessions<AnyTransport>(settings);
  const calls = createCalls((ended) => {
    metrics.called(ended);
    if (ended.error !== undefined) log.error({ err: ended.error, method: ended.method }, 'a call failed');
  });
  const metrics: Metrics = createMetrics({ grafana, sessions: sessions.count, running: calls.running });
  const requests = createRateLimit(settings.rateLimit);
  const passing: Door['passing'] = new Set();
  const door: Door = { settings, surface, sessions, calls, requests, passing, draining: () => draining };
  const identify = createIdentify(settings, grafana, log);
  const server = openServer(settings, createApp({ door, grafana, identify, metrics, log }));
  const port = await listen(server, settings.host, settings.port);
  const scraped = await openMetrics(settings, metrics).catch(async (error: unknown) => {
    await end(server);
    throw error;
  });

  async function drain(): Promise<void> {
    // The listener stays open meanwhile, so that a probe can see that this instance is not ready.
    draining = true;
    await calls.drain(settings.drain);
    await Promise.all([sessions.closeAll(), ...[...passing].map((cut) => cut())]);
    await Promise.all([end(server), scraped === undefined ? undefined : end(scraped)]);
  }
  let closing: Promise<void> | undefined;
  const scheme = settings.tlsCertFile === undefined ? 'http' : 'https';
  return {
    url: `${scheme}://${reachableHost(settings.host)}:${port}`,
    port,
    close() {
      closing ??= drain();
      return closing;
    },
  };
}

/** Nobody may come to stand on a network with an open gateway by accident. */
function refuseOpenListener({ host, auth, allowUnauthenticated }: Settings): void {
  if (isLoopback(host) || allowUnauthenticated) return;
  const where = `--host ${host} can be reached by other machines`;
  if (auth === undefined) {
    throw new ConfigError(
      `${where}: say with --auth (grafana, jwt or static) who may call, or set --allow-unauthenticated.`,
    );
  }
  if (auth.includes('anonymous')) {
    throw new ConfigError(`${where}, and --auth names anonymous: take it out, or set --allow-unauthenticated.`);
  }
}

/** How long a client may take to send a request, ms. Answers and streams are not bounded by it. */
const REQUEST_TIMEOUT = 60_000;
const HEADERS_TIMEOUT = 20_000;
/** Above the idle time of common load balancers (60 s), so that they close first. */
const KEEP_ALIVE_TIMEOUT = 75_000;

function openServer(settings: Settings, listener: RequestListener): Server {
  // A request without Host is refused by checkHost, in words.
  const server =
    settings.tlsCertFile === undefined || settings.tlsKeyFile === undefined
      ? createServer({ requireHostHeader: false }, listener)
      : createTlsServer(
          {
            requireHostHeader: false,
            cert: readFileSync(settings.tlsCertFile),
            key: readFileSync(settings.tlsKeyFile),
          },
          listener,
        );
  server.requestTimeout = REQUEST_TIMEOUT;
  server.headersTimeout = HEADERS_TIMEOUT;
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT;
  server.on('clientError', refuseGarbage);
  return server;
}

const GARBAGE: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** What is not HTTP never reaches the app, and gets an answer of the same form. */
function refuseGarbage(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const status = GARBAGE[error.code ?? ''] ?? '400 Bad Request';
  const message = { jsonrpc: '2.0', error: { code: -32600, message: status.slice(4) }, id: null };
  const body = JSON.stringify(message);
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  );
}

async function openMetrics(settings: Settings, metrics: Metrics): Promise<Server | undefined> {
  if (settings.metricsPort === undefined) return undefined;
  const app = express().disable('x-powered-by').get('/metrics', metrics.serve);
  const server = createServer(app);
  await listen(server, settings.host, settings.metricsPort);
  return server;
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host.replace(/^\[|\]$/g, ''), () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

/** How long the last bytes of ended streams may take, ms. */
const LAST_BYTES = 1000;

async function end(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const hard = setTimeout(() => server.closeAllConnections(), LAST_BYTES);
  await closed;
  clearTimeout(hard);
}

/** An address that a client on this machine can use. */
function reachableHost(host: string): string {
  if (/^(0\.0\.0\.0|\[?::\]?)$/.test(host)) return '127.0.0.1';
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}
