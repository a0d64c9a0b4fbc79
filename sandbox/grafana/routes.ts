import {
  alertmanagerAlerts,
  datasourceAlertmanager,
  datasourceRules,
  grafanaAlerts,
  grafanaRules,
} from './alerting.ts';
import { addAnnotation, annotationTags, listAnnotations } from './annotations.ts';
import { json } from './answer.ts';
import { dashboard, dashboardTags, folders, search } from './dashboards.ts';
import { proxyById, proxyByUid } from './proxy.ts';
import { dsQuery } from './query.ts';
import { health, resources } from './resources.ts';
import {
  actions,
  datasourceById,
  datasourceByName,
  datasourceByUid,
  datasources,
  frontendSettings,
  loginPing,
  notThere,
  org,
  permissions,
  serviceAccountSearch,
  user,
} from './settings.ts';
import type { Handler } from './world.ts';

export interface Route {
  method: 'GET' | 'POST' | 'ANY';
  /** `:name` is one segment, `*` the rest. */
  path: string;
  /** Action that the role must hold. */
  permission?: string;
  handle: Handler;
  /** By the number of a datasource: not in every version. */
  byNumber?: true;
}

// The facade, in one table. First match wins.
const ROUTES: readonly Route[] = [
  { method: 'GET', path: '/api/org', permission: 'orgs:read', handle: org },
  { method: 'GET', path: '/api/user', handle: user },
  { method: 'GET', path: '/api/login/ping', handle: loginPing },
  { method: 'GET', path: '/api/access-control/user/permissions', handle: permissions },
  { method: 'GET', path: '/api/access-control/user/actions', handle: actions },
  { method: 'GET', path: '/api/frontend/settings', handle: frontendSettings },

  { method: 'GET', path: '/api/datasources', permission: 'datasources:read', handle: datasources },
  { method: 'GET', path: '/api/datasources/uid/:uid', permission: 'datasources:read', handle: datasourceByUid },
  { method: 'GET', path: '/api/datasources/name/:name', permission: 'datasources:read', handle: datasourceByName },
  { method: 'ANY', path: '/api/datasources/uid/:uid/health', permission: 'datasources:query', handle: health },
  { method: 'ANY', path: '/api/datasources/uid/:uid/resources/*', permission: 'datasources:query', handle: resources },
  { method: 'ANY', path: '/api/datasources/proxy/uid/:uid/*', permission: 'datasources:query', handle: proxyByUid },
  {
    method: 'ANY',
    path: '/api/datasources/proxy/:id/*',
    permission: 'datasources:query',
    handle: proxyById,
    byNumber: true,
  },
  {
    method: 'GET',
    path: '/api/datasources/:id',
    permission: 'datasources:read',
    handle: datasourceById,
    byNumber: true,
  },
  { method: 'POST', path: '/api/ds/query', permission: 'datasources:query', handle: dsQuery },

  { method: 'GET', path: '/api/annotations', permission: 'annotations:read', handle: listAnnotations },
  { method: 'POST', path: '/api/annotations', permission: 'annotations:create', handle: addAnnotation },
  { method: 'GET', path: '/api/annotations/tags', permission: 'annotations:read', handle: annotationTags },

  { method: 'GET', path: '/api/search', handle: search },
  { method: 'GET', path: '/api/folders', permission: 'folders:read', handle: folders },
  { method: 'GET', path: '/api/dashboards/tags', handle: dashboardTags },
  { method: 'GET', path: '/api/dashboards/uid/:uid', permission: 'dashboards:read', handle: dashboard },

  rule('/api/prometheus/grafana/api/v1/rules', grafanaRules),
  rule('/api/prometheus/grafana/api/v1/alerts', grafanaAlerts),
  rule('/api/prometheus/:uid/api/v1/:kind', datasourceRules),
  {
    method: 'GET',
    path: '/api/alertmanager/grafana/api/v2/alerts',
    permission: 'alert.instances:read',
    handle: alertmanagerAlerts,
  },
  {
    method: 'GET',
    path: '/api/alertmanager/grafana/api/v2/silences',
    permission: 'alert.instances:read',
    handle: () => json(200, []),
  },

  {
    method: 'GET',
    path: '/api/alertmanager/:uid/api/v2/:kind',
    permission: 'alert.instances.external:read',
    handle: datasourceAlertmanager,
  },

  // Routes that are there so that a role without the permission is refused as in Grafana.
  {
    method: 'GET',
    path: '/api/serviceaccounts/search',
    permission: 'serviceaccounts:read',
    handle: serviceAccountSearch,
  },
  { method: 'GET', path: '/api/users', permission: 'users:read', handle: notThere },
  { method: 'GET', path: '/api/admin/settings', permission: 'settings:read', handle: notThere },
  { method: 'GET', path: '/api/v1/provisioning/*', permission: 'alert.provisioning:read', handle: notThere },
];

function rule(path: string, handle: Handler): Route {
  return { method: 'GET', path, permission: 'alert.rules:read', handle };
}

/** The route of a request and its variable segments; the path is matched as sent, segments are decoded after. */
export function findRoute(
  method: string,
  path: string,
): { route: Route; params: Record<string, string>; rest: string } | undefined {
  for (const route of ROUTES) {
    if (route.method !== 'ANY' && route.method !== method && !(method === 'HEAD' && route.method === 'GET')) continue;
    const found = matchPath(route.path, path);
    if (found) return { route, ...found };
  }
  return undefined;
}

function matchPath(pattern: string, path: string): { params: Record<string, string>; rest: string } | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  const params: Record<string, string> = {};
  for (let i = 0; i < wanted.length; i++) {
    const want = wanted[i] ?? '';
    if (want === '*') return { params, rest: given.slice(i).join('/') };
    const segment = given[i];
    if (segment === undefined) return undefined;
    if (want.startsWith(':')) {
      const value = decode(segment);
      if (value === '' || value === undefined) return undefined;
      params[want.slice(1)] = value;
    } else if (want !== segment) return undefined;
  }
  return given.length === wanted.length ? { params, rest: '' } : undefined;
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
