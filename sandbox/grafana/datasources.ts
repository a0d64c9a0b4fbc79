/** One datasource, as provisioned. `backend` says who answers behind it. */
export interface DemoDatasource {
  id: number;
  uid: string;
  name: string;
  type: 'loki' | 'prometheus' | 'alertmanager';
  backend: 'shop logs' | 'edge logs' | 'shop metrics' | 'alerts' | 'nobody';
  url: string;
  isDefault: boolean;
  jsonData: Record<string, unknown>;
}

export const DATASOURCES: readonly DemoDatasource[] = [
  {
    id: 1,
    uid: 'prometheus-demo',
    name: 'Prometheus Demo',
    type: 'prometheus',
    backend: 'shop metrics',
    url: 'http://127.0.0.1:9090',
    isDefault: true,
    jsonData: {
      alertmanagerUid: 'am-demo',
      exemplarTraceIdDestinations: [{ name: 'trace_id', url: `http://127.0.0.1:16686/trace/\${__value.raw}` }],
      httpMethod: 'POST',
      manageAlerts: true,
      prometheusType: 'Prometheus',
      prometheusVersion: '2.42.0',
      timeInterval: '15s',
    },
  },
  {
    id: 2,
    uid: 'loki-demo',
    name: 'Loki Demo',
    type: 'loki',
    backend: 'shop logs',
    url: 'http://127.0.0.1:3100',
    isDefault: false,
    jsonData: {
      derivedFields: [
        {
          matcherRegex: 'trace_id=(\\w+)',
          name: 'trace_id',
          url: `http://127.0.0.1:16686/trace/\${__value.raw}`,
          urlDisplayLabel: 'Open trace',
        },
      ],
      manageAlerts: true,
      maxLines: 1000,
    },
  },
  {
    id: 3,
    uid: 'am-demo',
    name: 'Alertmanager Demo',
    type: 'alertmanager',
    backend: 'alerts',
    url: 'http://127.0.0.1:9093',
    isDefault: false,
    jsonData: { handleGrafanaManagedAlerts: false, implementation: 'prometheus' },
  },
  {
    id: 5,
    uid: 'broken',
    name: 'Broken Prometheus',
    type: 'prometheus',
    backend: 'nobody',
    url: 'http://127.0.0.1:9999',
    isDefault: false,
    jsonData: { httpMethod: 'POST' },
  },
  {
    // A space, a slash and CJK letters: names that must be encoded to be part of a path or a URI.
    id: 6,
    uid: 'edge-logs',
    name: '東京 / Edge Logs',
    type: 'loki',
    backend: 'edge logs',
    url: 'http://127.0.0.1:3101',
    isDefault: false,
    jsonData: { maxLines: 500 },
  },
];

const TYPES = {
  loki: { typeName: 'Loki', logo: 'public/app/plugins/datasource/loki/img/loki_icon.svg' },
  prometheus: { typeName: 'Prometheus', logo: 'public/app/plugins/datasource/prometheus/img/prometheus_logo.svg' },
  alertmanager: { typeName: 'Alertmanager', logo: 'public/app/plugins/datasource/alertmanager/img/logo.svg' },
} as const;

/** An entry of GET /api/datasources. */
export function listView(ds: DemoDatasource): Record<string, unknown> {
  return {
    id: ds.id,
    uid: ds.uid,
    orgId: 1,
    name: ds.name,
    type: ds.type,
    typeName: TYPES[ds.type].typeName,
    typeLogoUrl: TYPES[ds.type].logo,
    access: 'proxy',
    url: ds.url,
    user: '',
    database: '',
    basicAuth: false,
    isDefault: ds.isDefault,
    jsonData: ds.jsonData,
    readOnly: true,
  };
}

/** GET /api/datasources/uid/:uid and /name/:name. */
export function detailView(ds: DemoDatasource): Record<string, unknown> {
  const { typeName: _, readOnly, jsonData, isDefault, ...rest } = listView(ds);
  return {
    ...rest,
    basicAuthUser: '',
    withCredentials: false,
    isDefault,
    jsonData,
    secureJsonFields: {},
    version: 1,
    readOnly,
  };
}

/** An entry of `datasources` in GET /api/frontend/settings, which is keyed by name. */
export function settingsView(ds: DemoDatasource): Record<string, unknown> {
  return {
    id: ds.id,
    uid: ds.uid,
    type: ds.type,
    name: ds.name,
    meta: { id: ds.type, type: 'datasource', name: TYPES[ds.type].typeName, info: { version: '' } },
    url: `/api/datasources/proxy/uid/${ds.uid}`,
    isDefault: ds.isDefault,
    access: 'proxy',
    preload: false,
    module: `app/plugins/datasource/${ds.type}/module`,
    jsonData: ds.jsonData,
    readOnly: true,
  };
}

export function listed(): DemoDatasource[] {
  return [...DATASOURCES].sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1));
}
export function byUid(uid: string): DemoDatasource | undefined {
  return DATASOURCES.find((ds) => ds.uid === uid);
}
export function byId(id: string): DemoDatasource | undefined {
  return DATASOURCES.find((ds) => String(ds.id) === id);
}
export function validUid(uid: string): boolean {
  return /^[\w-]+$/.test(uid);
}
