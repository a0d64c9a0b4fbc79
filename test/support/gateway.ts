import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { loadSettings } from '../../src/config/load.ts';
import { openAudit } from '../../src/gateway/audit.ts';
import { startGateway } from '../../src/gateway/server.ts';
import { createGrafanaClient } from '../../src/grafana/client.ts';
import { createLog } from '../../src/log.ts';
import { createSurface } from '../../src/mcp/catalogue.ts';

export const TRANSPORTS = ['streamable', 'stateless', 'sse', 'stdio'] as const;
export type TransportName = (typeof TRANSPORTS)[number];

const BUNDLE = join(fileURLToPath(new URL('../..', import.meta.url)), 'dist/grafana-mcp-gateway.mjs');
const QUIET = ['--port', '0', '--rate-limit', '0', '--log-level', 'silent', '--audit-file', '/dev/null'];

/** Gateways in front of a Grafana, put together from the same parts as `serve`. */
export interface Gateways {
  /** Gateway with sessions. */
  url: string;
  /** Gateway started with --stateless. */
  statelessUrl: string;
  /** A client over one transport with that Grafana token. Closed with the gateways. */
  connect(transport: TransportName, token: string): Promise<Client>;
  close(): Promise<void>;
}

export async function startGateways(grafanaUrl: string, more: string[] = []): Promise<Gateways> {
  const flags = [...QUIET, ...more];
  const sessions = await assemble(grafanaUrl, flags);
  const stateless = await assemble(grafanaUrl, [...flags, '--stateless']);
  const clients: Client[] = [];
  return {
    url: sessions.url,
    statelessUrl: stateless.url,
    async connect(transport, token) {
      const client = new Client({ name: 'test', version: '1' });
      const headers = { Authorization: `Bearer ${token}` };
      const base = transport === 'stateless' ? stateless.url : sessions.url;
      const carrier =
        transport === 'stdio'
          ? new StdioClientTransport({
              command: process.execPath,
              args: [BUNDLE, 'stdio', '--log-level', 'error', '--audit-file', '/dev/null'],
              env: { GRAFANA_URL: grafanaUrl, GRAFANA_SERVICE_ACCOUNT_TOKEN: token },
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
    },
  };
}

async function assemble(grafanaUrl: string, flags: string[]) {
  const settings = loadSettings(flags, { GRAFANA_URL: grafanaUrl });
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
