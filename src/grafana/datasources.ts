import { GatewayError } from '../errors.ts';
import { loadList } from './datasource-list.ts';
import { type Family, familyOf } from './families.ts';
import { type Health, loadHealth } from './health.ts';
import type { Datasource, Upstream } from './upstream.ts';

export { type Family, LOKI_TYPES, PROMETHEUS_TYPES } from './families.ts';

/** How many candidates a message names. */
const SHOWN = 10;

const TITLE: Record<Family, string> = { loki: 'Loki', prometheus: 'Prometheus' };
const TOOL: Record<Family, string> = { loki: 'query_loki_logs', prometheus: 'query_prometheus' };

export interface DatasourceList {
  datasources: Datasource[];
  /** Read from the frontend settings, since the caller lacks `datasources:read`: without addresses. */
  limited: boolean;
  ageMs: number;
}

/** What the caller may use, without Grafana's built-ins, sorted by name, then uid. */
export async function listDatasources(up: Upstream): Promise<DatasourceList> {
  const { value, ageMs } = await up.cached('datasources', 'list', loadList);
  // The lists of the operator and of the caller narrow what was cached, not what is cached.
  const datasources = value.datasources.filter((ds) => up.datasourceAllowed?.(ds.uid) ?? true);
  return { datasources, limited: value.limited, ageMs };
}

/** Advisory only: no query waits for it. `unknown` when the plugin has no health check. */
export async function datasourceHealth(up: Upstream, ds: Datasource): Promise<Health & { ageMs: number }> {
  const { value, ageMs } = await up.cached('health', ds.uid, (shared) => loadHealth(shared, ds));
  return { ...value, ageMs };
}

/**
 * By uid, then exact name, then a name that is unique without regard to case. Without `ref`: the only one of the family,
 * else the default one. Throws no_datasource, ambiguous_datasource or wrong_datasource_type (which names the right tool).
 */
export async function resolveDatasource(up: Upstream, ref: string | undefined, family?: Family): Promise<Datasource> {
  const { datasources } = await listDatasources(up);
  if (ref === undefined) return preferred(datasources, family);
  const wanted = ref.trim();
  if (wanted === '') throw new GatewayError('no_datasource', 'The datasource is empty.');
  const found = find(datasources, wanted, family);
  if (family !== undefined && familyOf(found.type) !== family) throw wrongType(found, family);
  return found;
}

function preferred(datasources: Datasource[], family: Family | undefined): Datasource {
  const fitting = family === undefined ? datasources : datasources.filter((ds) => familyOf(ds.type) === family);
  const [first, second] = fitting;
  const kind = family === undefined ? 'datasource' : `${TITLE[family]} datasource`;
  if (first === undefined) {
    throw new GatewayError('no_datasource', `There is no ${kind}, or none that this caller may use.`, {
      remedy: 'Call list_datasources to see what there is.',
    });
  }
  if (second === undefined) return first;
  const standard = fitting.find((ds) => ds.isDefault);
  if (standard !== undefined) return standard;
  throw new GatewayError('ambiguous_datasource', `There is more than one ${kind}: ${candidates(fitting)}.`);
}

function find(datasources: Datasource[], wanted: string, family: Family | undefined): Datasource {
  const byUid = datasources.find((ds) => ds.uid === wanted);
  if (byUid !== undefined) return byUid;
  const fold = wanted.toLowerCase();
  for (const fits of [(ds: Datasource) => ds.name === wanted, (ds: Datasource) => ds.name.toLowerCase() === fold]) {
    const all = datasources.filter(fits);
    // Two of one name may be of two families; the tool's own comes first.
    const own = all.filter((ds) => familyOf(ds.type) === family);
    const matching = family !== undefined && own.length > 0 ? own : all;
    if (matching.length > 1) {
      throw new GatewayError(
        'ambiguous_datasource',
        `More than one datasource is called "${short(wanted)}": ${candidates(matching)}.`,
      );
    }
    if (matching[0] !== undefined) return matching[0];
  }
  const offered = family === undefined ? datasources : datasources.filter((ds) => familyOf(ds.type) === family);
  const hint = offered.length === 0 ? '' : ` There are: ${candidates(offered)}.`;
  throw new GatewayError('no_datasource', `No datasource has the uid or the name "${short(wanted)}".${hint}`);
}

function wrongType(ds: Datasource, family: Family): GatewayError {
  const actual = familyOf(ds.type);
  const tool = actual === undefined ? '' : `; use ${TOOL[actual]}`;
  return new GatewayError(
    'wrong_datasource_type',
    `The datasource "${short(ds.name)}" (${ds.uid}) is of type ${ds.type}, not ${TITLE[family]}${tool}.`,
    actual === undefined ? { remedy: `Pass a ${TITLE[family]} datasource; list_datasources shows them.` } : {},
  );
}

function candidates(list: Datasource[]): string {
  const named = list.slice(0, SHOWN).map((ds) => `${ds.uid} ("${short(ds.name)}", ${ds.type})`);
  return named.join(', ') + (list.length > SHOWN ? ` and ${list.length - SHOWN} more` : '');
}

function short(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100).replace(/[\uD800-\uDBFF]$/, '')}…` : text;
}
