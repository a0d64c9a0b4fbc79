import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../main.ts';
import { FLAVOUR_NAMES, type FlavourName } from './flavours.ts';
import { serviceAccounts } from './tokens.ts';

// What each version answers where they differ: [status, part of the body].
type Wanted = Record<FlavourName, [number, RegExp]>;
const all = (wanted: [number, RegExp]): Wanted => ({ '9.5': wanted, '10.1': wanted, '12': wanted, '13': wanted });
const newer = (wanted: [number, RegExp]): Pick<Wanted, '12' | '13'> => ({ '12': wanted, '13': wanted });
/** Refused before the path is looked at. */
const OLD_401: Pick<Wanted, '9.5' | '10.1'> = { '9.5': [401, /Unauthorized/], '10.1': [401, /Unauthorized/] };
const tokens = serviceAccounts(1);
const LOKI = '/api/datasources/uid/loki-demo';

const CASES: [string, string, Wanted, { token?: string; headers?: Record<string, string>; body?: string }?][] = [
  [
    'its version',
    '/api/health',
    { '9.5': [200, /"9\.5\./], '10.1': [200, /"10\.1\./], '12': [200, /"12\./], '13': [200, /"13\./] },
  ],
  [
    'a wrong token',
    '/api/org',
    {
      '9.5': [401, /^\{"message":"invalid API key","traceID":""\}$/],
      '10.1': [401, /^\{"extra":null,"message":"Invalid API key","messageId":"api-key\.invalid"/],
      '12': [401, /^\{"message":"Invalid API key","messageId":"api-key\.invalid","statusCode":401/],
      '13': [401, /^\{"message":"Invalid API key","messageId":"api-key\.invalid","statusCode":401/],
    },
    { token: 'glsa_fake' },
  ],
  [
    'no credential',
    '/api/org',
    {
      ...all([401, /"messageId":"auth\.unauthorized"/]),
      '9.5': [401, /^\{"message":"Unauthorized"\}$/],
    },
    { headers: { authorization: '' } },
  ],
  [
    'a disabled account',
    '/api/org',
    {
      ...all([401, /"message":"Unauthorized","messageId":"identity\.disabled"/]),
      '9.5': [401, /^\{"message":"Service account is disabled"\}$/],
    },
    { token: tokens.disabled.token },
  ],
  [
    'a revoked token',
    '/api/org',
    { ...all([401, /"messageId":"api-key\.revoked"/]), '9.5': [401, /^\{"message":"Revoked token"\}$/] },
    { token: tokens.revoked.token },
  ],
  [
    'a wrong password',
    '/api/org',
    {
      ...all([401, /"message":"Invalid username or password","messageId":"password-auth\.failed","statusCode":401/]),
      '9.5': [401, /^\{"message":"invalid username or password","traceID":""\}$/],
      '10.1': [400, /"extra":null.*"messageId":"password-auth\.failed","statusCode":400/],
    },
    { headers: { authorization: `Basic ${Buffer.from('admin:fake').toString('base64')}` } },
  ],
  [
    'another organisation in the query',
    '/api/org?targetOrgId=7',
    {
      ...all([200, /"Main Org\."/]),
      '12': [401, /"messageId":"api-key\.organization-mismatch"/],
      '13': [401, /"messageId":"api-key\.organization-mismatch"/],
    },
  ],
  [
    'another organisation',
    '/api/org',
    {
      ...all([200, /"Main Org\."/]),
      '12': [401, /"messageId":"api-key\.organization-mismatch"/],
      '13': [401, /"messageId":"api-key\.organization-mismatch"/],
    },
    { headers: { 'x-grafana-org-id': '7' } },
  ],
  ['its own organisation', '/api/org', all([200, /"Main Org\."/]), { headers: { 'x-grafana-org-id': '1' } }],
  ['a datasource by number', '/api/datasources/1', { ...all([200, /"uid"/]), '13': [404, /Not found/] }],
  [
    'the proxy by number',
    '/api/datasources/proxy/1/api/v1/query?query=1',
    { ...all([200, /success/]), '13': [404, /Not found/] },
  ],
  [
    'the health of Loki',
    `${LOKI}/health`,
    { ...all([404, /Not found/]), '12': [200, /Successfully queried the Loki API/], '13': [200, /Successfully/] },
  ],
  [
    'the health of nothing',
    '/api/datasources/uid/nope/health',
    { ...all([500, /Unable to load/]), '12': [404, /Unable to load/], '13': [404, /Unable to load/] },
  ],
  [
    'volumes by the plugin',
    `${LOKI}/resources/index/volume?query=%7Bapp%3D%22cart%22%7D`,
    { ...all([500, /Failed to call resource/]), '12': [200, /success/], '13': [200, /success/] },
  ],
  [
    'a bad query in ds/query',
    '/api/ds/query',
    {
      ...all([400, /"error":"parse error[^}]*"status":500/]),
      '12': [400, /"errorSource":"downstream","status":400/],
      '13': [400, /"errorSource":"downstream","status":400/],
    },
    {
      body: JSON.stringify({
        queries: [{ refId: 'A', datasource: { uid: 'loki-demo' }, expr: '{a' }],
        from: 'now-1h',
        to: 'now',
      }),
    },
  ],
  [
    'the new API',
    '/apis',
    { ...all([404, /Not found/]), '12': [200, /APIGroupList.*v2beta1/], '13': [200, /"version":"v2"/] },
  ],
  [
    'the new API without a credential',
    '/apis',
    { ...all([404, /Not found/]), ...newer([401, /"kind":"Status".*"reason":"Unauthorized","code":401/]), ...OLD_401 },
    { headers: { authorization: '' } },
  ],
  [
    'the new API without the permission',
    '/apis/dashboard.grafana.app/v1beta1/namespaces/org-7/dashboards',
    { ...all([404, /Not found/]), ...newer([403, /"kind":"Status".*"reason":"Forbidden"/]) },
  ],
  [
    'a dashboard by the new API',
    '/apis/dashboard.grafana.app/v1beta1/namespaces/default/dashboards/demo-services',
    { ...all([404, /Not found/]), ...newer([200, /"metadata":\{"name":"demo-services".*"panels":/]) },
  ],
  [
    'a dashboard in the second schema',
    '/apis/dashboard.grafana.app/v2beta1/namespaces/default/dashboards/demo-services',
    {
      ...all([404, /Not found/]),
      '12': [200, /"elements":\{"panel-1":\{"kind":"Panel"/],
      '13': [404, /could not find/],
    },
  ],
  [
    'a dashboard with its access',
    '/apis/dashboard.grafana.app/v1beta1/namespaces/default/dashboards/demo-services/dto',
    { ...all([404, /Not found/]), ...newer([200, /"access":\{"slug":"demo-services"/]) },
  ],
  [
    'no such dashboard',
    '/apis/dashboard.grafana.app/v1beta1/namespaces/default/dashboards/nope',
    { ...all([404, /Not found/]), ...newer([404, /dashboards\.dashboard\.grafana\.app \\"nope\\" not found/]) },
  ],
  [
    'folders by the new API',
    '/apis/folder.grafana.app/v1beta1/namespaces/default/folders',
    { ...all([404, /Not found/]), ...newer([200, /"kind":"FolderList".*"title":"Demo"/]) },
  ],
  [
    'the search in a folder that is not there',
    '/api/search?folderUIDs=nope',
    { ...all([200, /demo-services/]), ...newer([200, /^\[\]$/]) },
  ],
  [
    'hits of the search',
    '/api/search',
    { ...all([200, /^(?!.*isDeleted).*demo-services/]), ...newer([200, /"orgId":1,"isDeleted":false/]) },
  ],
  [
    'rules',
    '/api/prometheus/grafana/api/v1/rules',
    { ...all([200, /^(?!.*"uid").*error ratio/]), ...newer([200, /"uid":"demo-rule-1","folderUid":"demo-folder"/]) },
  ],
  [
    'annotations of a dashboard',
    '/api/annotations?dashboardUID=demo-services',
    { ...all([200, /"dashboardId":3,/]), '13': [200, /"dashboardId":0,"dashboardUID":"demo-services"/] },
  ],
];

describe.each(FLAVOUR_NAMES)('Grafana %s', (flavour) => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({ flavour });
  });
  afterAll(() => sandbox.close());

  test.each(CASES)(
    '%s: %s',
    async (_what, path, wanted, { token = sandbox.tokens.viewer, headers = {}, body } = {}) => {
      const answer = await fetch(sandbox.url + path, {
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { method: 'POST', body }),
      });
      const [status, text] = wanted[flavour];
      expect([answer.status, await answer.text()]).toEqual([status, expect.stringMatching(text)]);
    },
  );
});
