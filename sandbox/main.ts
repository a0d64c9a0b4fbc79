import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { backendServer } from './backend-server.ts';
import { readLogData, readMetricData } from './data/data-files.ts';
import { readLogFile } from './data/file-logs.ts';
import type { IncidentFacts } from './data/incident.ts';
import { filterLogStore, joinLogStores } from './data/join.ts';
import { createShop } from './data/shop.ts';
import { createFaults, type Faults } from './faults.ts';
import { firstAnnotations } from './grafana/annotations.ts';
import { FLAVOURS, type FlavourName } from './grafana/flavours.ts';
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
  /** Addresses of Loki and Prometheus by themselves; only with `backends`. */
  backends?: { loki: string; prometheus: string };
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
  /** Files of data instead of the incident's; see data/data-files.ts. What is absent stays the incident's. */
  lokiData?: string | undefined;
  prometheusData?: string | undefined;
  /** Serve Loki and Prometheus on free ports of their own as well. */
  backends?: boolean;
  /** Which Grafana it is; default 10.1, from which the facade was recorded. */
  flavour?: FlavourName | undefined;
  /** Serve below this path, as behind `serve_from_sub_path`; e.g. `/grafana`. */
  subPath?: string;
}

/** Grafana, Loki and Prometheus with the demo's shop in one process. Throws when a log file cannot be read. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { port = 0, seed = 1, logs = [], now = Date.now, subPath = '' } = options;
  const startedAt = now();
  const shop = createShop(seed, startedAt, now);
  const shopLogs = options.lokiData === undefined ? shop.logs : readLogData(options.lokiData);
  const metrics = options.prometheusData === undefined ? shop.metrics : readMetricData(options.prometheusData);
  const accounts = serviceAccounts(seed);
  const faults = createFaults();
  const log = createRequestLog();
  const world: World = {
    incident: shop.incident,
    accounts: Object.values(accounts),
    logs: joinLogStores([shopLogs, ...logs.map((path) => readLogFile(path, startedAt))]),
    edgeLogs: filterLogStore(shopLogs, (labels) => labels.app === 'frontend' || labels.app === 'notifications'),
    metrics,
    loki: lokiApi,
    prometheus: prometheusApi,
    appUrl: '',
    subPath,
    annotations: firstAnnotations(shop.incident),
    flavour: FLAVOURS[options.flavour ?? '10.1'],
  };
  const server = grafanaServer({ world, faults, log, now });
  const servers = [server];
  const listen = async (one: Server, at: number): Promise<string> => {
    one.listen(at, '127.0.0.1');
    await once(one, 'listening');
    return `http://127.0.0.1:${portOf(one.address())}`;
  };
  const url = `${await listen(server, port)}${subPath}`;
  const open = async (one: Server): Promise<string> => {
    servers.push(one);
    return await listen(one, 0);
  };
  const backends = options.backends && {
    loki: await open(backendServer((request) => lokiApi(world.logs, request), now)),
    prometheus: await open(backendServer((request) => prometheusApi(world.metrics, request), now)),
  };
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
      disabled: accounts.disabled.token,
    },
    facts: shop.incident.facts,
    faults,
    ...(backends && { backends }),
    requests: () => log.list(),
    async close() {
      const closed = servers.map((one) => once(one, 'close'));
      for (const one of servers) {
        one.close();
        one.closeAllConnections();
      }
      await Promise.all(closed);
    },
  };
}

function portOf(address: string | AddressInfo | null): number {
  return typeof address === 'object' && address ? address.port : 0;
}
