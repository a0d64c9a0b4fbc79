import { HISTORY_MS, type Incident } from './incident.ts';
import { hash } from './random.ts';
import { SERVICES, type Service } from './services.ts';
import type { Labels } from './store.ts';

type Env = 'prod' | 'staging';

/** One place where a service runs. Its pod may be replaced (a deployment); its Prometheus instance stays. */
export interface Replica {
  index: number;
  service: Service;
  env: Env;
  ordinal: number;
  /** `checkout-0:8080` in prod, `checkout-staging-0:8080` in staging. */
  instance: string;
  /** ms into each 15 s at which it is scraped. */
  scrapeOffset: number;
  /** Requests per second. */
  perSecond: number;
  failing: boolean;
  knockOn: boolean;
  streams: Stream[];
}

export interface Stream {
  labels: Labels;
  /** ms since epoch: lines with from <= t < to. */
  from: number;
  to: number;
}

export const SCRAPE_MS = 15_000;

export function replicasOf(incident: Incident): Replica[] {
  const replicas: Replica[] = [];
  for (const service of SERVICES) {
    for (const env of ['prod', 'staging'] as const) {
      const count = env === 'prod' ? service.replicas : 1;
      for (let ordinal = 0; ordinal < count; ordinal++) {
        const name = env === 'prod' ? service.name : `${service.name}-staging`;
        const failing = env === 'prod' && service.name === incident.facts.service;
        replicas.push({
          index: replicas.length,
          service,
          env,
          ordinal,
          instance: `${name}-${ordinal}:8080`,
          scrapeOffset: hash(incident.seed, name, ordinal) % SCRAPE_MS,
          perSecond: env === 'prod' ? service.perSecond / count : service.perSecond * 0.06,
          failing,
          knockOn: env === 'prod' && service.name === incident.facts.knockOn,
          streams: streamsOf(incident, service.name, env, ordinal, failing),
        });
      }
    }
  }
  return replicas;
}

function streamsOf(incident: Incident, app: string, env: Env, ordinal: number, failing: boolean): Stream[] {
  const labels = (generation: string): Labels => {
    const set = letters(hash(incident.seed, app, env, generation), 9);
    const pod = letters(hash(incident.seed, app, env, generation, ordinal), 5);
    return { app, env, namespace: `shop-${env}`, pod: `${app}-${set}-${pod}`, container: app };
  };
  const from = incident.startedAt - HISTORY_MS;
  const { deployedAt } = incident.facts;
  if (!failing) return [{ labels: labels('stable'), from, to: Number.MAX_SAFE_INTEGER }];
  return [
    { labels: labels('old'), from, to: deployedAt },
    { labels: labels('new'), from: deployedAt, to: Number.MAX_SAFE_INTEGER },
  ];
}

/** The alphabet of Kubernetes' generated names. */
function letters(seed: number, length: number): string {
  const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
  let text = '';
  for (let i = 0; i < length; i++) text += alphabet[hash(seed, i) % alphabet.length];
  return text;
}
