import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type Sandbox, startSandbox } from '../../sandbox/main.ts';
import { loadSettings } from '../../src/config/load.ts';
import { openAudit } from '../../src/gateway/audit.ts';
import { startGateway } from '../../src/gateway/server.ts';
import { createGrafanaClient } from '../../src/grafana/client.ts';
import { createLog } from '../../src/log.ts';
import { createSurface } from '../../src/mcp/catalogue.ts';

export const TRANSPORTS = ['streamable', 'stateless', 'sse', 'stdio'] as const;
export type TransportName = (typeof TRANSPORTS)[number];

const BUNDLE = join(fileURLToPath(new URL('../..', import.meta.url)), 'dist/grafana-mcp-gateway.mjs');

/** A sandbox and gateways in front of it, put together from the same parts as `serve`. */
export interface World {
  sandbox: Sandbox;
  /** Gateway with sessions. */
  url: string;
  /** Gateway started with --stateless. */
  statelessUrl: string;
  /** A client over one transport, with the viewer's token unless another is given. Closed with the world. */
  connect(transport: TransportName, token?: string): Promise<Client>;
  close(): Promise<void>;
}

export async function startWorld(options: { seed?: number; flags?: string[] } = {}): Promise<World> {
  const sandbox = await startSandbox({ port: 0, seed: options.seed ?? 1 });
  const flags = [
    '--port',
    '0',
    '--rate-limit',
    '0',
    '--log-level',
    'silent',
    '--audit-file',
    '/dev/null',
    ...(options.flags ?? []),
  ];
  const sessions = await assemble(sandbox, flags);
  const stateless = await assemble(sandbox, [...flags, '--stateless']);
  const clients: Client[] = [];
  return {
    sandbox,
    url: sessions.url,
    statelessUrl: stateless.url,
    async connect(transport, token = sandbox.tokens.viewer) {
      const client = new Client({ name: 'test', version: '1' });
      const headers = { Authorization: `Bearer ${token}` };
      const base = transport === 'stateless' ? stateless.url : sessions.url;
      const carrier =
        transport === 'stdio'
          ? new StdioClientTransport({
              command: process.execPath,
              args: [BUNDLE, 'stdio', '--log-level', 'error', '--audit-file', '/dev/null'],
              env: { GRAFANA_URL: sandbox.url, GRAFANA_SERVICE_ACCOUNT_TOKEN: token },
            })
          : transport === 'sse'
            ? new SSEClientTransport(new URL('/sse', base), { requestInit: { headers } })
            : new StreamableHTTPClientTransport(new URL('/mcp', base), { requestInit: { headers } });
      await client.connect(carrier as Parameters<Client['connect']>[0]);
      clients.push(client);
      return client;
    },
    async close() {
      await Promise.all(clients.map((client) => client.close()));
      await Promise.all([sessions.close(), stateless.close()]);
      await sandbox.close();
    },
  };
}

async function assemble(sandbox: Sandbox, flags: string[]) {
  const settings = loadSettings(flags, { GRAFANA_URL: sandbox.url });
  const log = createLog(settings);
  const grafana = createGrafanaClient(settings, log);
  const surface = createSurface({ settings, grafana, log, audit: openAudit(settings) });
  const gateway = await startGateway(settings, { surface, grafana, log });
  return {
    url: gateway.url,
    async close() {
      await gateway.close();
      grafana.close();
    },
  };
}

/** The text of a tool's answer; fails when the tool reported an error, unless `error` is expected. */
export async function ask(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
  expected: 'answer' | 'error' = 'answer',
): Promise<string> {
  const result = await client.callTool({ name, arguments: args });
  const text = (result.content as { type: string; text?: string }[]).map((part) => part.text ?? '').join('\n');
  if ((result.isError === true) !== (expected === 'error')) throw new Error(`${name} answered: ${text}`);
  return text;
}
