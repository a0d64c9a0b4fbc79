import type { Incident } from './incident.ts';
import { type Replica, SCRAPE_MS } from './pods.ts';
import { pick } from './random.ts';
import type { Exemplar, Labels } from './store.ts';
import { type Request, STATUSES, type Traffic } from './traffic.ts';

/** Upper bounds of http_request_duration_seconds, in seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

interface Column {
  labels: Labels;
  /** One value a scrape, from the first scrape on. */
  values: number[];
}

/** The counters and the histogram of one replica, counted from its requests as scrape after scrape is asked for. */
export interface ReplicaSeries {
  replica: Replica;
  /** ms since epoch of the first scrape. */
  firstScrape: number;
  /** Labels alone, without counting anything. */
  labels: readonly Labels[];
  /** Counted up to and including `until` (ms since epoch). */
  columns(until: number): readonly Column[];
}

export function requestSeries(incident: Incident, replica: Replica, traffic: Traffic): ReplicaSeries {
  const { service, instance } = replica;
  const job = service.name;
  const base = { job, instance };
  const statuses = STATUSES.filter((status) => status !== 504 || replica.knockOn);

  const totals = service.routes.flatMap(({ method, route }) =>
    statuses.map((status) =>
      column({ __name__: 'http_requests_total', ...base, method, route, status: String(status) }),
    ),
  );
  const buckets = [...BUCKETS.map(String), '+Inf'].map((le) =>
    column({ __name__: 'http_request_duration_seconds_bucket', ...base, le }),
  );
  const sum = column({ __name__: 'http_request_duration_seconds_sum', ...base });
  const count = column({ __name__: 'http_request_duration_seconds_count', ...base });
  const cpu = column({ __name__: 'process_cpu_seconds_total', ...base });
  const columns = [...totals, ...buckets, sum, count, cpu];
  const current = new Float64Array(columns.length);

  const firstScrape = firstScrapeOf(incident, replica.scrapeOffset);
  let nextScrape = firstScrape;
  let minute = Math.floor(incident.historyFrom / 60_000);
  let requests: Request[] = [];
  let position = 0;
  let loaded = false;

  function countOne(request: Request): void {
    const index = request.route * statuses.length + statuses.indexOf(request.status as (typeof STATUSES)[number]);
    const seconds = request.ms / 1000;
    bump(index, 1);
    for (let i = 0; i < buckets.length; i++) {
      const bound = BUCKETS[i];
      if (bound === undefined || seconds <= bound) bump(totals.length + i, 1);
    }
    bump(totals.length + buckets.length, seconds);
    bump(totals.length + buckets.length + 1, 1);
    bump(totals.length + buckets.length + 2, 0.004 + seconds * 0.02);
  }
  function bump(index: number, by: number): void {
    current[index] = (current[index] ?? 0) + by;
  }

  /** Counts all requests answered at or before `time`. */
  function countUntil(time: number): void {
    for (;;) {
      if (!loaded) {
        requests = traffic
          .requests(replica, minute)
          .filter((r) => minute * 60_000 + r.atNs / 1e6 >= incident.historyFrom);
        position = 0;
        loaded = true;
      }
      for (let next = requests[position]; next !== undefined; next = requests[position]) {
        if (minute * 60_000 + next.atNs / 1e6 > time) return;
        countOne(next);
        position++;
      }
      if ((minute + 1) * 60_000 > time) return;
      minute++;
      loaded = false;
    }
  }

  return {
    replica,
    firstScrape,
    labels: columns.map((c) => c.labels),
    columns(until) {
      for (; nextScrape <= until; nextScrape += SCRAPE_MS) {
        countUntil(nextScrape);
        columns.forEach((c, i) => {
          c.values.push(current[i] ?? 0);
        });
      }
      return columns;
    },
  };
}

/** One exemplar a minute and replica: the slowest request, whose trace id is also in the logs. */
export function exemplarOf(replica: Replica, minute: number, traffic: Traffic): Exemplar | undefined {
  const requests = traffic.requests(replica, minute);
  if (requests.length === 0) return undefined;
  const slowest = requests.reduce((a, b) => (b.ms > a.ms ? b : a));
  const value = slowest.ms / 1000;
  const le = BUCKETS.find((bound) => value <= bound);
  return {
    seriesLabels: {
      __name__: 'http_request_duration_seconds_bucket',
      job: replica.service.name,
      instance: replica.instance,
      le: le === undefined ? '+Inf' : String(le),
    },
    labels: {
      trace_id: traffic.traceOf(replica, minute, slowest),
      route: pick(replica.service.routes, slowest.route).route,
    },
    value,
    time: Math.floor(minute * 60_000 + slowest.atNs / 1e6),
  };
}

function firstScrapeOf(incident: Incident, offset: number): number {
  return Math.ceil((incident.historyFrom - offset) / SCRAPE_MS) * SCRAPE_MS + offset;
}

function column(labels: Labels): Column {
  return { labels, values: [] };
}
