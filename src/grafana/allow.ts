import { GatewayError } from '../errors.ts';
import { type Family, familyOf } from './families.ts';
import type { UpstreamRequest } from './upstream.ts';

interface AllowedPath {
  methods: readonly ('GET' | 'POST')[];
  /** Segments; `:uid` must be the uid of the request's datasource, `:label` a label name. */
  path: string;
  /** The datasource must be of this family; absent: the request concerns no datasource, or any. */
  family?: Family;
}

const GET = ['GET'] as const;
const READ = ['GET', 'POST'] as const;

const OWN: AllowedPath[] = [
  { methods: GET, path: 'api/health' },
  { methods: GET, path: 'api/org' },
  { methods: GET, path: 'api/access-control/user/permissions' },
  { methods: GET, path: 'api/frontend/settings' },
  { methods: GET, path: 'api/datasources' },
  { methods: GET, path: 'api/datasources/uid/:uid/health' },
];

// Below the root of the datasource's own API. Only queries and metadata: Grafana's proxy lets every method and path of
// Loki through, so that what is not here (push, delete, flush, config, admin) is stopped by nobody else.
const LOKI: [readonly ('GET' | 'POST')[], string][] = [
  [READ, 'query_range'],
  [READ, 'query'],
  [GET, 'labels'],
  [GET, 'label/:label/values'],
  [READ, 'series'],
  [READ, 'index/stats'],
  [READ, 'index/volume'],
  [GET, 'patterns'],
];
const PROMETHEUS: [readonly ('GET' | 'POST')[], string][] = [
  [READ, 'query'],
  [READ, 'query_range'],
  [READ, 'query_exemplars'],
  [READ, 'series'],
  [READ, 'labels'],
  [GET, 'label/:label/values'],
  [GET, 'metadata'],
];

/** Every path of Grafana that the gateway calls. What is not here cannot be called. */
export const ALLOWED: readonly AllowedPath[] = [
  ...OWN,
  ...LOKI.flatMap(([methods, path]): AllowedPath[] => [
    { methods, path: `api/datasources/proxy/uid/:uid/loki/api/v1/${path}`, family: 'loki' },
    { methods: GET, path: `api/datasources/uid/:uid/resources/${path}`, family: 'loki' },
  ]),
  ...PROMETHEUS.flatMap(([methods, path]): AllowedPath[] => [
    { methods, path: `api/datasources/proxy/uid/:uid/api/v1/${path}`, family: 'prometheus' },
    { methods: GET, path: `api/datasources/uid/:uid/resources/api/v1/${path}`, family: 'prometheus' },
  ]),
  { methods: ['POST'], path: 'api/ds/query', family: 'loki' },
  { methods: ['POST'], path: 'api/ds/query', family: 'prometheus' },
];

/** Throws `path_not_allowed` unless the table has the request's method, path and type of datasource. */
export function checkAllowed(request: UpstreamRequest): void {
  const method = request.method ?? 'GET';
  const segments = readSegments(request.path);
  const allowed =
    segments !== undefined &&
    ALLOWED.some(
      (rule) =>
        rule.methods.some((m) => m === method) && typeFits(rule, request) && pathFits(rule.path, segments, request),
    ) &&
    bodyFits(request);
  // The path is not repeated in the message: it may carry what a caller typed.
  if (!allowed) throw new GatewayError('path_not_allowed', 'The gateway does not make this call to Grafana.');
}

/** Decoded segments, or undefined when the path could mean something else to the next hop. */
function readSegments(path: string): string[] | undefined {
  if (!path.startsWith('/') || /[?#\\\s]/.test(path)) return undefined;
  const segments: string[] = [];
  for (const raw of path.slice(1).split('/')) {
    let segment: string;
    try {
      segment = decodeURIComponent(raw);
    } catch {
      return undefined;
    }
    // A segment that still holds a separator or an escape after one decoding is an attempt to decode it twice.
    if (segment === '' || segment === '.' || segment === '..' || /[/\\%\x00-\x1f\x7f]/.test(segment)) return undefined;
    segments.push(segment);
  }
  return segments;
}

function typeFits(rule: AllowedPath, request: UpstreamRequest): boolean {
  if (rule.family === undefined) return true;
  return request.datasource !== undefined && familyOf(request.datasource.type) === rule.family;
}

function pathFits(pattern: string, segments: string[], request: UpstreamRequest): boolean {
  const wanted = pattern.split('/');
  return (
    wanted.length === segments.length &&
    wanted.every((want, i) => {
      const got = segments[i] ?? '';
      if (want === ':uid') return got === request.datasource?.uid;
      if (want === ':label') return /^[A-Za-z_][A-Za-z0-9_:]*$/.test(got);
      return want === got;
    })
  );
}

/** A body for ds/query may name only the datasource that was checked. */
function bodyFits(request: UpstreamRequest): boolean {
  if (request.path !== '/api/ds/query') return request.json === undefined;
  const body = request.json;
  if (typeof body !== 'object' || body === null || !('queries' in body) || !Array.isArray(body.queries)) return false;
  return body.queries.every((query: unknown) => {
    if (typeof query !== 'object' || query === null || !('datasource' in query)) return false;
    const ds = query.datasource;
    return typeof ds === 'object' && ds !== null && 'uid' in ds && ds.uid === request.datasource?.uid;
  });
}
