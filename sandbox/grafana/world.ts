import type { Incident } from '../data/incident.ts';
import type { ApiAnswer, ApiRequest, LogStore, MetricStore } from '../data/store.ts';
import type { Annotation } from './annotations.ts';
import type { GrafanaAnswer, GrafanaRequest } from './answer.ts';
import type { Flavour } from './flavours.ts';
import { permissionsOf } from './roles.ts';
import type { ServiceAccount } from './tokens.ts';

/** All that the facade answers from. */
export interface World {
  incident: Incident;
  accounts: readonly ServiceAccount[];
  /** Streams of "Loki Demo"; the other Loki shows part of them. */
  logs: LogStore;
  edgeLogs: LogStore;
  metrics: MetricStore;
  loki: (store: LogStore, request: ApiRequest) => ApiAnswer;
  prometheus: (store: MetricStore, request: ApiRequest) => ApiAnswer;
  /** Public address with a slash at its end, and the sub-path ('' at the root). */
  appUrl: string;
  subPath: string;
  annotations: Annotation[];
  /** Which Grafana it is. */
  flavour: Flavour;
}

/** One request that has passed identity and permission. */
export interface Visit {
  world: World;
  request: GrafanaRequest;
  account: ServiceAccount;
  /** Variable segments of the route, decoded. */
  params: Record<string, string>;
  /** What `*` matched, still encoded. */
  rest: string;
}

export type Handler = (visit: Visit) => GrafanaAnswer;

export function may(account: ServiceAccount, action: string): boolean {
  return Object.hasOwn(permissionsOf(account.role), action);
}
