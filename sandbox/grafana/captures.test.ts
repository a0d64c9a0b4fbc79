import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { planIncident } from '../data/incident.ts';
import type { ApiAnswer, ApiRequest, LogStore, MetricStore } from '../data/store.ts';
import { figureInReadme } from '../figures.ts';
import { firstAnnotations } from './annotations.ts';
import type { GrafanaRequest } from './answer.ts';
import { grafanaApi } from './api.ts';
import { FLAVOURS } from './flavours.ts';
import { makeToken, serviceAccounts } from './tokens.ts';
import type { World } from './world.ts';

interface Case {
  id: string;
  group: string;
  request: { method: string; path: string; as: string; body?: unknown; raw?: string; headers?: Record<string, string> };
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

const file = new URL('../../test/fixtures/captures/grafana/cases.jsonl', import.meta.url);
const cases: Case[] = readFileSync(file, 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line));

/** What the sandbox does not answer as recorded, by reason. */
const LEFT_OUT: Record<string, readonly string[]> = {
  'the table format of Prometheus': ids(95),
  'TestData is no part of the shop': ids(65, 66, 112, 113, 114, 116, 117, 118, 119),
  'server-side expressions': ids(120, 121),
  'provisioning, rulers, history, folders and versions of dashboards': ids(
    55,
    56,
    185,
    186,
    187,
    189,
    190,
    201,
    203,
    211,
  ),
  'rendering, plugins and short links': ids(222, 223, 225, 226),
  'a second dashboard': ids(180),
  'Alertmanager beyond its list of alerts': ids(206, 208, 209, 220),
  'rules of a datasource, which Grafana writes anew and the sandbox passes on': ids(195, 197),
};

const covered = cases.filter((c) => !Object.values(LEFT_OUT).flat().includes(c.id));

describe('answers recorded from Grafana 10.1', () => {
  test('most are covered', () => {
    const figure = `${covered.length} of ${cases.length} covered, each of the same status and shape`;
    expect(figureInReadme('Grafana 10.1', figure)).toBe(figure);
  });

  test.each(covered.map((c) => [`${c.id} ${c.request.as} ${c.request.method} ${c.request.path}`, c] as const))(
    '%s',
    (_, recorded) => {
      const answer = grafanaApi(world(), requestOf(recorded));
      const names = ['Via', 'Content-Security-Policy', 'Location'];
      expect({
        status: answer.status,
        contentType: answer.contentType || undefined,
        headers: Object.fromEntries(names.map((name) => [name, answer.headers?.[name]])),
      }).toEqual({
        status: recorded.status,
        contentType: recorded.headers['Content-Type'],
        headers: Object.fromEntries(names.map((name) => [name, recorded.headers[name]])),
      });
      const body = bodyOf(answer.body);
      if (recorded.status >= 400) expect(withoutIds(body)).toEqual(withoutIds(recorded.body));
      else expect(shapeDifferences(recorded.body, body, '')).toEqual([]);
    },
  );
});

function ids(...numbers: number[]): string[] {
  return numbers.map((n) => `grafana-${String(n).padStart(3, '0')}`);
}

const NOW = 1_796_099_955_132;
const accounts = serviceAccounts(1);

function world(): World {
  const incident = planIncident(1, NOW);
  const none: LogStore & MetricStore = {
    streams: () => [],
    select: () => [],
    series: () => [],
    metadata: () => new Map(),
    exemplars: () => [],
  };
  return {
    incident,
    accounts: Object.values(accounts),
    logs: none,
    edgeLogs: none,
    metrics: none,
    loki: (_, request) => replay('loki-demo', request),
    prometheus: (_, request) => replay('prometheus-demo', request),
    appUrl: 'http://127.0.0.1:3000/',
    subPath: '',
    annotations: firstAnnotations(incident),
    flavour: FLAVOURS['10.1'],
  };
}

function requestOf({ request }: Case): GrafanaRequest {
  const [path = '', query = ''] = request.path.split('?');
  const tokens: Record<string, string> = {
    viewer: accounts.viewer.token,
    editor: accounts.editor.token,
    admin: accounts.admin.token,
    bad: makeToken(1, 'nobody has this one'),
    garbage: 'garbage',
  };
  const token = tokens[request.as];
  const headers = Object.entries({ ...request.headers, ...(token && { Authorization: `Bearer ${token}` }) });
  return {
    method: request.method,
    path,
    query: new URLSearchParams(query),
    headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
    body: request.raw ?? (request.body === undefined ? '' : JSON.stringify(request.body)),
    now: NOW,
  };
}

/** The engines have captures of their own. Here the servers behind answer what was recorded through the proxy. */
function replay(uid: string, request: ApiRequest): ApiAnswer {
  const expr = request.params.get('query') ?? '';
  const through = cases.find(
    (c) =>
      [`/api/datasources/proxy/uid/${uid}`, `/api/datasources/uid/${uid}/resources`].some((prefix) => {
        const [path = '', query = ''] = c.request.path.split('?');
        const short = request.path.replace('/loki/api/v1', '');
        if (path !== prefix + request.path && path !== prefix + short) return false;
        const asked = new URLSearchParams(query || (c.request.raw ?? ''));
        return (
          (asked.get('query') ?? '') === expr &&
          ((asked.get('step') ?? '') !== '0') === (request.params.get('step') !== '0')
        );
      }) && ![401, 403].includes(c.status),
  );
  if (through && through.status !== 500) {
    const body = typeof through.body === 'string' ? through.body : JSON.stringify(through.body);
    return { status: through.status, contentType: through.headers['Content-Type'] ?? '', body };
  }
  const error = errorOf(expr, request);
  if (error) return { status: 400, contentType: 'text/plain; charset=utf-8', body: error };
  return { status: 200, contentType: 'application/json', body: fromFrames(expr, request) };
}

