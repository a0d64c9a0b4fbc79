import type { ApiRequest, MetricSeries, MetricStore } from '../data/store.ts';

const BUILD = {
  version: '2.42.0',
  revision: 'sandbox',
  branch: 'sandbox',
  buildUser: 'sandbox',
  buildDate: '20230201-00:00:00',
  goVersion: 'go1.19.5',
};

const STATUS: Record<string, (store: MetricStore, request: ApiRequest) => string> = {
  'status/buildinfo': () => JSON.stringify(BUILD),
  'status/config': () => JSON.stringify({ yaml: 'global:\n  scrape_interval: 15s\n  evaluation_interval: 1m\n' }),
  'status/flags': () => JSON.stringify({ 'query.lookback-delta': '5m', 'query.timeout': '2m' }),
  'status/walreplay': () => JSON.stringify({ min: 0, max: 0, current: 0 }),
  alertmanagers: () => JSON.stringify({ activeAlertmanagers: [], droppedAlertmanagers: [] }),
};

export function status(name: string): ((store: MetricStore, request: ApiRequest) => string) | undefined {
  return STATUS[name];
}

/** `data` of /scrape_pools: the jobs of the targets. */
export function scrapePools(store: MetricStore, request: ApiRequest): string {
  const pools = upSeries(store, request.now).map(({ labels }) => labels.job ?? '');
  return JSON.stringify({ scrapePools: [...new Set(pools)].sort() });
}

/** `data` of /targets/metadata, as far as the sandbox goes: no target tells any. */
export function targetsMetadata(): string {
  return '[]';
}

function upSeries(store: MetricStore, now: number): MetricSeries[] {
  return store.select((labels) => labels.__name__ === 'up', now - 5 * 60_000, now);
}

/** `data` of /targets: one for every `up` series of the last five minutes, none for a store without a present. */
export function targets(store: MetricStore, { params, now }: ApiRequest): string {
  const wanted = (params.get('state') ?? 'any').toLowerCase();
  const up = wanted === 'dropped' ? [] : upSeries(store, now);
  const activeTargets = up.map(({ labels, times, values }) => {
    const { __name__: _, ...rest } = labels;
    const { job = '', instance = '' } = rest;
    const url = `http://${instance}/metrics`;
    const healthy = values.at(-1) === 1;
    return {
      discoveredLabels: { __address__: instance, __metrics_path__: '/metrics', __scheme__: 'http', job },
      labels: rest,
      scrapePool: job,
      scrapeUrl: url,
      globalUrl: url,
      lastError: healthy ? '' : `Get "${url}": connection refused`,
      lastScrape: new Date(times.at(-1) ?? now).toISOString(),
      lastScrapeDuration: 0.004,
      health: healthy ? 'up' : 'down',
      scrapeInterval: '15s',
      scrapeTimeout: '10s',
    };
  });
  return JSON.stringify({ activeTargets, droppedTargets: [] });
}
