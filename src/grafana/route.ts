import { GatewayError } from '../errors.ts';
import { encode } from './encode.ts';
import { familyOf } from './families.ts';
import type { Datasource, Upstream, UpstreamAnswer, UpstreamRequest } from './upstream.ts';

/** Proxies cut a request line at about 8 KB; above this many characters the fields go into a form. */
const LONG = 4000;

export interface DatasourceCall {
  /** Below the API's root, encoded: `query_range`, `label/app/values`. */
  path: string;
  fields: NonNullable<UpstreamRequest['query']>;
  /** The endpoint takes a form as well. */
  post?: boolean;
  /** The plugin serves this path on /resources too. */
  twin?: boolean;
  headers?: Record<string, string>;
  deadlineMs?: number;
}

/**
 * Calls Loki or Prometheus through Grafana: /proxy first, and where that is refused /resources. Some hosted Grafanas
 * serve only the one, some only the other. The way that worked is remembered per caller and datasource.
 */
export async function callDatasource(up: Upstream, ds: Datasource, call: DatasourceCall): Promise<UpstreamAnswer> {
  const key = `${ds.uid}|${call.twin ? 'twin' : 'proxy'}`;
  if (call.twin && up.routes?.get(key) === 'resources') return await viaResources(up, ds, call);
  try {
    return await viaProxy(up, ds, call);
  } catch (first) {
    if (!call.twin || !proxyRefused(first)) throw first;
    try {
      const answer = await viaResources(up, ds, call);
      up.routes?.set(key, 'resources');
      return answer;
    } catch (second) {
      // What the datasource says of the query counts; another refusal says no more than the first.
      throw second instanceof GatewayError && QUERY_FAULTS.has(second.code) ? second : first;
    }
  }
}

const QUERY_FAULTS: ReadonlySet<string> = new Set(['bad_query', 'datasource_limit', 'too_many_points', 'cancelled']);

async function viaProxy(up: Upstream, ds: Datasource, call: DatasourceCall): Promise<UpstreamAnswer> {
  const root = familyOf(ds.type) === 'loki' ? 'loki/api/v1' : 'api/v1';
  const common = {
    path: `/api/datasources/proxy/uid/${encodeURIComponent(ds.uid)}/${root}/${call.path}`,
    datasource: ds,
    ...(call.headers === undefined ? {} : { headers: call.headers }),
    ...(call.deadlineMs === undefined ? {} : { deadlineMs: call.deadlineMs }),
  };
  if (call.post && encode(call.fields).length > LONG) {
    try {
      return await up.request({ ...common, method: 'POST', form: call.fields });
    } catch (error) {
      // Some proxies and old servers take GET only.
      if (!(error instanceof GatewayError) || ![403, 405].includes(error.details.status ?? 0)) throw error;
    }
  }
  return await up.request({ ...common, query: call.fields });
}

/** The plugins forward GET here; a Prometheus datasource set to GET answers a POST with 500. */
async function viaResources(up: Upstream, ds: Datasource, call: DatasourceCall): Promise<UpstreamAnswer> {
  const root = familyOf(ds.type) === 'loki' ? '' : 'api/v1/';
  return await up.request({
    path: `/api/datasources/uid/${encodeURIComponent(ds.uid)}/resources/${root}${call.path}`,
    datasource: ds,
    query: call.fields,
    ...(call.headers === undefined ? {} : { headers: call.headers }),
    ...(call.deadlineMs === undefined ? {} : { deadlineMs: call.deadlineMs }),
  });
}

function proxyRefused(error: unknown): boolean {
  if (!(error instanceof GatewayError)) return false;
  const { code, details } = error;
  if (code === 'datasource_auth' && details.status === 400) return true;
  // A plain denial (a missing permission, named in the message) would be the same on the other path.
  if (code === 'no_datasource' || (code === 'grafana_forbidden' && details.upstreamText === undefined)) return false;
  return [403, 404, 405, 501].includes(details.status ?? 0);
}
