import { type Incident, planIncident } from './incident.ts';
import { replicasOf } from './pods.ts';
import { createShopLogs } from './shop-logs.ts';
import { createShopMetrics } from './shop-metrics.ts';
import type { LogStore, MetricStore } from './store.ts';
import { createTraffic } from './traffic.ts';

export interface Shop {
  incident: Incident;
  logs: LogStore;
  metrics: MetricStore;
}

/** The shop with its incident. Makes nothing until it is asked; `now` may run on, its data then does too. */
export function createShop(seed: number, startedAt: number, now: () => number): Shop {
  const incident = planIncident(seed, startedAt);
  const replicas = replicasOf(incident);
  const traffic = createTraffic(incident, replicas);
  return {
    incident,
    logs: createShopLogs(incident, replicas, traffic, now),
    metrics: createShopMetrics(incident, replicas, traffic, now),
  };
}
