import { GatewayError } from '../errors.ts';
import { badAnswer, parseJson } from './envelope.ts';
import { readDatasource, siteSettings } from './site.ts';
import type { Datasource, Upstream } from './upstream.ts';

/** Everything that Grafana lets the caller see, without its built-ins, sorted by name, then uid. `limited`: from the settings. */
export async function loadList(up: Upstream): Promise<{ datasources: Datasource[]; limited: boolean }> {
  try {
    const list = parseJson(await up.request({ path: '/api/datasources' }), 'Grafana');
    if (!Array.isArray(list)) throw badAnswer('Grafana', 'the datasources are not a list');
    return { datasources: tidy(list.flatMap(readDatasource)), limited: false };
  } catch (error) {
    if (!(error instanceof GatewayError) || error.details.status !== 403) throw error;
    return { datasources: tidy(await limitedList(up)), limited: true };
  }
}

async function limitedList(up: Upstream): Promise<Datasource[]> {
  try {
    return (await siteSettings(up)).value.datasources;
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code === 'cancelled' || error.code === 'deadline') throw error;
    throw new GatewayError(
      'grafana_forbidden',
      'Grafana lists no datasources (403), neither by its API nor in its settings: the permission datasources:read is missing.',
      { status: 403 },
    );
  }
}

function tidy(list: Datasource[]): Datasource[] {
  return list
    .filter((ds) => !isBuiltIn(ds))
    .sort((a, b) => compare(a.name.toLowerCase(), b.name.toLowerCase()) || compare(a.uid, b.uid));
}

function isBuiltIn(ds: Datasource): boolean {
  return ['grafana', 'mixed', 'dashboard', '__expr__'].includes(ds.type) || /^-- .* --$|^__expr__$/.test(ds.name);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
