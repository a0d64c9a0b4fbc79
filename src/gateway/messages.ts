import {
  isInitializeRequest,
  isJSONRPCRequest,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  LATEST_PROTOCOL_VERSION,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import type { Response } from 'express';
import { tooManyRequests } from './authenticate.ts';
import { identityOf, type WithAuth } from './call-info.ts';
import type { Door } from './door.ts';
import { RPC, refuse } from './rpc.ts';

const MAX_BATCH = 50;
/** The first revision without batches. */
const NO_BATCHES = '2025-06-18';
/** What a client speaks that does not say so (2025-11-25, basic/transports). */
const ASSUMED = '2025-03-26';

/**
 * The messages of a body: one, or a batch where the revision has them. Undefined when it was refused. A batch costs as
 * many requests as it holds.
 */
export function readMessages(
  door: Door,
  request: WithAuth & { body?: unknown },
  response: Response,
  agreed: string | undefined,
): JSONRPCMessage[] | undefined {
  const { body } = request;
  const header = request.headers['mcp-protocol-version'];
  const versions = [header, agreed].filter((version) => typeof version === 'string');
  if (versions.length === 0) versions.push(ASSUMED);
  const problem = problemOf(body, versions);
  if (problem !== undefined) return void refuse(response, 400, problem, RPC.request);
  const messages: JSONRPCMessage[] = [];
  for (const item of Array.isArray(body) ? body : [body]) {
    const parsed = JSONRPCMessageSchema.safeParse(item);
    if (!parsed.success) return void refuse(response, 400, notMessage(item), RPC.request);
    messages.push(parsed.data);
  }
  if (messages.length > 1 && messages.some(isInitializeRequest)) {
    return void refuse(response, 400, 'initialize must stand alone.', RPC.request);
  }
  const ids = messages.filter(isJSONRPCRequest).map(({ id }) => id);
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  if (twice !== undefined) {
    return void refuse(response, 400, `The batch has the id ${JSON.stringify(twice)} twice.`, RPC.request);
  }
  const over = messages.length > 1 ? door.requests.take(identityOf(request).principal, messages.length - 1) : 0;
  if (over > 0) return void tooManyRequests(response, over, door.settings);
  return messages;
}

/** The revision that the SDK's server agrees on when a client asks for this one. */
export function agreedVersion(asked: string): string {
  return SUPPORTED_PROTOCOL_VERSIONS.includes(asked) ? asked : LATEST_PROTOCOL_VERSION;
}

/** While the gateway drains, what runs may still be cancelled; nothing begins. */
export function begins(messages: readonly JSONRPCMessage[]): boolean {
  return messages.some(isJSONRPCRequest);
}

function problemOf(body: unknown, versions: readonly string[]): string | undefined {
  if (body === undefined) return 'The body is empty: send one JSON-RPC message.';
  if (!Array.isArray(body)) return undefined;
  if (versions.some((version) => version >= NO_BATCHES)) {
    return `Batches are not part of this protocol revision (since ${NO_BATCHES}): send one message a request.`;
  }
  if (body.length === 0) return 'The batch is empty.';
  return body.length > MAX_BATCH ? `A batch holds at most ${MAX_BATCH} messages.` : undefined;
}

function notMessage(item: unknown): string {
  const method = typeof item === 'object' && item !== null && 'method' in item ? item.method : undefined;
  return method === 'initialize'
    ? 'initialize needs an id, protocolVersion, capabilities and clientInfo.'
    : 'The body is no JSON-RPC 2.0 message.';
}
