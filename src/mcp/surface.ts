import type {
  CallToolResult,
  CompleteRequest,
  CompleteResult,
  GetPromptResult,
  ListPromptsResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ListToolsResult,
  ReadResourceResult,
} from '@modelcontextprotocol/sdk/types.js';
import type { Call } from './call.ts';

/** The whole catalogue as one protocol-neutral object: SDK lines only carry messages to and from it. */
export interface Surface {
  readonly info: { name: string; version: string };
  readonly instructions: string;
  listTools(call: Call): Promise<ListToolsResult>;
  /**
   * Throws RpcFault for an unknown tool; everything a model can repair is an `isError` result. Ends at once with the
   * call's signal: a GatewayError that is its reason is then the result.
   */
  callTool(name: string, args: Record<string, unknown>, call: Call): Promise<CallToolResult>;
  listResources(cursor: string | undefined, call: Call): Promise<ListResourcesResult>;
  listTemplates(call: Call): Promise<ListResourceTemplatesResult>;
  readResource(uri: string, call: Call): Promise<ReadResourceResult>;
  listPrompts(call: Call): Promise<ListPromptsResult>;
  getPrompt(name: string, args: Record<string, string>, call: Call): Promise<GetPromptResult>;
  complete(params: CompleteRequest['params'], call: Call): Promise<CompleteResult>;
}

/** A protocol fault; each SDK leg gives it the code of its revision. `internal` is -32603 with a message safe to show. */
export class RpcFault extends Error {
  readonly kind: 'notFound' | 'badParams' | 'internal';
  constructor(kind: 'notFound' | 'badParams' | 'internal', message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'RpcFault';
    this.kind = kind;
  }
}
