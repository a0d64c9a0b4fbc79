import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { withoutAddresses } from './facts.ts';
import { answerFault, isAnswer } from './faults.ts';
import type { RawAnswer } from './send.ts';
import { LOKI, PROMETHEUS } from './testing/callers.ts';
import type { UpstreamRequest } from './upstream.ts';

const BASE = 'https://grafana.example.test/sub';
const PROXY: UpstreamRequest = { path: '/api/datasources/proxy/uid/logs/loki/api/v1/query_range', datasource: LOKI };
const PROM: UpstreamRequest = { path: '/api/datasources/proxy/uid/prom/api/v1/query', datasource: PROMETHEUS };
const RESOURCES: UpstreamRequest = { path: '/api/datasources/uid/logs/resources/labels', datasource: LOKI };
const OWN: UpstreamRequest = { path: '/api/datasources' };

function fault(request: UpstreamRequest, raw: Partial<RawAnswer> & { status: number }, tries = 1) {
  return answerFault({ contentType: '', text: '', viaGrafana: false, ...raw }, request, { tries, baseUrl: BASE });
}

const grafanaJson = (status: number, body: object) => ({
  status,
  contentType: 'application/json',
  text: JSON.stringify(body),
});
const fromDatasource = (status: number, text: string) => ({ status, text, viaGrafana: true });

