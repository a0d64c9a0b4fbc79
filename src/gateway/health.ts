import { Router } from 'express';
import type { Logger } from 'pino';
import type { GrafanaClient } from '../grafana/client.ts';

export interface HealthSource {
  grafana: GrafanaClient;
  log: Logger;
  draining(): boolean;
  sessions(): number;
  /** Requests refused for their Host since the start: a proxy that rewrites it shows here. */
  refusedHosts(): number;
}

/** Told to anybody, so counts and words only: why Grafana is out of reach stands in the log. */
export function health(source: HealthSource): Router {
  const router = Router();
  let wasReady = true;

  router.get('/healthz', (_request, response) => {
    response.json({
      status: source.draining() ? 'draining' : 'ok',
      sessions: source.sessions(),
      refusedHosts: source.refusedHosts(),
    });
  });
  router.get('/readyz', async (_request, response) => {
    if (source.draining()) return void response.status(503).json({ status: 'draining' });
    const ping = await source.grafana.ping();
    if (ping.ok !== wasReady) {
      wasReady = ping.ok;
      if (ping.ok) source.log.info('Grafana can be reached again');
      else source.log.warn({ reason: ping.detail }, 'Grafana cannot be reached');
    }
    if (ping.ok) response.json({ status: 'ready' });
    else response.status(503).json({ status: 'not ready', reason: 'Grafana cannot be reached.' });
  });
  return router;
}
