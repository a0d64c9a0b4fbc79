import { randomUUID } from 'node:crypto';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CancelledNotificationSchema,
  isInitializeRequest,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import type { Request, RequestHandler, Response } from 'express';
import { connectServer, legacyServer } from '../../mcp/legacy.ts';
import { accepts } from '../accept.ts';
import { identityOf } from '../call-info.ts';
import { type AnyTransport, callOf, type Door, limitLife, refuseDraining, refuseFull, refuseSession } from '../door.ts';
import { agreedVersion, begins, readMessages } from '../messages.ts';
import { RPC, refuse } from '../rpc.ts';
import type { Session } from '../sessions.ts';

export const KEEP_ALIVE = 15_000;
const EVENTS = 'text/event-stream';

export interface Endpoint {
  post: RequestHandler;
  get: RequestHandler;
  end: RequestHandler;
}

/** Streamable HTTP with sessions (2025-03-26 … 2025-11-25). Sessions are made by `initialize` alone. */
export function streamable(door: Door): Endpoint {
  const { sessions } = door;
  const pendings = new WeakMap<AnyTransport, Pending>();

  function find(request: Request): Found | undefined {
    const session = sessions.find(sessionId(request) ?? '', 'streamable', identityOf(request).principal);
    if (!(session?.transport instanceof StreamableHTTPServerTransport)) return undefined;
    return { session, transport: session.transport, pending: pendings.get(session.transport) ?? new Map() };
  }

  async function open(request: Request, response: Response, protocolVersion: string): Promise<void> {
    const { principal } = identityOf(request);
    const id = randomUUID();
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => id, keepAliveMs: KEEP_ALIVE });
    const close = () => transport.close();
    const session = sessions.add({ id, kind: 'streamable', principal, transport, protocolVersion, close });
    if (typeof session === 'string') return refuseFull(response, session);
    const server = legacyServer(
      door.surface,
      (extra) => callOf(extra, session),
      (method, tool) => door.calls.observe(sessions.begin(session))(method, tool),
    );
    server.onclose = () => sessions.remove(id);
    const pending: Pending = new Map();
    pendings.set(transport, pending);
    await connectServer(server, asTransport(transport), (id) => pending.delete(id));
    sessions.hold(session, response);
    // Whoever leaves before the answer knows no id to come back with. A write that failed counts as finished for Node.
    const { socket } = request;
    response.once('close', () => {
      if (!response.writableFinished || socket.errored) void transport.close();
    });
    await transport.handleRequest(request, response, request.body);
    if (transport.sessionId === undefined) await transport.close();
  }

  return {
    async post(request, response) {
      if (!accepts(request, ['application/json', EVENTS]))
        return refuseAccept(response, `application/json and ${EVENTS}`);
      const found = find(request);
      const messages = readMessages(door, request, response, found?.session.protocolVersion);
      if (messages === undefined) return;
      if (door.draining() && begins(messages)) return refuseDraining(response);
      // A client that starts anew may still send the id of a session that a restart has ended.
      const [first] = messages;
      if (isInitializeRequest(first)) return await open(request, response, agreedVersion(first.params.protocolVersion));
      if (sessionId(request) === undefined) return refuseSessionless(response, messages);
      if (found === undefined) return refuseSession(response);
      const twice = begin(found.pending, messages);
      if (twice !== undefined) {
        return refuse(
          response,
          400,
          `The id ${JSON.stringify(twice)} belongs to a request that still runs.`,
          RPC.request,
        );
      }
      sessions.hold(found.session, response);
      await found.transport.handleRequest(request, response, request.body);
      if (response.statusCode >= 400) forget(found.pending, messages);
      for (const message of messages) endCancelled(found, message);
    },
    async get(request, response) {
      if (!accepts(request, [EVENTS])) return refuseAccept(response, EVENTS);
      if (sessionId(request) === undefined) return refuseSessionless(response, []);
      const found = find(request);
      if (found === undefined) return refuseSession(response);
      sessions.hold(found.session, response);
      limitLife(response, identityOf(request), () => found.transport.closeStandaloneSSEStream());
      await found.transport.handleRequest(request, response);
    },
    async end(request, response) {
      if (sessionId(request) === undefined) return refuseSessionless(response, []);
      const found = find(request);
      if (found === undefined) return refuseSession(response);
      await found.transport.handleRequest(request, response);
    },
  };
}

/** Requests that are not answered yet; true when one has its stream to itself. */
type Pending = Map<RequestId, boolean>;

interface Found {
  session: Session<AnyTransport>;
  transport: StreamableHTTPServerTransport;
  pending: Pending;
}

/**
 * Notes the requests as under way; an id that is already is given back, and nothing noted. The SDK finds the stream of
 * an answer by the id alone: of two requests with one id, the first would wait for ever.
 */
function begin(pending: Pending, messages: readonly JSONRPCMessage[]): RequestId | undefined {
  const ids = messages.filter(isJSONRPCRequest).map((request) => request.id);
  const twice = ids.find((id) => pending.has(id));
  if (twice === undefined) for (const id of ids) pending.set(id, messages.length === 1);
  return twice;
}

/** What the SDK refused is not under way. */
function forget(pending: Pending, messages: readonly JSONRPCMessage[]): void {
  for (const request of messages.filter(isJSONRPCRequest)) pending.delete(request.id);
}

/** A cancelled request gets no answer (2025-11-25, basic/utilities/cancellation): its stream would stay open for ever. */
function endCancelled({ transport, pending }: Found, message: JSONRPCMessage): void {
  const cancelled = CancelledNotificationSchema.safeParse(message);
  const id = cancelled.data?.params.requestId;
  if (id === undefined) return;
  if (pending.get(id) === true) transport.closeSSEStream(id);
  pending.delete(id);
}

/** --stateless: a fresh server and transport for every request; closing the request cancels its calls. */
export function statelessPost(door: Door): RequestHandler {
  return async (request, response) => {
    if (!accepts(request, ['application/json', EVENTS]))
      return refuseAccept(response, `application/json and ${EVENTS}`);
    const messages = readMessages(door, request, response, undefined);
    if (messages === undefined) return;
    if (door.draining() && begins(messages)) return refuseDraining(response);
    const transport = new StreamableHTTPServerTransport({ keepAliveMs: KEEP_ALIVE });
    const server = legacyServer(door.surface, (extra) => callOf(extra), door.calls.observe());
    const cut = () => server.close();
    door.passing.add(cut);
    response.once('close', () => {
      door.passing.delete(cut);
      void cut();
    });
    await connectServer(server, asTransport(transport));
    await transport.handleRequest(request, response, request.body);
  };
}

export function refuseAccept(response: Response, types: string): void {
  refuse(response, 406, `The answer comes as ${types}: name them in Accept, or send "*/*".`);
}

export function sessionId(request: Request): string | undefined {
  const id = request.headers['mcp-session-id'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}

function refuseSessionless(response: Response, messages: readonly JSONRPCMessage[]): void {
  const malformed = messages.some((message) => 'method' in message && message.method === 'initialize');
  const problem = malformed
    ? 'initialize needs an id, protocolVersion, capabilities and clientInfo.'
    : 'The header Mcp-Session-Id is missing: send "initialize" first, and then the id that its answer carries.';
  refuse(response, 400, problem, malformed ? RPC.request : RPC.refused);
}

/** The SDK's class says `sessionId: string | undefined` where its interface says `sessionId?: string`. */
function asTransport(transport: StreamableHTTPServerTransport): Transport {
  return transport as Transport;
}