test.each([
  // What Grafana says of the credential: by messageId, and by the words of older versions.
  [OWN, grafanaJson(401, { message: 'Unauthorized' }), 'grafana_refused', 'Grafana refused the credential (401).'],
  [
    OWN,
    grafanaJson(401, { message: 'Invalid API key', messageId: 'api-key.invalid' }),
    'grafana_refused',
    'Grafana refused the credential (401): it does not know the token.',
  ],
  [
    OWN,
    grafanaJson(401, { message: 'whatever', messageId: 'api-key.expired' }),
    'grafana_refused',
    'Grafana refused the credential (401): the token has expired.',
  ],
  [
    OWN,
    grafanaJson(401, { message: 'Revoked token' }),
    'grafana_refused',
    'Grafana refused the credential (401): the token was revoked.',
  ],
  [
    OWN,
    grafanaJson(401, { message: 'x', messageId: 'api-key.organization-mismatch' }),
    'grafana_refused',
    'Grafana refused the credential (401): the token belongs to another organisation than the one asked for.',
  ],
  [
    PROXY,
    grafanaJson(401, { message: 'Invalid API key', messageId: 'api-key.invalid' }),
    'grafana_refused',
    'Grafana refused the credential (401): it does not know the token.',
  ],
  [
    RESOURCES,
    grafanaJson(401, { message: 'Unauthorized', messageId: 'auth.unauthorized' }),
    'grafana_refused',
    'Grafana refused the credential (401).',
  ],
  // On /resources a 401 without messageId is the datasource's own.
  [RESOURCES, grafanaJson(401, { message: 'no org id' }), 'datasource_auth', 'Loki wants a tenant and got none (401).'],
  [
    RESOURCES,
    grafanaJson(401, { message: 'bad password' }),
    'datasource_auth',
    `Grafana reached the datasource "Logs" (logs), which refused Grafana's credential (401).`,
  ],
  [
    OWN,
    grafanaJson(403, {
      accessErrorId: 'ACE1',
      message: "You'll need additional permissions to perform this action. Permissions needed: datasources:read",
    }),
    'grafana_forbidden',
    'Grafana denies this (403): the permission datasources:read is missing.',
  ],
  [
    PROXY,
    grafanaJson(403, { message: 'Access denied to datasource', traceID: '' }),
    'grafana_forbidden',
    'Grafana denies access to the datasource "Logs" (logs) (403): the permission datasources:query is missing for it.',
  ],
  [OWN, grafanaJson(403, { message: 'Permission denied' }), 'grafana_forbidden', 'Grafana denies this (403).'],
  [
    OWN,
    grafanaJson(500, { message: 'Failed to query datasources' }),
    'grafana_error',
    'Grafana answered with an error (500).',
  ],
  [OWN, grafanaJson(404, { message: 'Not found' }), 'grafana_error', 'Grafana answered with an error (404).'],
  [
    OWN,
    { status: 404, text: '404 page not found' },
    'not_grafana',
    "The answer (404, not JSON) does not look like Grafana's: a proxy in front answered, or the sub-path is wrong.",
  ],
  [
    OWN,
    { status: 503, text: 'upstream connect error' },
    'grafana_unreachable',
    'A proxy in front of Grafana answered 503: it does not reach Grafana.',
  ],
  [
    OWN,
    { status: 401, contentType: 'text/html', text: '<html>401</html>' },
    'not_grafana',
    "The answer (401, HTML) does not look like Grafana's: a proxy or a login page in front answered.",
  ],
  [
    OWN,
    { status: 301, location: 'https://grafana.example.test/sub/' },
    'not_grafana',
    'The call was redirected (301) to https://grafana.example.test itself; no redirect is followed.',
  ],
  [
    OWN,
    { status: 302, location: '/login' },
    'not_grafana',
    'The call was redirected (302) to https://grafana.example.test itself; no redirect is followed.',
  ],
  [
    OWN,
    { status: 429, text: '', retryAfter: '7' },
    'rate_limited',
    'Grafana, or a proxy in front of it, has too many requests (429); it asks to wait 7 s.',
  ],
  [
    OWN,
    { status: 429, text: '', rateLimit: '100;w=60' },
    'rate_limited',
    'Grafana, or a proxy in front of it, has too many requests (429). Its limit: 100;w=60.',
  ],
  [
    PROXY,
    { status: 400, text: 'Authentication to data source failed' },
    'datasource_auth',
    `Grafana reached the datasource "Logs" (logs), which refused Grafana's credential (400).`,
  ],
  [
    PROXY,
    grafanaJson(404, { message: 'Unable to find datasource', traceID: '' }),
    'no_datasource',
    'Grafana does not know the datasource "Logs" (logs) (404).',
  ],
  // A log line that an error quotes must not be taken for the error.
  [
    PROXY,
    fromDatasource(400, `pipeline error: 'JSONParserErr' for series: '{msg="no org id, rate limit exceeded"}'`),
    'bad_query',
    'Loki cannot read this query (400).',
  ],
  [
    PROXY,
    fromDatasource(500, 'rpc error: said "no org id"'),
    'datasource_error',
    'The datasource "Logs" (logs) answered with an error (500).',
  ],
  [
    PROXY,
    grafanaJson(400, { message: 'UID is invalid' }),
    'grafana_error',
    'Grafana could not pass the call on to the datasource "Logs" (logs) (400).',
  ],
  [
    PROXY,
    fromDatasource(404, '404 page not found\n'),
    'datasource_error',
    'The datasource "Logs" (logs) does not have this endpoint (404).',
  ],
  [
    PROXY,
    fromDatasource(504, 'request timed out, decrease the duration of the request or add more label matchers'),
    'datasource_limit',
    'Loki ended the query because it took too long (504).',
  ],
  [
    PROXY,
    fromDatasource(400, 'the query time range exceeds the limit (query length: 175h0m0s, limit: 7d)'),
    'datasource_limit',
    'The query exceeds a limit of Loki (400).',
  ],
  [
    PROXY,
    fromDatasource(400, 'parse error at line 1, col 6: literal not terminated'),
    'bad_query',
    'Loki cannot read this query (400).',
  ],
  [
    PROXY,
    { status: 502, contentType: 'text/html', text: '<html>', viaGrafana: true },
    'datasource_unreachable',
    'Something in front of the datasource "Logs" (logs) answered with a page of HTML (502).',
  ],
  [
    RESOURCES,
    grafanaJson(500, { message: 'Failed to call resource', traceID: '' }),
    'datasource_error',
    'The datasource "Logs" (logs) answered with an error (500).',
  ],
  [
    RESOURCES,
    grafanaJson(400, { message: 'parse error : syntax error: unexpected $end' }),
    'bad_query',
    'Loki cannot read this query (400).',
  ],
  [
    PROM,
    {
      ...grafanaJson(422, { status: 'error', errorType: 'execution', error: 'multiple matches for labels' }),
      viaGrafana: true,
    },
    'bad_query',
    'Prometheus cannot evaluate this query (422).',
  ],
  [
    PROM,
    {
      ...grafanaJson(422, {
        status: 'error',
        errorType: 'execution',
        error: 'query processing would load too many samples into memory in query execution',
      }),
      viaGrafana: true,
    },
    'datasource_limit',
    'The query exceeds a limit of Prometheus (422).',
  ],
  [
    PROM,
    {
      ...grafanaJson(400, {
        status: 'error',
        errorType: 'bad_data',
        error: 'exceeded maximum resolution of 11,000 points per timeseries. Try …',
      }),
      viaGrafana: true,
    },
    'too_many_points',
    'Prometheus gives at most 11,000 points a series (400): the step is too small.',
  ],
  [
    PROM,
    { status: 503, text: 'Service Unavailable', viaGrafana: true },
    'datasource_unreachable',
    'The datasource "Prom" (prom) is not ready (503).',
  ],
] as const)('%j → %s', (request, raw, code, message) => {
  const error = fault(request, raw);
  expect([error.code, error.message, error.details.status]).toEqual([code, message, raw.status]);
});

