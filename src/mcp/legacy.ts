import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  type RequestId,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';
import { GatewayError } from '../errors.ts';
import type { Call } from './call.ts';
import { readMessage } from './message.ts';
import { RpcFault, type Surface } from './surface.ts';

export type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** Who calls and by which request; its signal and its progress are the server's. */
export type Caller = Omit<Call, 'signal' | 'progress'>;

export interface Running {
  /** Rejects with a GatewayError when the call must end now: that is what its client is told. */
  stopped: Promise<never>;
  /** `error` is a fault that nobody foresaw. */
  ended(outcome: 'ok' | 'error' | 'fault', error?: unknown): void;
}

/** Told of each call as it begins, and by what it returns of the end. */
export type Observe = (method: string, tool?: string) => Running;

/** Revisions 2024-11-05 … 2025-11-25. Only what is served is declared: no subscriptions, no logging, no list changes yet. */
const capabilities = { tools: {}, resources: {}, prompts: {}, completions: {} };

/** Only elicitation would need one; the SDK's own costs a millisecond and much memory per server. */
const jsonSchemaValidator = {
  getValidator(): never {
    throw new Error('not used: this server asks nothing of its client');
  },
};

/**
 * Carries the surface over the v1 SDK, by its low-level handlers: the published schemas, argument reading, paging and
 * completion stay ours. One server per session, or per request when stateless. `callOf` says who asks.
 */
export function legacyServer(surface: Surface, callOf: (extra: Extra) => Caller, observe: Observe): Server {
  const server = new Server(surface.info, { capabilities, instructions: surface.instructions, jsonSchemaValidator });

  async function handle<T extends object>(
    method: string,
    extra: Extra,
    run: (call: Call) => Promise<T>,
    tool?: string,
  ) {
    const { ended, stopped } = observe(method, tool);
    const cut = new AbortController();
    if (extra.signal.aborted) cut.abort(extra.signal.reason);
    extra.signal.addEventListener('abort', () => cut.abort(extra.signal.reason));
    stopped.catch((why: unknown) => cut.abort(why));
    try {
      const { call, settled } = withProgress({ ...callOf(extra), signal: cut.signal }, extra);
      // A tool says so itself, by its signal: as an error of a tool, and in the audit.
      const result = await (tool === undefined ? Promise.race([run(call), stopped]) : run(call));
      await settled();
      ended('isError' in result && result.isError === true ? 'error' : 'ok');
      return result;
    } catch (error) {
      const known = knownFault(error);
      // What it waits for goes with it.
      cut.abort(error);
      ended('fault', known === undefined ? error : undefined);
      throw known ?? coded(-32603, 'The gateway failed in this call; its log has the details.');
    }
  }
  server.setRequestHandler(ListToolsRequestSchema, (r, e) =>
    handle(r.method, e, (call) => onePage(r.params?.cursor, surface.listTools(call))),
  );
  server.setRequestHandler(CallToolRequestSchema, ({ method, params }, e) =>
    handle(method, e, (call) => surface.callTool(params.name, params.arguments ?? {}, call), params.name),
  );
  server.setRequestHandler(ListResourcesRequestSchema, (r, e) =>
    handle(r.method, e, (call) => surface.listResources(r.params?.cursor, call)),
  );
  server.setRequestHandler(ListResourceTemplatesRequestSchema, (r, e) =>
    handle(r.method, e, (call) => onePage(r.params?.cursor, surface.listTemplates(call))),
  );
  server.setRequestHandler(ReadResourceRequestSchema, (r, e) =>
    handle(r.method, e, (call) => surface.readResource(r.params.uri, call)),
  );
  server.setRequestHandler(ListPromptsRequestSchema, (r, e) =>
    handle(r.method, e, (call) => onePage(r.params?.cursor, surface.listPrompts(call))),
  );
  server.setRequestHandler(GetPromptRequestSchema, ({ method, params }, e) =>
    handle(method, e, (call) => surface.getPrompt(params.name, params.arguments ?? {}, call)),
  );
  server.setRequestHandler(CompleteRequestSchema, (r, e) =>
    handle(r.method, e, (call) => surface.complete(r.params, call)),
  );
  return server;
}

/**
 * Connects a server to a transport, with a reader between the two: the SDK answers parameters of the wrong shape with
 * an internal error and a dump of its schema. `onAnswer` hears the id of each request as its answer is sent.
 */
export async function connectServer(
  server: Server,
  transport: Transport,
  onAnswer?: (id: RequestId) => void,
): Promise<void> {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (!('method' in message) && message.id !== undefined) onAnswer?.(message.id);
    return send(message, options);
  };
  await server.connect(transport);
  const deliver = transport.onmessage;
  transport.onmessage = (message, extra) => {
    const read = readMessage(message);
    if ('message' in read) deliver?.(read.message, extra);
    else {
      const error = { code: CODES.badParams, message: read.problem };
      transport.send({ jsonrpc: '2.0', id: read.id, error }).catch(() => {});
    }
  };
}

/** A list that is always whole: no answer of ours carried a cursor. */
async function onePage<T>(cursor: string | undefined, list: Promise<T>): Promise<T> {
  const whole = await list;
  if (cursor === undefined) return whole;
  throw new RpcFault('badParams', 'Invalid cursor: this list has a single page; leave it out.');
}

const CODES = { notFound: -32002, badParams: -32602, internal: -32603 } as const;

function knownFault(error: unknown): Error | undefined {
  if (error instanceof RpcFault) return coded(CODES[error.kind], error.message);
  if (error instanceof GatewayError && error.code !== 'internal')
    return coded(CODES.internal, `${error.message} ${error.remedy}`);
  return undefined;
}

/** A plain Error with a code: McpError would put its prefix into the message, and the client puts it there again. */
function coded(code: number, message: string): Error {
  return Object.assign(new Error(message), { code });
}

function withProgress(call: Call, extra: Extra): { call: Call; settled: () => Promise<void> } {
  const progressToken = extra._meta?.progressToken;
  if (progressToken === undefined) return { call, settled: async () => {} };
  let sent = false;
  const progress: NonNullable<Call['progress']> = async (done, total, message) => {
    sent = true;
    const params = {
      progressToken,
      progress: done,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message }),
    };
    // A client that is gone cannot be told how far its call is.
    await extra.sendNotification({ method: 'notifications/progress', params }).catch(() => {});
  };
  // Over SSE a client loses progress that arrives in one chunk with the result.
  const settled = () => (sent ? new Promise<void>((resolve) => setImmediate(resolve)) : Promise.resolve());
  return { call: { ...call, progress }, settled };
}
