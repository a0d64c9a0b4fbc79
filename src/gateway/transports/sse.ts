import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import type { RequestHandler } from 'express';
import { connectServer, legacyServer } from '../../mcp/legacy.ts';
import { accepts } from '../accept.ts';
import { identityOf, type WithAuth } from '../call-info.ts';
import { callOf, type Door, limitLife, refuseDraining, refuseFull, refuseSession } from '../door.ts';
import { agreedVersion, begins, readMessages } from '../messages.ts';
import { RPC, refuse } from '../rpc.ts';
import { KEEP_ALIVE, refuseAccept } from './streamable.ts';

/** Legacy HTTP+SSE (2024-11-05): one stream per session, which ends with it; messages come by POST. */
export function sse(door: Door): { open: RequestHandler; message: RequestHandler } {
  const { sessions, settings } = door;
  return {
    async open(request, response) {
      if (!accepts(request, ['text/event-stream'])) return refuseAccept(response, 'text/event-stream');
      if (door.draining()) return refuseDraining(response);
      const identity = identityOf(request);
      const { principal } = identity;
      const transport = new SSEServerTransport(`${settings.basePath}/messages`, response);
      const id = transport.sessionId;
      const session = sessions.add({ id, kind: 'sse', principal, transport, close: () => transport.close() });
      if (typeof session === 'string') return refuseFull(response, session);
      response.setHeader('X-Accel-Buffering', 'no');
      const server = legacyServer(
        door.surface,
        (extra) => callOf(extra, session),
        (method, tool) => door.calls.observe(sessions.begin(session))(method, tool),
      );
      const keepAlive = setInterval(() => response.write(': keepalive\n\n'), KEEP_ALIVE).unref();
      server.onclose = () => {
        clearInterval(keepAlive);
        sessions.remove(id);
      };
      sessions.hold(session, response);
      limitLife(response, identity, () => void transport.close());
      await connectServer(server, transport);
    },
    async message(request: Parameters<RequestHandler>[0] & WithAuth, response) {
      const id = new URLSearchParams(request.url.split('?')[1]).get('sessionId');
      if (!id) {
        return refuse(
          response,
          400,
          'The parameter sessionId is missing: post to the address of the "endpoint" event.',
          RPC.request,
        );
      }
      const session = sessions.find(id, 'sse', identityOf(request).principal);
      if (!(session?.transport instanceof SSEServerTransport)) return refuseSession(response);
      const messages = readMessages(door, request, response, session.protocolVersion);
      if (messages === undefined) return;
      if (door.draining() && begins(messages)) return refuseDraining(response);
      const [first] = messages;
      if (isInitializeRequest(first)) session.protocolVersion = agreedVersion(first.params.protocolVersion);
      const { auth: authInfo, headers } = request;
      for (const message of messages) {
        await session.transport.handleMessage(message, {
          requestInfo: { headers },
          ...(authInfo === undefined ? {} : { authInfo }),
        });
      }
      response.status(202).send('Accepted');
    },
  };
}