test('a multi-tenant Loki without a tenant is not the caller’s fault, and the remedy says what to set', () => {
  for (const error of [
    fault(PROXY, { status: 400, text: 'Authentication to data source failed' }),
    fault(PROXY, fromDatasource(401, 'no org id\n')),
  ]) {
    expect([error.code, error.fault]).toEqual(['datasource_auth', 'datasource']);
    expect(error.remedy).toMatch(/add the header X-Scope-OrgID to the datasource in Grafana/);
  }
});

test('what upstream said is bounded, whole for explaining, and without addresses for showing', () => {
  const text = `rpc error: Get "http://10.1.2.3:3100/x?token=fake": dial tcp 10.1.2.3:3100: connect: connection refused ${'😀'.repeat(2000)}`;
  const { details } = fault(PROXY, fromDatasource(500, text));
  expect(details.upstreamText?.length).toBeLessThanOrEqual(1025);
  expect(details.upstreamText).toMatch(/^rpc error: Get "http:\/\/10\.1\.2\.3/);
  expect(details.upstreamText).not.toMatch(/[\uD800-\uDBFF]…$/);
  expect(details.said?.[0]).toMatch(
    /^rpc error: Get "\[address\]": dial tcp \[address\]: connect: connection refused /,
  );
  // In a parse error the address is the caller's own words.
  expect(fault(PROXY, fromDatasource(400, 'parse error: http://x:1/')).details.said).toEqual([
    'parse error: http://x:1/',
  ]);
});

test.each([
  ['dial tcp: lookup loki.internal on 10.0.0.10:53: no such host', 'dial tcp: lookup [address]: no such host'],
  [
    'read tcp 10.0.0.1:4711->10.0.0.2:3100: read: connection reset by peer',
    'read tcp [address]: read: connection reset by peer',
  ],
  [
    'Post "http://127.0.0.1:9999/api/v1/query": dial tcp 127.0.0.1:9999: connect: connection refused',
    'Post "[address]": dial tcp [address]: connect: connection refused',
  ],
  ['dial tcp [::1]:3100: connect: connection refused', 'dial tcp [address]: connect: connection refused'],
  ['unexpected end of input at 12:34: nothing', 'unexpected end of input at 12:34: nothing'],
])('%s', (text, shown) => {
  expect(withoutAddresses(text)).toBe(shown);
});

describe('recorded answers', () => {
  const captured = z.object({
    id: z.string(),
    request: z.object({ method: z.string(), path: z.string(), as: z.string() }),
    status: z.number(),
    headers: z.record(z.string(), z.string()).default({}),
    body: z.unknown(),
  });
  const cases = readFileSync(new URL('../../test/fixtures/captures/grafana/cases.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => captured.parse(JSON.parse(line)))
    .filter((c) => !c.request.path.startsWith('/api/ds/query'));

  function read(c: (typeof cases)[number]): { raw: RawAnswer; request: UpstreamRequest } {
    const uid = /\/uid\/([\w-]+)/.exec(c.request.path)?.[1];
    const text = typeof c.body === 'string' ? c.body : JSON.stringify(c.body ?? '');
    return {
      raw: {
        status: c.status,
        contentType: c.headers['Content-Type'] ?? '',
        text,
        viaGrafana: c.headers.Via !== undefined,
        ...(c.headers.Location === undefined ? {} : { location: c.headers.Location }),
      },
      request: {
        path: c.request.path,
        ...(uid === undefined ? {} : { datasource: { ...(uid.startsWith('prom') ? PROMETHEUS : LOKI), uid } }),
      },
    };
  }

  test('every good one is an answer', () => {
    const good = cases.filter((c) => c.status >= 200 && c.status < 300);
    expect(good.length).toBeGreaterThan(50);
    expect(good.filter((c) => !isAnswer(read(c).raw, read(c).request)).map((c) => c.id)).toEqual([]);
  });

  test.each([
    { folder: 'loki', request: PROXY },
    { folder: 'prometheus', request: PROM },
  ])('every error of $folder itself', ({ folder, request }) => {
    const file = new URL(`../../test/fixtures/captures/${folder}/cases.jsonl`, import.meta.url);
    const one = z.object({ status: z.number(), contentType: z.string(), body: z.unknown() });
    const told: Record<string, string[]> = {};
    for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
      const c = one.parse(JSON.parse(line));
      if (c.status === 200) continue;
      const text = typeof c.body === 'string' ? c.body : JSON.stringify(c.body);
      const error = fault(request, { status: c.status, contentType: c.contentType, text, viaGrafana: true });
      const said = (error.details.upstreamText ?? '')
        .replace(/^(invalid parameter "\w+": )?\d+:\d+: /, '')
        .slice(0, 30);
      told[error.code] = [...new Set([...(told[error.code] ?? []), said])].sort();
    }
    expect(told).toMatchSnapshot();
  });

  test('every bad one becomes the error of the right hop', () => {
    const told: Record<string, string> = {};
    for (const c of cases.filter((one) => one.status >= 300)) {
      const { raw, request } = read(c);
      const error = answerFault(raw, request, { tries: 1, baseUrl: BASE });
      const said = typeof c.body === 'object' && c.body !== null && 'message' in c.body ? c.body.message : c.body;
      told[`${c.status} ${String(said).replace(/\s+/g, ' ').slice(0, 60)}`] ??= `${error.fault}: ${error.code}`;
    }
    expect(told).toMatchInlineSnapshot(`
      {
        "301 ": "grafana: not_grafana",
        "302 <a href="/login">Found</a>. ": "grafana: not_grafana",
        "400 UID is invalid": "grafana: grafana_error",
        "400 [object Object]": "caller: bad_query",
        "400 id is invalid": "grafana: grafana_error",
        "400 parse error : queries require at least one regexp or equalit": "caller: bad_query",
        "400 parse error at line 1, col 6: syntax error: unexpected $end,": "caller: bad_query",
        "401 Invalid API key": "grafana: grafana_refused",
        "401 Unauthorized": "grafana: grafana_refused",
        "403 Access denied to this dashboard": "grafana: grafana_forbidden",
        "403 You'll need additional permissions to perform this action. P": "grafana: grafana_forbidden",
        "403 non allow-listed DELETEs not allowed on proxied Prometheus d": "grafana: grafana_forbidden",
        "403 plugin proxy route access denied": "grafana: grafana_forbidden",
        "404 404 page not found ": "datasource: datasource_error",
        "404 Dashboard not found": "grafana: grafana_error",
        "404 Data source not found": "grafana: grafana_error",
        "404 Not found": "grafana: grafana_error",
        "404 user not found": "grafana: grafana_error",
        "500 Failed to call resource": "datasource: datasource_error",
        "500 Unable to load datasource metadata": "grafana: grafana_error",
        "502 [object Object]": "grafana: grafana_error",
        "503 Plugin unavailable": "grafana: grafana_error",
      }
    `);
  });
});
