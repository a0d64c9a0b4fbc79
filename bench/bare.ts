import { randomUUID } from 'node:crypto';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import express from 'express';

// The bare SDK hop: one tool that answers a constant of the size of a full answer. No identity, no upstream, no work.
const text = 'x'.repeat(7000);
const sessions = new Map<string, StreamableHTTPServerTransport>();

const app = express();
app.use(express.json());
app.all('/mcp', async (request, response) => {
  const known = sessions.get(request.header('mcp-session-id') ?? '');
  if (known) return void (await known.handleRequest(request, response, request.body));
  const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  const server = new Server({ name: 'bare', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(CallToolRequestSchema, () => ({ content: [{ type: 'text', text }] }));
  // The SDK's own transport type lacks exactOptionalPropertyTypes; the pair is its documented use.
  await server.connect(transport as Parameters<Server['connect']>[0]);
  await transport.handleRequest(request, response, request.body);
});
const listener = app.listen(0, '127.0.0.1', () => {
  const address = listener.address();
  if (address && typeof address === 'object') process.stdout.write(`http://127.0.0.1:${address.port}\n`);
});
