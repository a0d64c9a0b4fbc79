import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
} from '@modelcontextprotocol/sdk/types.js';
import { maskJson } from '../answer/mask-json.ts';
import { decodePage, encodePage } from '../answer/page.ts';
import { GatewayError } from '../errors.ts';
import { listDatasources } from '../grafana/datasources.ts';
import type { Datasource } from '../grafana/upstream.ts';
import type { ToolContext } from '../mcp/define.ts';
import { RpcFault } from '../mcp/surface.ts';
import { part } from './body.ts';
import { readDatasource } from './datasource.ts';
import { readOverview } from './overview.ts';
import { DATASOURCE_TEMPLATE, datasourceUri, OVERVIEW, parseUri } from './uri.ts';

const PAGE = 50;
const SCOPE = 'datasources:read';

/** The overview, then the datasources in constant order, 50 a page. While Grafana is down: the overview alone. */
export async function listResources(cursor: string | undefined, ctx: ToolContext): Promise<ListResourcesResult> {
  const binding = ['resources', ctx.upstream.caller.cacheKey];
  const from = cursor === undefined ? 0 : readCursor(cursor, binding);
  if (!ctx.call.identity.scopes.has(SCOPE)) return { resources: [] };
  const list = await part(listDatasources(ctx.upstream));
  const datasources = 'value' in list ? list.value.datasources : [];
  const all = [OVERVIEW_ENTRY, ...datasources.map(entry)];
  const resources = maskJson(all.slice(from, from + PAGE), ctx.settings.mask).value;
  const next = from + PAGE < all.length ? { nextCursor: encodePage(from + PAGE, binding) } : {};
  return { resources, ...next };
}

export async function listTemplates(ctx: ToolContext): Promise<ListResourceTemplatesResult> {
  if (!ctx.call.identity.scopes.has(SCOPE)) return { resourceTemplates: [] };
  return {
    resourceTemplates: [
      {
        uriTemplate: DATASOURCE_TEMPLATE,
        name: 'datasource',
        title: 'Datasource',
        description: 'One datasource by type and by uid or name: identity, health and what to ask next.',
        mimeType: 'application/json',
      },
    ],
  };
}

/** Throws RpcFault: an unknown URI is never a success, and one that the caller may not read does not exist. */
export async function readResource(uri: string, ctx: ToolContext): Promise<ReadResourceResult> {
  const address = parseUri(uri);
  if (!ctx.call.identity.scopes.has(SCOPE)) {
    throw new RpcFault('notFound', `Reading this resource needs the scope ${SCOPE}.`);
  }
  try {
    if (address.kind === 'overview') return await readOverview(ctx);
    return await readDatasource(address.type, address.name, ctx);
  } catch (error) {
    if (error instanceof GatewayError) throw new RpcFault('internal', `${error.message} ${error.remedy}`, error);
    throw error;
  }
}

const OVERVIEW_ENTRY = {
  uri: OVERVIEW,
  name: 'overview',
  title: 'Where to begin',
  description: 'This Grafana: version, organisation, datasources by type, what to ask next.',
  mimeType: 'application/json',
};

function entry(ds: Datasource): typeof OVERVIEW_ENTRY {
  return {
    uri: datasourceUri(ds.type, ds.uid),
    name: ds.name,
    title: ds.name,
    description: `${ds.type} datasource${ds.isDefault ? ', the default one' : ''}`,
    mimeType: 'application/json',
  };
}

function readCursor(cursor: string, binding: readonly string[]): number {
  try {
    return decodePage(cursor, binding);
  } catch {
    throw new RpcFault('badParams', 'Invalid cursor: it was altered or belongs to another list; begin without one.');
  }
}
