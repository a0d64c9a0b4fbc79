import type { CompleteRequest, CompleteResult } from '@modelcontextprotocol/sdk/types.js';
import { maskJson } from '../answer/mask-json.ts';
import { listDatasources } from '../grafana/datasources.ts';
import { findServices } from '../prompts/services.ts';
import { soonOrNothing } from '../prompts/soon.ts';
import { findPrompt } from '../prompts/surface.ts';
import { DATASOURCE_TEMPLATE } from '../resources/uri.ts';
import type { ToolContext } from './define.ts';
import { RpcFault } from './surface.ts';

/** The protocol's limit. */
const MOST = 100;

/** Values for a variable of a template or an argument of a prompt, by prefix. While upstream is down or slow: none, no error. */
export async function complete(params: CompleteRequest['params'], ctx: ToolContext): Promise<CompleteResult> {
  const { ref, argument, context } = params;
  const all =
    ref.type === 'ref/prompt'
      ? await promptValues(ref.name, argument.name, ctx)
      : await templateValues(ref.uri, argument.name, context?.arguments ?? {}, ctx);
  const prefix = argument.value.toLowerCase();
  const fitting = all.filter((value) => value.toLowerCase().startsWith(prefix));
  const values = maskJson(fitting.slice(0, MOST), ctx.settings.mask).value;
  return { completion: { values, total: fitting.length, hasMore: fitting.length > MOST } };
}

async function promptValues(name: string, argument: string, ctx: ToolContext): Promise<string[]> {
  const prompt = findPrompt(name);
  if (prompt === undefined)
    throw new RpcFault('badParams', `There is no prompt ${JSON.stringify(name.slice(0, 100))}.`);
  if (!prompt.template.arguments.some((one) => one.name === argument)) {
    throw new RpcFault('badParams', `The prompt has no argument ${JSON.stringify(argument.slice(0, 60))}.`);
  }
  if (argument === 'since') return ['15m', '1h', '6h', '1d'];
  if (argument !== 'service') return [];
  return (await findServices(ctx))?.values ?? [];
}

async function templateValues(
  uri: string,
  variable: string,
  given: Readonly<Record<string, string>>,
  ctx: ToolContext,
): Promise<string[]> {
  if (uri !== DATASOURCE_TEMPLATE)
    throw new RpcFault('badParams', `There is no template ${JSON.stringify(uri.slice(0, 200))}.`);
  if (variable !== 'type' && variable !== 'name') {
    throw new RpcFault('badParams', `The template has no variable ${JSON.stringify(variable.slice(0, 60))}.`);
  }
  if (!ctx.call.identity.scopes.has('datasources:read')) return [];
  const datasources = (await soonOrNothing(listDatasources(ctx.upstream)))?.datasources ?? [];
  if (variable === 'type') return [...new Set(datasources.map((ds) => ds.type))].sort();
  const ofType = datasources.filter((ds) => given.type === undefined || given.type === '' || ds.type === given.type);
  // People type names, links carry uids: both lead to the same object.
  return [...new Set([...ofType.map((ds) => ds.name), ...ofType.map((ds) => ds.uid)])];
}