/** The text of a server's refusal, from a recorded /api/ds/query of the same expression and kind. */
function errorOf(expr: string, request: ApiRequest): string | undefined {
  const kind = request.path.endsWith('query_range') ? 'range' : 'instant';
  for (const c of cases) {
    const { queries } = (c.request.body ?? {}) as { queries?: { expr?: string; queryType?: string }[] };
    if (!Array.isArray(queries) || queries[0]?.expr !== expr || queries[0].queryType !== kind) continue;
    const { results } = c.body as { results?: { A?: { error?: string } } };
    if (results?.A?.error) return results.A.error;
  }
  return undefined;
}

/** What the server must have answered, read back from the recorded frames of /api/ds/query. */
function fromFrames(expr: string, request: ApiRequest): string {
  const group = expr === '{app=' || expr === '{}' ? [] : framesOf(expr, request.path.endsWith('query_range'));
  const logs = group[0]?.schema.fields.some((f) => f.name === 'Line');
  if (logs || /^\{[^}]*\}( \| json)?$/.test(expr)) {
    const [labels = [], , lines = [], ns = []] = group[0]?.data.values ?? [];
    const result = ns.map((time, i) => ({ stream: labels[i], values: [[time, lines[i]]] }));
    return JSON.stringify({ status: 'success', data: { resultType: 'streams', result } });
  }
  const range = request.path.endsWith('query_range');
  const scalar = group[0]?.schema.meta?.custom?.resultType === 'scalar';
  const result = group.map(({ schema, data }) => {
    const [times = [], values = []] = data.values;
    const points = times.map((t, i) => [Number(t) / 1000, String(values[i])]);
    return range
      ? { metric: schema.fields[1]?.labels, values: points }
      : { metric: schema.fields[1]?.labels, value: points[0] };
  });
  const data = scalar
    ? { resultType: 'scalar', result: result[0] && 'value' in result[0] ? result[0].value : [] }
    : { resultType: range ? 'matrix' : 'vector', result };
  return JSON.stringify({ status: 'success', data });
}

interface RecordedFrame {
  schema: {
    fields: { name: string; labels?: unknown }[];
    meta?: { custom?: { resultType?: string }; executedQueryString?: string };
  };
  data: { values: unknown[][] };
}
function framesOf(expr: string, range: boolean): RecordedFrame[] {
  for (const c of cases) {
    if (c.group !== 'ds-query' || !isObject(c.body) || !isObject(c.body.results)) continue;
    for (const result of Object.values(c.body.results)) {
      const frames: RecordedFrame[] = (result as { frames?: RecordedFrame[] }).frames ?? [];
      const executed = frames[0]?.schema.meta?.executedQueryString ?? '';
      const ranged = frames[0]?.schema.meta?.custom?.resultType !== 'vector';
      if (
        executed.split('\n')[0] === `Expr: ${expr}` &&
        ranged === (range || ranged) &&
        frames[0]?.schema.fields.length
      )
        return frames;
    }
  }
  return [];
}

/** Maps whose keys are data, not shape. */
const FREE =
  /^\[\d+\]\.data$|\.(labels|annotations|jsonData|totals|totalsFiltered|data\.values|permissions|info|dashboard)$/;

/** Where the answer's shape departs from the recorded one: other types, missing keys, keys of our own. */
function shapeDifferences(recorded: unknown, ours: unknown, path: string): string[] {
  if (recorded === null || ours === null || FREE.test(path)) return [];
  if (Array.isArray(recorded)) {
    if (!Array.isArray(ours)) return [`${path}: not an array`];
    if (recorded.length === 0) return [];
    if (ours.length === 0) return [`${path}: empty`];
    // Every element of ours is like some recorded one.
    return ours.slice(0, 20).flatMap((own, i) => {
      const tries = recorded.map((r) => shapeDifferences(r, own, `${path}[${i}]`));
      return tries.reduce((best, next) => (next.length < best.length ? next : best));
    });
  }
  if (!isObject(recorded))
    return typeof recorded === typeof ours ? [] : [`${path}: ${typeof ours}, not ${typeof recorded}`];
  if (!isObject(ours)) return [`${path}: not an object`];
  const missing = Object.keys(recorded).filter((key) => !(key in ours) && !/Actions$/.test(key));
  const extra = Object.keys(ours).filter((key) => !(key in recorded));
  return [
    ...missing.map((key) => `${path}.${key}: missing`),
    ...extra.map((key) => `${path}.${key}: not recorded`),
    ...Object.keys(recorded)
      .filter((key) => key in ours)
      .flatMap((key) => shapeDifferences(recorded[key], ours[key], `${path}.${key}`)),
  ];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
function bodyOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
/** Each denial has a random id; addresses of queries differ. */
function withoutIds(body: unknown): unknown {
  return isObject(body) && 'accessErrorId' in body ? { ...body, accessErrorId: 'ACE' } : body;
}
