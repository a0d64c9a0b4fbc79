import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../main.ts';
import { FLAVOUR_NAMES, type FlavourName } from './flavours.ts';

// What each version answers where they differ: [status, part of the body].
type Wanted = Record<FlavourName, [number, RegExp]>;
const all = (wanted: [number, RegExp]): Wanted => ({ '9.5': wanted, '10.1': wanted, '12': wanted, '13': wanted });
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
      '12': [400, /"status":400,"errorSource":"downstream"/],
      '13': [400, /"status":400,"errorSource":"downstream"/],
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
