import { failureRatio, type Incident, slowdown } from './incident.ts';
import type { Replica } from './pods.ts';
import { gauss, hex, random } from './random.ts';

/** Why a request ended as it did: `pool` and `knockOn` belong to the incident, `noise` is the usual 500. */
type Cause = 'ok' | 'client' | 'noise' | 'pool' | 'knockOn';

/** One request, from which both its log lines and its samples are made: so they cannot disagree. */
export interface Request {
  /** ns after the minute's start at which it was answered */
  atNs: number;
  /** Index into the service's routes. */
  route: number;
  status: number;
  ms: number;
  cause: Cause;
  /** 32 hex digits; '' until asked for by traceOf, unless it came from another service. */
  trace: string;
}

export const STATUSES = [200, 404, 500, 504] as const;
const MINUTE_NS = 60_000_000_000;

export interface Traffic {
  /** The requests of one minute (since epoch), ascending by time. Made anew each time. */
  requests(replica: Replica, minute: number): Request[];
  traceOf(replica: Replica, minute: number, request: Request): string;
}

export function createTraffic(incident: Incident, replicas: readonly Replica[]): Traffic {
  const deployedMinute = Math.floor(incident.facts.deployedAt / 60_000);
  const failing = replicas.filter((replica) => replica.failing);

  function own(replica: Replica, minute: number): Request[] {
    const next = random(incident.seed, replica.index, minute);
    // A slow wave over the day and some jitter, so that rates look alive.
    const wave = 1 + 0.12 * Math.sin((minute / 720) * Math.PI) + 0.05 * Math.sin(minute / 7);
    const count = Math.floor(replica.perSecond * 60 * wave * (0.9 + 0.2 * next()) + next());
    const times = new Float64Array(count);
    for (let i = 0; i < count; i++) times[i] = Math.floor(next() * MINUTE_NS);
    times.sort();
    return Array.from(times, (atNs) => {
      const at = minute * 60_000 + atNs / 1e6;
      const dice = next();
      const request: Request = {
        atNs,
        route: dice < 0.6 ? 0 : dice < 0.9 ? 1 : 2,
        status: 200,
        ms: replica.service.ms * Math.exp(0.55 * gauss(next)),
        cause: 'ok',
        trace: '',
      };
      const fate = next();
      if (replica.failing && at >= incident.facts.deployedAt) {
        if (fate < failureRatio(incident, at)) {
          return { ...request, status: 500, ms: 5000 + 90 * next(), cause: 'pool' };
        }
        request.ms *= slowdown(incident, at);
      }
      if (fate > 0.996) return { ...request, status: 500, cause: 'noise' };
      if (fate > 0.981) return { ...request, status: 404, cause: 'client' };
      return request;
    });
  }

  /** Half of the failed requests had called on: there they end as 504 a moment later, with the same trace id. */
  function knockedOn(replica: Replica, minute: number): Request[] {
    const found: Request[] = [];
    for (const origin of failing) {
      own(origin, minute).forEach((request, i) => {
        if (request.cause !== 'pool' || i % (2 * replica.service.replicas) !== replica.ordinal) return;
        const trace = traceOf(origin, minute, request);
        const atNs = Math.min(request.atNs + 12_000_000, MINUTE_NS - 1);
        found.push({ atNs, route: 0, status: 504, ms: 5010 + (i % 7), cause: 'knockOn', trace });
      });
    }
    return found;
  }

  function traceOf(replica: Replica, minute: number, request: Request): string {
    return request.trace || hex(random(incident.seed, replica.index, minute, request.atNs), 32);
  }

  return {
    traceOf,
    requests(replica, minute) {
      const requests = own(replica, minute);
      if (!replica.knockOn || minute < deployedMinute) return requests;
      return [...requests, ...knockedOn(replica, minute)].sort((a, b) => a.atNs - b.atNs);
    },
  };
}
