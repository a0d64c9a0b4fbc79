import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ALLOWED, checkAllowed } from './allow.ts';
import { LOKI, PROMETHEUS } from './testing/callers.ts';
import type { UpstreamRequest } from './upstream.ts';

function allowed(request: UpstreamRequest): boolean {
  try {
    checkAllowed(request);
    return true;
  } catch {
    return false;
  }
}

const proxyLoki = '/api/datasources/proxy/uid/logs/loki/api/v1';
const proxyProm = '/api/datasources/proxy/uid/prom/api/v1';

test('what the product needs', () => {
  for (const path of ['/api/health', '/api/org', '/api/frontend/settings', '/api/datasources']) {
    expect(allowed({ path }), path).toBe(true);
  }
  expect(allowed({ path: `${proxyLoki}/query_range`, datasource: LOKI })).toBe(true);
  expect(allowed({ path: `${proxyLoki}/label/app/values`, datasource: LOKI })).toBe(true);
  expect(allowed({ path: '/api/datasources/uid/logs/resources/labels', datasource: LOKI })).toBe(true);
  expect(allowed({ path: `${proxyProm}/query`, method: 'POST', form: {}, datasource: PROMETHEUS })).toBe(true);
  expect(allowed({ path: `${proxyProm}/label/U__http_2e_status/values`, datasource: PROMETHEUS })).toBe(true);
  expect(
    allowed({ path: '/api/datasources/proxy/uid/a%20b/api/v1/query', datasource: { ...PROMETHEUS, uid: 'a b' } }),
  ).toBe(true);
});

describe('everything else', () => {
  test.each([
    ['push', 'POST', `${proxyLoki}/push`],
    ['flush', 'POST', '/api/datasources/proxy/uid/logs/flush'],
    ['ingester shutdown', 'GET', '/api/datasources/proxy/uid/logs/ingester/shutdown'],
    ['config', 'GET', '/api/datasources/proxy/uid/logs/config'],
    ['delete', 'POST', `${proxyLoki}/delete`],
    ['rules', 'POST', `${proxyLoki}/rules/x`],
    ['tail', 'GET', `${proxyLoki}/tail`],
    ['metrics', 'GET', '/api/datasources/proxy/uid/logs/metrics'],
    ['POST where GET is enough', 'POST', `${proxyLoki}/labels`],
    ['POST on resources', 'POST', '/api/datasources/uid/logs/resources/labels'],
    ['another uid in the path', 'GET', '/api/datasources/proxy/uid/other/loki/api/v1/labels'],
    ['numeric id', 'GET', '/api/datasources/proxy/3/loki/api/v1/labels'],
    ['dots', 'GET', `${proxyLoki}/../../../push`],
    ['encoded dots', 'GET', '/api/datasources/proxy/uid/logs/%2e%2e/api/org'],
    ['encoded slash', 'GET', `${proxyLoki}/label/a%2f..%2f..%2fpush/values`],
    ['encoded twice', 'GET', `${proxyLoki}/label/%252e%252e/values`],
    ['backslash', 'GET', `${proxyLoki}/label/..\\..\\push/values`],
    ['empty segment', 'GET', `${proxyLoki}//labels`],
    ['slash at the end', 'GET', `${proxyLoki}/labels/`],
    ['query inside the path', 'GET', `${proxyLoki}/labels?x=/push`],
    ['fragment', 'GET', `${proxyLoki}/labels#`],
    ['null byte', 'GET', `${proxyLoki}/labels%00`],
    ['broken escape', 'GET', `${proxyLoki}/label/%zz/values`],
    ['upper case', 'GET', '/API/org'],
    ['absolute address', 'GET', 'https://evil.example.test/api/org'],
    ['host after slashes', 'GET', '//evil.example.test/api/org'],
    ['admin of Grafana', 'GET', '/api/admin/settings'],
    ['service accounts', 'POST', '/api/serviceaccounts'],
    ['one datasource', 'GET', '/api/datasources/uid/logs'],
    ['new datasource', 'POST', '/api/datasources'],
    ['dashboards', 'POST', '/api/dashboards/db'],
  ])('%s', (_what, method, path) => {
    expect(allowed({ method: method as 'GET', path, datasource: LOKI })).toBe(false);
  });

  test.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'TRACE', 'get', ''])('method %s on every path', (method) => {
    for (const { path, family } of ALLOWED) {
      const datasource = family === 'prometheus' ? PROMETHEUS : LOKI;
      const filled = `/${path.replace(':uid', datasource.uid).replace(':label', 'app')}`;
      expect(allowed({ method: method as 'GET', path: filled, datasource }), filled).toBe(false);
    }
  });

  test.each([
    ['admin', 'POST', `${proxyProm}/admin/tsdb/delete_series`],
    ['reload', 'POST', '/api/datasources/proxy/uid/prom/-/reload'],
    ['quit', 'POST', '/api/datasources/proxy/uid/prom/-/quit'],
    ['remote write', 'POST', `${proxyProm}/write`],
    ['remote read', 'POST', `${proxyProm}/read`],
    ['config', 'GET', `${proxyProm}/status/config`],
    ['rules', 'POST', '/api/datasources/proxy/uid/prom/rules'],
    ['a Loki path', 'GET', '/api/datasources/proxy/uid/prom/loki/api/v1/labels'],
  ])('Prometheus: %s', (_what, method, path) => {
    expect(allowed({ method: method as 'GET', path, datasource: PROMETHEUS })).toBe(false);
  });

  test('a path of one family with a datasource of another, or with none', () => {
    const path = '/api/datasources/proxy/uid/logs/api/v1/query';
    expect(allowed({ path, datasource: { ...PROMETHEUS, uid: 'logs' } })).toBe(true);
    for (const type of ['loki', 'mysql', 'elasticsearch', 'Prometheus', '']) {
      expect(allowed({ path, datasource: { ...LOKI, type } }), type).toBe(false);
    }
    expect(allowed({ path })).toBe(false);
  });

  // A uid comes from a list that somebody else writes.
  test.each(['.', '..', 'a/../b', 'a%2f..', 'a\\b', 'a\nb', ''])('a uid that leads elsewhere: %j', (uid) => {
    const path = `/api/datasources/proxy/uid/${encodeURIComponent(uid)}/loki/api/v1/labels`;
    expect(allowed({ path, datasource: { ...LOKI, uid } })).toBe(false);
  });

  test('ds/query may name only the datasource that was checked', () => {
    const ask = (uids: unknown[], datasource = LOKI) =>
      allowed({
        method: 'POST',
        path: '/api/ds/query',
        json: { queries: uids.map((uid) => ({ refId: 'A', datasource: { uid } })) },
        datasource,
      });
    expect(ask(['logs'])).toBe(true);
    expect(ask(['logs', 'secret-sql'])).toBe(false);
    expect(ask([undefined])).toBe(false);
    expect(ask(['logs'], { ...LOKI, type: 'mysql' })).toBe(false);
    expect(allowed({ method: 'POST', path: '/api/ds/query', datasource: LOKI })).toBe(false);
  });

  test('no label name leads out of its place', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        const path = `${proxyLoki}/label/${encodeURIComponent(name)}/values`;
        if (allowed({ path, datasource: LOKI })) {
          expect(new URL(path, 'http://h').pathname).toBe(path);
          expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_:]*$/);
        }
      }),
    );
  });
});
