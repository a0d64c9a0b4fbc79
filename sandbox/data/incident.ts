import { hash, pick } from './random.ts';

/** What the seed made, for tests and the demo's ready block. */
export interface IncidentFacts {
  service: string;
  knockOn: string;
  version: string;
  oldVersion: string;
  /** Text that only the failing service logs, and only after the deployment. */
  error: string;
  poolMetric: string;
  poolMaxMetric: string;
  /** ms since epoch */
  deployedAt: number;
  /** Value of the label `job` of the failing service in Prometheus. */
  job: string;
}

export interface Incident {
  readonly seed: number;
  /** ms since epoch: the sandbox's first "now". */
  readonly startedAt: number;
  /** ms since epoch: nothing is older. */
  readonly historyFrom: number;
  readonly facts: IncidentFacts;
  /** Second half of the error's log line. */
  readonly detail: string;
  /** ms since epoch at which the alert began to fire. */
  readonly firingSince: number;
  /** Size of each pool, per instance. */
  readonly poolMax: number;
}

export const HISTORY_MS = 6 * 3_600_000;
const MINUTE = 60_000;
/** Share of the pool in use on a quiet day. */
const QUIET = 0.24;
/** The pool fills with this time constant after the deployment. */
const FILL_MS = 3 * MINUTE;

const FAILURES = [
  { service: 'checkout', knockOn: 'payments' },
  { service: 'cart', knockOn: 'checkout' },
  { service: 'inventory', knockOn: 'cart' },
  { service: 'auth', knockOn: 'payments' },
] as const;

const POOLS = [
  {
    metric: 'db_pool_in_use',
    max: 'db_pool_max',
    error: 'connection pool exhausted',
    detail: 'timed out after 5000ms waiting for a connection',
  },
  {
    metric: 'redis_pool_active_connections',
    max: 'redis_pool_max_connections',
    error: 'redis: could not get a client from the pool',
    detail: 'gave up after 5000ms',
  },
  {
    metric: 'hikaricp_connections_active',
    max: 'hikaricp_connections_max',
    error: 'HikariPool-1 - Connection is not available, request timed out after 5000ms',
    detail: 'leak detection threshold exceeded',
  },
  {
    metric: 'worker_slots_busy',
    max: 'worker_slots_total',
    error: 'no free worker slot, request rejected',
    detail: 'queue full for 5000ms',
  },
  {
    metric: 'http_client_connections_open',
    max: 'http_client_connections_limit',
    error: 'outbound connection limit reached',
    detail: 'waited 5000ms for a free slot',
  },
] as const;

/** Seed 1 is the incident of the documentation; neighbouring seeds differ in service, error, metric and times. */
export function planIncident(seed: number, startedAt: number): Incident {
  const failure = pick(FAILURES, seed - 1);
  const pool = pick(POOLS, seed - 1);
  const first = seed === 1;
  const minor = hash(seed, 'minor') % 12;
  const patch = hash(seed, 'patch') % 8;
  const major = 1 + (hash(seed, 'major') % 4);
  const ago = first
    ? 25 * MINUTE
    : (16 + (hash(seed, 'deployed') % 24)) * MINUTE + (hash(seed, 's') % 55) * 1000 + 1000;
  const deployedAt = Math.floor((startedAt - ago) / 1000) * 1000;
  return {
    seed,
    startedAt,
    historyFrom: startedAt - HISTORY_MS,
    detail: pool.detail,
    firingSince: deployedAt + 6.5 * MINUTE,
    poolMax: first ? 50 : pick([20, 40, 64, 100], hash(seed, 'size')),
    facts: {
      service: failure.service,
      knockOn: failure.knockOn,
      version: first ? '2.3.1' : `${major}.${minor}.${patch + 1}`,
      oldVersion: first ? '2.3.0' : `${major}.${minor}.${patch}`,
      error: pool.error,
      poolMetric: pool.metric,
      poolMaxMetric: pool.max,
      deployedAt,
      job: failure.service,
    },
  };
}

/** Share of the failing service's pool in use, 0 to 1. */
export function poolFill(incident: Incident, at: number): number {
  const since = at - incident.facts.deployedAt;
  return since <= 0 ? QUIET : QUIET + (1 - QUIET) * (1 - Math.exp(-since / FILL_MS));
}

/** Share of the failing service's requests that the pool makes fail. */
export function failureRatio(incident: Incident, at: number): number {
  return 0.32 * clamp((poolFill(incident, at) - 0.85) / 0.15);
}

/** Factor on the latency of the failing service's other requests. */
export function slowdown(incident: Incident, at: number): number {
  return 1 + 9 * clamp((poolFill(incident, at) - 0.5) / 0.5) ** 2;
}

function clamp(x: number): number {
  return Math.min(1, Math.max(0, x));
}
