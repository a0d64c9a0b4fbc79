import express, { type Express, type RequestHandler } from 'express';
import type { Logger } from 'pino';
import { isLoopback } from '../config/auth.ts';
import { ConfigError } from '../config/error.ts';
import type { Settings } from '../config/schema.ts';
import type { GrafanaClient } from '../grafana/client.ts';
import { authenticate } from './authenticate.ts';
import { onError, readBody } from './body.ts';
import { nameRequest } from './call-info.ts';
import { discovery } from './discovery.ts';
import type { Door } from './door.ts';
import { health } from './health.ts';
import { checkHost, checkOrigin, cors } from './hosts.ts';
import type { Identify } from './identity/identify.ts';
import type { Metrics } from './metrics.ts';
import { headersWithAnswer } from './one-write.ts';
import { refuse } from './rpc.ts';
import { sse } from './transports/sse.ts';
import { sessionId, statelessPost, streamable } from './transports/streamable.ts';

export interface AppParts {
  door: Door;
  grafana: GrafanaClient;
  identify: Identify;
  metrics: Metrics;
  log: Logger;
}

/** The front door: health → Host → Origin → CORS → identity → body → route. What is refused goes no further. */
export function createApp({ door, grafana, identify, metrics, log }: AppParts): Express {
  const { settings } = door;
  let refusedHosts = 0;
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false);
  trustProxies(app, settings.trustedProxies);

  app.use(withoutPrefix(settings.basePath), nameRequest, metrics.countResponses);
  const { draining, sessions } = door;
  app.use(health({ grafana, log, draining, sessions: () => sessions.count(), refusedHosts: () => refusedHosts }));
  if (showsMetrics(settings)) app.get('/metrics', metrics.serve);
  app.use(checkHost(settings, () => refusedHosts++));
  app.use(checkOrigin(settings));
  app.use(cors);
  app.use(discovery());
  app.use(authenticate(settings, identify, door.requests, log));
  app.use(readBody());
  app.use(stillThere);
  route(app, door);
  app.use((_request, response) => refuse(response, 404, 'There is nothing here: MCP is at /mcp.'));
  app.use(onError(log));
  return app;
}

/** Either path takes either transport, so that a client with a wrong `type` or address is served all the same. */
function route(app: Express, door: Door): void {
  const { stateless, noSse } = door.settings;
  const { post, get, end } = streamable(door);
  const legacy = sse(door);
  const getOrOpen: RequestHandler = (request, response, next) =>
    noSse || sessionId(request) !== undefined ? get(request, response, next) : legacy.open(request, response, next);

  if (stateless) app.post(['/mcp', '/sse'], headersWithAnswer, statelessPost(door));
  else app.post(['/mcp', '/sse'], headersWithAnswer, post).delete(['/mcp', '/sse'], end);
  if (stateless) app.all('/mcp', only('POST'));
  if (stateless && !noSse) app.get('/sse', noHead, legacy.open);
  if (!stateless) app.get(['/mcp', '/sse'], noHead, getOrOpen);
  if (!noSse) app.post('/messages', legacy.message).all('/messages', only('POST'));
  app.all('/mcp', only('GET, POST, DELETE'));
  app.all('/sse', only(stateless ? (noSse ? 'POST' : 'GET, POST') : 'GET, POST, DELETE'));
}

/** A client that left while it was checked must not leave a session or a call behind that nothing ends. */
const stillThere: RequestHandler = (_request, response, next) => {
  if (!response.destroyed) next();
};

function only(allow: string): RequestHandler {
  return (_request, response) => {
    response.set('Allow', allow);
    refuse(response, 405, `Only ${allow} here.`);
  };
}

/** Express answers HEAD as GET: here that would open a stream. */
const noHead: RequestHandler = (request, _response, next) => next(request.method === 'HEAD' ? 'route' : undefined);

/** A proxy in front may keep the prefix or take it off: both are served. */
function withoutPrefix(prefix: string): RequestHandler {
  return (request, _response, next) => {
    const rest = prefix !== '' && request.url.startsWith(prefix) ? request.url.slice(prefix.length) : undefined;
    if (rest !== undefined && /^([/?]|$)/.test(rest)) request.url = rest.startsWith('/') ? rest : `/${rest}`;
    next();
  };
}

function showsMetrics(settings: Settings): boolean {
  return settings.metricsPublic || (settings.metricsPort === undefined && isLoopback(settings.host));
}

function trustProxies(app: Express, proxies: readonly string[]): void {
  try {
    app.set('trust proxy', [...proxies]);
  } catch {
    throw new ConfigError('--trusted-proxies must name addresses or networks, such as 10.0.0.5 or 10.0.0.0/8.');
  }
}
