/** The two query languages that the gateway speaks through a datasource. */
export type Family = 'loki' | 'prometheus';

/** Plugin ids of datasources that speak Loki's HTTP API and LogQL. */
export const LOKI_TYPES: readonly string[] = ['loki'];

/** Plugin ids of datasources that speak Prometheus's HTTP API and PromQL (Mimir and Thanos come as `prometheus`). */
export const PROMETHEUS_TYPES: readonly string[] = [
  'prometheus',
  'grafana-amazonprometheus-datasource',
  'grafana-azureprometheus-datasource',
  'victoriametrics-metrics-datasource',
  'victoriametrics-datasource',
];

export function familyOf(type: string): Family | undefined {
  if (LOKI_TYPES.includes(type)) return 'loki';
  return PROMETHEUS_TYPES.includes(type) ? 'prometheus' : undefined;
}

/** The server's name as its users know it. */
export function serverName(type: string): string {
  const family = familyOf(type);
  return family === 'loki' ? 'Loki' : family === 'prometheus' ? 'Prometheus' : 'The datasource';
}
