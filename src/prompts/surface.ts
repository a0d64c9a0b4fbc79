import type { GetPromptResult, ListPromptsResult } from '@modelcontextprotocol/sdk/types.js';
import { GatewayError } from '../errors.ts';
import type { ToolContext } from '../mcp/define.ts';
import { RpcFault } from '../mcp/surface.ts';
import { didYouMean } from '../nearest.ts';
import { debugError } from './debug-error.ts';
import { fill, type PromptTemplate, stepsFor } from './template.ts';

/** Longest argument, characters: a stack trace fits. */
const LONGEST = 20_000;

export interface Prompt {
  template: PromptTemplate;
  values(args: Readonly<Record<string, string>>, ctx: ToolContext): Promise<Record<string, string>>;
}

/** The one table of prompts. */
const PROMPTS: readonly Prompt[] = [debugError];

/** Every caller with any scope sees the prompts; their steps are those whose tools the caller has. */
export async function listPrompts(ctx: ToolContext): Promise<ListPromptsResult> {
  if (ctx.call.identity.scopes.size === 0) return { prompts: [] };
  return {
    prompts: PROMPTS.map(({ template }) => ({
      name: template.name,
      title: template.title,
      description: template.description,
      arguments: template.arguments.map(({ name, description, required }) => ({ name, description, required })),
    })),
  };
}

/** Throws RpcFault badParams for an unknown prompt, a missing or unknown argument, or one that cannot be read. */
export async function getPrompt(
  name: string,
  given: Record<string, string>,
  ctx: ToolContext,
): Promise<GetPromptResult> {
  const prompt = ctx.call.identity.scopes.size === 0 ? undefined : findPrompt(name);
  if (prompt === undefined) {
    const names = PROMPTS.map(({ template }) => template.name).join(', ');
    throw new RpcFault('badParams', `There is no prompt ${JSON.stringify(name.slice(0, 100))}; available: ${names}.`);
  }
  const { template } = prompt;
  const args = readArguments(template, given);
  try {
    const values = await prompt.values(args, ctx);
    const messages = template.messages.map(({ role, text }) => ({
      role,
      content: { type: 'text' as const, text: fill(stepsFor(text, ctx.offers), values) },
    }));
    return { description: template.description, messages };
  } catch (error) {
    if (error instanceof GatewayError) throw new RpcFault('badParams', `${error.message} ${error.remedy}`);
    throw error;
  }
}

export function findPrompt(name: string): Prompt | undefined {
  return PROMPTS.find(({ template }) => template.name === name);
}

/** Clients send "" for what was left empty: that is absent. */
function readArguments(template: PromptTemplate, given: Record<string, string>): Record<string, string> {
  const known = template.arguments.map(({ name }) => name);
  const args: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    if (!known.includes(name)) {
      const hint = didYouMean(name.slice(0, 60), known);
      throw new RpcFault(
        'badParams',
        `The prompt ${template.name} has no argument ${JSON.stringify(name.slice(0, 60))}${hint}`,
      );
    }
    if (value.length > LONGEST)
      throw new RpcFault('badParams', `The argument ${name} is longer than ${LONGEST} characters.`);
    if (value.trim() !== '') args[name] = value;
  }
  const missing = template.arguments.find(({ name, required }) => required && args[name] === undefined);
  if (missing !== undefined) {
    const example = missing.example === undefined ? '' : `, e.g. ${JSON.stringify(missing.example)}`;
    throw new RpcFault('badParams', `The argument "${missing.name}" is required${example}.`);
  }
  return args;
}
