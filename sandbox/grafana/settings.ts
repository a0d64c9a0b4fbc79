import { charsetJson, json, message } from './answer.ts';
import { byId, byUid, DATASOURCES, detailView, listed, listView, settingsView } from './datasources.ts';
import { permissionsOf } from './roles.ts';
import type { Handler } from './world.ts';

export const org: Handler = () => {
  const address = { address1: '', address2: '', city: '', zipCode: '', state: '', country: '' };
  return json(200, { id: 1, name: 'Main Org.', address });
};

/** A service account is no user. */
export const user: Handler = () => message(404, 'user not found');

export const permissions: Handler = ({ account }) => json(200, permissionsOf(account.role));

export const actions: Handler = ({ account }) =>
  json(200, Object.fromEntries(Object.keys(permissionsOf(account.role)).map((action) => [action, true])));

/** The keys of GET /api/frontend/settings that a gateway reads; the real answer has many more. */
export const frontendSettings: Handler = ({ world }) => {
  const own = DATASOURCES.map((ds) => [ds.name, settingsView(ds)] as const);
  const builtIn = (type: string, uid: string) => ({ type, uid, name: uid, meta: { id: type }, jsonData: {} });
  return json(200, {
    defaultDatasource: DATASOURCES.find((ds) => ds.isDefault)?.name ?? '',
    datasources: {
      ...Object.fromEntries(own),
      '-- Dashboard --': builtIn('datasource', '-- Dashboard --'),
      '-- Grafana --': { ...builtIn('grafana', 'grafana'), id: -1, name: '-- Grafana --' },
      '-- Mixed --': builtIn('mixed', '-- Mixed --'),
      __expr__: { ...builtIn('__expr__', '__expr__'), name: 'Expression' },
    },
    appUrl: world.appUrl,
    appSubUrl: world.subPath,
    buildInfo: {
      hideVersion: false,
      version: world.flavour.version,
      commit: 'unknown',
      buildstamp: 1_690_000_000,
      edition: 'Open Source',
      latestVersion: '',
      hasUpdate: false,
      env: 'production',
    },
    ...(world.flavour.apis.length > 0 && { namespace: 'default' }),
    featureToggles: {},
    anonymousEnabled: false,
    rendererAvailable: false,
    rendererVersion: '',
    jwtHeaderName: '',
    jwtUrlLogin: false,
    authProxyEnabled: false,
    unifiedAlertingEnabled: true,
  });
};

export const datasources: Handler = () => json(200, listed().map(listView));

export const datasourceByUid: Handler = ({ params }) => {
  const ds = byUid(params.uid ?? '');
  return ds ? json(200, detailView(ds)) : message(404, 'Data source not found');
};

export const datasourceByName: Handler = ({ params }) => {
  const ds = DATASOURCES.find((own) => own.name === params.name);
  return ds ? json(200, detailView(ds)) : message(404, 'Data source not found');
};

export const datasourceById: Handler = ({ params }) => {
  if (!/^\d+$/.test(params.id ?? '')) return message(400, 'id is invalid');
  const ds = byId(params.id ?? '');
  return ds ? json(200, detailView(ds)) : message(404, 'Data source not found');
};

export const serviceAccountSearch: Handler = ({ world }) => {
  const serviceAccounts = world.accounts.map((own) => ({
    id: own.id,
    name: own.name,
    login: `sa-${own.name}`,
    orgId: 1,
    isDisabled: false,
    role: own.role === 'admin' ? 'Admin' : own.role === 'editor' ? 'Editor' : 'Viewer',
    tokens: 1,
    avatarUrl: '/public/img/user_profile.png',
  }));
  return json(200, { totalCount: serviceAccounts.length, serviceAccounts, page: 1, perPage: 1000 });
};

export const loginPing: Handler = () => json(200, { message: 'Logged in' });

/** For routes whose permission the sandbox checks, but which it does not have. */
export const notThere: Handler = () => charsetJson(404, { message: 'Not found' });
