import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { readLogFile } from './data/file-logs.ts';
import type { IncidentFacts } from './data/incident.ts';
import { filterLogStore, joinLogStores } from './data/join.ts';
import { createShop } from './data/shop.ts';
import { createFaults, type Faults } from './faults.ts';
import { firstAnnotations } from './grafana/annotations.ts';
import { grafanaServer } from './grafana/server.ts';
import { serviceAccounts, type TokenName } from './grafana/tokens.ts';
import type { World } from './grafana/world.ts';
import { lokiApi } from './loki/api.ts';
import { prometheusApi } from './prometheus/api.ts';
import { createRequestLog, type LoggedRequest } from './request-log.ts';

export interface Sandbox {
  /** With the sub-path, without a slash at its end. */
  url: string;
  /** Fake, derived from the seed. */
  tokens: Record<TokenName, string>;
  facts: IncidentFacts;
  faults: Faults;
  /** The requests received so far. */
  requests(): LoggedRequest[];
  close(): Promise<void>;
}

export interface SandboxOptions {
  /** 0 or absent takes a free one. Always on 127.0.0.1. */
  port?: number;
  /** 1 is the incident of the documentation. */
  seed?: number;
  /** Log files of a person's own, added to "Loki Demo". */
  logs?: readonly string[];
  /** The clock, ms since epoch; the incident is laid out around its first answer. */
  now?: () => number;
  /** Serve below this path, as behind `serve_from_sub_path`; e.g. `/grafana`. */
  subPath?: string;
}

/** Grafana, Loki and Prometheus with the demo's shop in one process. Throws when a log file cannot be read. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { port = 0, seed = 1, logs = [], now = Date.now, subPath = '' } = options;
  const startedAt = now();
  const shop = createShop(seed, startedAt, now);
  const accounts = serviceAccounts(seed);
  const faults = createFaults();
  const log = createRequestLog();
  const world: World = {
    incident: shop.incident,
    accounts: Object.values(accounts),
    logs: joinLogStores([shop.logs, ...logs.map((path) => readLogFile(path, startedAt))]),
    edgeLogs: filterLogStore(shop.logs, (labels) => labels.app === 'frontend' || labels.app === 'notifications'),
    metrics: shop.metrics,
    loki: lokiApi,
    prometheus: prometheusApi,
    appUrl: '',
    subPath,
    annotations: firstAnnotations(shop.incident),
  };
  const server = grafanaServer({ world, faults, log, now });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${portOf(server.address())}${subPath}`;
  world.appUrl = `${url}/`;
  return {
    url,
    tokens: {
      viewer: accounts.viewer.token,
      editor: accounts.editor.token,
      admin: accounts.admin.token,
      other: accounts.other.token,
      limited: accounts.limited.token,
      expired: accounts.expired.token,
      revoked: accounts.revoked.token,
    },
    facts: shop.incident.facts,
    faults,
    requests: () => log.list(),
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function portOf(address: string | AddressInfo | null): number {
  return typeof address === 'object' && address ? address.port : 0;
}
