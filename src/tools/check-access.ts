import type { JsonAnswer } from '../answer/answer.ts';
import { GatewayError } from '../errors.ts';
import { listDatasources } from '../grafana/datasources.ts';
import type { Datasource } from '../grafana/upstream.ts';
import { grafanaOrg, grafanaPermissions, grafanaSite } from '../grafana/whoami.ts';
import { defineTool, type ToolContext } from '../mcp/define.ts';
import { showIso } from '../time/show.ts';
import { VERSION } from '../version.ts';
import { healthOf } from './health.ts';

/** A hop that says nothing for so long is reported as that; its request may go on. */
const PATIENCE_MS = 10_000;
const AT_ONCE = 8;

interface Hop {
  hop: string;
  status: 'ok' | 'warn' | 'error' | 'unknown';
  detail: string;
  remedy?: string;
}

export const checkAccess = defineTool({
  name: 'check_access',
  title: 'Check access',
  description:
    'Tells who is calling, what the caller may do, and which hop fails: gateway, Grafana, token, permissions, each datasource. Use it when a call fails for a reason that is not in the query.',
  scopes: [],
  group: 'objects',
  parameters: {},
  output: {
    principal: { type: 'string' },
    scopes: { type: 'array', items: { type: 'string' } },
    grafana: { type: 'object', properties: { url: { type: 'string' }, version: { type: 'string' } } },
    hops: {
      type: 'array',
      items: {
        type: 'object',
        properties: { hop: { type: 'string' }, status: { type: 'string' }, detail: { type: 'string' } },
      },
    },
  },
  async run(_args, ctx): Promise<JsonAnswer> {
    const { identity } = ctx.call;
    const grafana: Record<string, unknown> = {};
    const [site, org, permissions, datasources] = await Promise.all([
      hop(ctx, 'grafana', async () => {
        const { version, publicUrl } = await grafanaSite(ctx.upstream);
        Object.assign(grafana, { url: publicUrl, version });
        return { status: 'ok', detail: `Grafana ${version || 'of unknown version'} answers.` };
      }),
      hop(ctx, 'token', async () => {
        const { id, name } = await grafanaOrg(ctx.upstream);
        Object.assign(grafana, { org: { id, name } });
        return { status: 'ok', detail: `Accepted; organisation ${id} "${name}".` };
      }),
      hop(ctx, 'permissions', () => permissionsHop(ctx)),
      datasourceHops(ctx),
    ]);
    const now = showIso(BigInt(Math.floor(ctx.now)) * 1_000_000n);
    const gateway: Hop = { hop: 'gateway', status: 'ok', detail: `Version ${VERSION}, its clock is ${now}.` };
    const hops = [gateway, site, org, permissions, ...datasources];
    const failing = hops.filter(({ status }) => status === 'error').map((one) => one.hop);
    return {
      entries: hops.length,
      structured: (shown) => ({
        summary: failing.length === 0 ? 'Every hop is well.' : `Failing: ${failing.slice(0, 10).join(', ')}.`,
        principal: identity.principal,
        identity: identity.kind,
        scopes: [...identity.scopes].sort(),
        grafana,
        hops: hops.slice(0, shown),
        ...(shown < hops.length ? { note: `${shown} of ${hops.length} hops shown, failing ones first.` } : {}),
      }),
    };
  },
});

/** Never fails: what goes wrong is the finding. Only the caller's own cancelling ends it. */
async function hop(ctx: ToolContext, name: string, check: () => Promise<Omit<Hop, 'hop'>>): Promise<Hop> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Omit<Hop, 'hop'>>((resolve) => {
    const detail = `No answer within ${PATIENCE_MS / 1000} s.`;
    timer = setTimeout(() => resolve({ status: 'error', detail }), PATIENCE_MS);
  });
  try {
    return { hop: name, ...(await Promise.race([check(), late])) };
  } catch (error) {
    if (ctx.call.signal.aborted || !(error instanceof GatewayError)) throw error;
    return { hop: name, status: 'error', detail: error.message, remedy: error.remedy };
  } finally {
    clearTimeout(timer);
  }
}

async function permissionsHop(ctx: ToolContext): Promise<Omit<Hop, 'hop'>> {
  const permissions = await grafanaPermissions(ctx.upstream);
  if (permissions === undefined) return { status: 'unknown', detail: 'Grafana does not tell the permissions.' };
  const missing = ['datasources:query', 'datasources:read'].filter((action) => permissions[action] === undefined);
  const [worst] = missing;
  if (worst === undefined) return { status: 'ok', detail: 'datasources:read and datasources:query.' };
  if (worst === 'datasources:read') {
    return { status: 'warn', detail: 'datasources:read is missing: datasources are listed without details.' };
  }
  return {
    status: 'error',
    detail: `${missing.join(' and ')} missing: no query can run.`,
    remedy: 'Give the token the role Viewer, or datasources:query on what it may see.',
  };
}

/** One hop a datasource, failing ones first; a list that cannot be had is a hop of its own. */
async function datasourceHops(ctx: ToolContext): Promise<Hop[]> {
  let datasources: Datasource[] = [];
  const listed = await hop(ctx, 'datasources', async () => {
    ({ datasources } = await listDatasources(ctx.upstream));
    return datasources.length === 0
      ? { status: 'error', detail: 'There is none that this caller may use.' }
      : { status: 'ok', detail: '' };
  });
  if (listed.status !== 'ok') return [listed];
  const hops: Hop[] = [];
  for (let i = 0; i < datasources.length; i += AT_ONCE) {
    hops.push(...(await Promise.all(datasources.slice(i, i + AT_ONCE).map((ds) => healthHop(ctx, ds)))));
  }
  const order = (one: Hop) => (one.status === 'error' ? 0 : 1);
  return hops.sort((a, b) => order(a) - order(b));
}

async function healthHop(ctx: ToolContext, ds: Datasource): Promise<Hop> {
  const name = `datasource:${ds.type}:${ds.uid}`;
  return await hop(ctx, name, async () => {
    const { status, message } = await healthOf(ctx, ds);
    const detail = `${ds.name}: ${message || (status === 'ok' ? 'well' : status)}`;
    return status === 'error'
      ? { status, detail, remedy: 'Check its address and credentials in Grafana.' }
      : { status, detail };
  });
}
