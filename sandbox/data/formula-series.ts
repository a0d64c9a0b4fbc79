import { type Incident, poolFill } from './incident.ts';
import type { Replica } from './pods.ts';
import { hash, noise } from './random.ts';
import type { Labels } from './store.ts';

/** A series whose value is a closed form of time. */
export interface FormulaSeries {
  labels: Labels;
  /** ms into each 15 s at which it is scraped. */
  scrapeOffset: number;
  /** ms since epoch: exists for from <= t < to. */
  from: number;
  to: number;
  /** `step` is the number of the scrape since epoch, for noise. */
  value: (at: number, step: number) => number;
}

const USER_SESSIONS = 2000;
const FOREVER = Number.MAX_SAFE_INTEGER;
const MB = 1_048_576;

export function formulaSeries(incident: Incident, replicas: readonly Replica[]): FormulaSeries[] {
  return [
    ...targets(incident, replicas),
    ...pools(incident, replicas),
    ...builds(incident, replicas),
    ...sessions(incident),
  ];
}

function targets(incident: Incident, replicas: readonly Replica[]): FormulaSeries[] {
  const { historyFrom } = incident;
  const list = replicas.flatMap((replica) => {
    const base = { job: replica.service.name, instance: replica.instance };
    const own = { scrapeOffset: replica.scrapeOffset, from: historyFrom, to: FOREVER };
    const salt = hash(incident.seed, replica.instance);
    return [
      { ...own, labels: { __name__: 'up', ...base }, value: () => 1 },
      {
        ...own,
        labels: { __name__: 'process_start_time_seconds', ...base },
        value: () => Math.floor(historyFrom / 1000),
      },
      {
        ...own,
        labels: { __name__: 'process_resident_memory_bytes', ...base },
        value: (at: number, step: number) =>
          Math.round((90 + (salt % 80) + 8 * Math.sin(at / 9e5 + salt) + 3 * noise(salt, step)) * MB),
      },
    ];
  });
  const one = (job: string, instance: string, value: number, name = 'up'): FormulaSeries => ({
    labels: { __name__: name, job, instance },
    scrapeOffset: hash(incident.seed, instance) % 15_000,
    from: historyFrom,
    to: FOREVER,
    value: () => value,
  });
  return [
    ...list,
    one('demo', 'demo-0:8080', 1),
    one('prometheus', 'localhost:9090', 1),
    // The target that is down, as in every real installation.
    one('dead', 'dead-0:9100', 0),
    {
      ...one('notifications', 'notifications-0:8080', 0, 'queue_depth'),
      value: (at, step) => Math.max(0, Math.round(14 + 9 * Math.sin(at / 7e5) + 6 * noise(7, step))),
    },
  ];
}

/** Pools of every service but the one in front. In prod, that of the failing service fills after the deployment. */
function pools(incident: Incident, replicas: readonly Replica[]): FormulaSeries[] {
  const { poolMetric, poolMaxMetric } = incident.facts;
  return replicas
    .filter((replica) => replica.service.format !== 'nginx')
    .flatMap((replica) => {
      const labels = { job: replica.service.name, instance: replica.instance, pool: 'main' };
      const own = { scrapeOffset: replica.scrapeOffset, from: incident.historyFrom, to: FOREVER };
      const salt = hash(incident.seed, replica.instance, 'pool');
      const size = incident.poolMax;
      const quiet = 0.14 + (salt % 12) / 100;
      return [
        {
          ...own,
          labels: { __name__: poolMetric, ...labels },
          value: (at: number, step: number) => {
            const level = replica.failing ? poolFill(incident, at) : quiet + 0.03 * Math.sin(at / 6e5 + salt);
            return Math.max(0, Math.min(size, Math.round(level * size + (noise(salt, step) - 0.4) * 0.06 * size)));
          },
        },
        { ...own, labels: { __name__: poolMaxMetric, ...labels }, value: () => size },
      ];
    });
}

/** `build_info{job,version}`: the old version's series ends where the new one's begins. */
function builds(incident: Incident, replicas: readonly Replica[]): FormulaSeries[] {
  const { service, version, oldVersion, deployedAt } = incident.facts;
  const jobs = [...new Set(replicas.map((replica) => replica.service.name))];
  const build = (job: string, text: string, from: number, to: number): FormulaSeries => ({
    labels: { __name__: 'build_info', job, version: text },
    scrapeOffset: replicas.find((r) => r.service.name === job)?.scrapeOffset ?? 0,
    from,
    to,
    value: () => 1,
  });
  return jobs.flatMap((job) => {
    if (job !== service) {
      const salt = hash(incident.seed, job, 'version');
      return [build(job, `${1 + (salt % 3)}.${salt % 9}.${(salt >>> 8) % 6}`, incident.historyFrom, FOREVER)];
    }
    return [build(job, oldVersion, incident.historyFrom, deployedAt), build(job, version, deployedAt, FOREVER)];
  });
}

/** High cardinality: what a careless label does to Prometheus. */
function sessions(incident: Incident): FormulaSeries[] {
  const regions = ['eu-west', 'eu-north', 'us-east', 'ap-northeast'];
  return Array.from({ length: USER_SESSIONS }, (_, i) => {
    const salt = hash(incident.seed, i, 'user');
    return {
      labels: {
        __name__: 'demo_user_sessions',
        user: `u${String(i + 1).padStart(5, '0')}`,
        region: regions[salt % regions.length] ?? 'eu-west',
        job: 'demo',
        instance: 'demo-0:8080',
      },
      scrapeOffset: hash(incident.seed, 'demo-0:8080') % 15_000,
      from: incident.historyFrom,
      to: FOREVER,
      // Changes every few minutes, not at each scrape.
      value: (_at: number, step: number) => Math.floor(noise(salt, Math.floor(step / (12 + (salt % 17)))) ** 3 * 9),
    };
  });
}
