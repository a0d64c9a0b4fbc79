import { STALE } from '../promql/values.ts';
import { type FormulaSeries, formulaSeries } from './formula-series.ts';
import type { Incident } from './incident.ts';
import { type Replica, SCRAPE_MS } from './pods.ts';
import { exemplarOf, type ReplicaSeries, requestSeries } from './request-series.ts';
import type { Exemplar, MetricMetadata, MetricSeries, MetricStore } from './store.ts';
import type { Traffic } from './traffic.ts';

const MOST_EXEMPLARS = 500;

/** The shop's metrics on a grid of 15 s. Counters are counted from the requests whose lines are in the logs. */
export function createShopMetrics(
  incident: Incident,
  replicas: readonly Replica[],
  traffic: Traffic,
  now: () => number,
): MetricStore {
  const counted = replicas.map((replica) => requestSeries(incident, replica, traffic));
  const formulas = formulaSeries(incident, replicas);
  const end = (endMs: number): number => Math.min(endMs, now());

  return {
    series(match, startMs, endMs) {
      const from = counted.filter((own) => grid(own.firstScrape, startMs, end(endMs)).count > 0);
      const found = from.flatMap((own) => own.labels.filter(match));
      const other = formulas.filter((own) => match(own.labels) && scrapes(own, startMs, end(endMs)).count > 0);
      return [...found, ...other.map((own) => own.labels)];
    },
    select(match, startMs, endMs) {
      const found: MetricSeries[] = counted.flatMap((own) => countedSamples(own, match, startMs, end(endMs)));
      for (const own of formulas) {
        if (!match(own.labels)) continue;
        const samples = formulaSamples(own, startMs, end(endMs));
        if (samples.times.length > 0) found.push({ labels: own.labels, ...samples });
      }
      return found;
    },
    metadata: () => new Map(METADATA.map(([name, type, help, unit]) => [nameOf(name, incident), { type, help, unit }])),
    exemplars(startMs, endMs) {
      const found: Exemplar[] = [];
      const last = Math.floor(end(endMs) / 60_000);
      for (const replica of replicas) {
        if (replica.env !== 'prod') continue;
        for (let minute = Math.max(Math.ceil(startMs / 60_000), last - 60); minute < last; minute++) {
          const exemplar = exemplarOf(replica, minute, traffic);
          if (exemplar && exemplar.time >= startMs && found.length < MOST_EXEMPLARS) found.push(exemplar);
        }
      }
      return found;
    },
  };
}

function countedSamples(
  own: ReplicaSeries,
  match: (labels: MetricSeries['labels']) => boolean,
  startMs: number,
  endMs: number,
): MetricSeries[] {
  if (!own.labels.some(match)) return [];
  const { first, count } = grid(own.firstScrape, startMs, endMs);
  if (count === 0) return [];
  const from = (first - own.firstScrape) / SCRAPE_MS;
  const times = Array.from({ length: count }, (_, i) => first + i * SCRAPE_MS);
  return own
    .columns(endMs)
    .filter((column) => match(column.labels))
    .map((column) => ({ labels: column.labels, times, values: column.values.slice(from, from + count) }));
}

/** A series that ends leaves a stale marker at the scrape that misses it. */
function formulaSamples(own: FormulaSeries, startMs: number, endMs: number): { times: number[]; values: number[] } {
  const { first, count } = scrapes(own, startMs, endMs);
  const times = Array.from({ length: count }, (_, i) => first + i * SCRAPE_MS);
  const values = times.map((time) => own.value(time, Math.floor(time / SCRAPE_MS)));
  const missed = Math.ceil((own.to - own.scrapeOffset) / SCRAPE_MS) * SCRAPE_MS + own.scrapeOffset;
  if (missed >= startMs && missed <= endMs) {
    times.push(missed);
    values.push(STALE);
  }
  return { times, values };
}

/** The scrapes of a grid within [startMs, endMs]. */
function grid(firstScrape: number, startMs: number, endMs: number): { first: number; count: number } {
  const skipped = Math.max(0, Math.ceil((startMs - firstScrape) / SCRAPE_MS));
  const first = firstScrape + skipped * SCRAPE_MS;
  return { first, count: Math.max(0, Math.floor((endMs - first) / SCRAPE_MS) + 1) };
}

function scrapes(own: FormulaSeries, startMs: number, endMs: number): { first: number; count: number } {
  const firstScrape = Math.ceil((own.from - own.scrapeOffset) / SCRAPE_MS) * SCRAPE_MS + own.scrapeOffset;
  return grid(firstScrape, startMs, Math.min(endMs, own.to - 1));
}

const POOL = '<pool>';
const POOL_MAX = '<pool max>';
const METADATA: readonly [string, MetricMetadata['type'], string, string][] = [
  ['up', 'gauge', 'Whether the last scrape of the target succeeded.', ''],
  ['http_requests_total', 'counter', 'Requests answered, by method, route and status.', ''],
  ['http_request_duration_seconds', 'histogram', 'Time to answer a request.', 'seconds'],
  [POOL, 'gauge', 'Connections or slots of the pool in use.', ''],
  [POOL_MAX, 'gauge', 'Size of the pool.', ''],
  ['build_info', 'gauge', 'Always 1; the version is in the label.', ''],
  ['process_resident_memory_bytes', 'gauge', 'Resident memory size in bytes.', 'bytes'],
  ['process_cpu_seconds_total', 'counter', 'CPU time spent, in seconds.', 'seconds'],
  ['process_start_time_seconds', 'gauge', 'Start time of the process since unix epoch in seconds.', 'seconds'],
  ['queue_depth', 'gauge', 'Messages that wait to be sent.', ''],
  ['demo_user_sessions', 'gauge', 'Open sessions of one user (a label of high cardinality).', ''],
];
function nameOf(name: string, incident: Incident): string {
  if (name === POOL) return incident.facts.poolMetric;
  return name === POOL_MAX ? incident.facts.poolMaxMetric : name;
}
