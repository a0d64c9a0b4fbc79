import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Logger } from 'pino';
import { ConfigError } from '../../config/error.ts';
import type { Settings } from '../../config/schema.ts';
import type { Identity } from '../../identity.ts';
import { connectServer, legacyServer } from '../../mcp/legacy.ts';
import type { Surface } from '../../mcp/surface.ts';
import { createCalls } from '../calls.ts';
import { serviceCaller } from '../identity/service.ts';
import { messageLines } from './stdin-lines.ts';

/**
 * Serves the client that started this process, as the service account of the environment, until its stdin ends or
 * `stop` resolves, and the last call is answered: within --drain, or with why it is cut. Nothing but JSON-RPC goes to
 * stdout. Throws ConfigError without a service account.
 */
export async function serveStdio(
  surface: Surface,
  settings: Settings,
  log: Logger,
  stop: Promise<void>,
): Promise<void> {
  const caller = serviceCaller(settings);
  if (caller === undefined) throw new ConfigError('stdio needs GRAFANA_SERVICE_ACCOUNT_TOKEN.');
  const identity: Identity = {
    kind: 'anonymous',
    principal: 'anonymous',
    subject: 'stdio',
    scopes: new Set(settings.defaultScopes),
    caller,
  };
  const calls = createCalls(({ error, method }) => {
    if (error !== undefined) log.error({ err: error, method }, 'a call failed');
  });
  const scanned = { bytes: 0 };
  let draining = false;
  const input = messageLines(
    (answer) => void process.stdout.write(`${JSON.stringify(answer)}\n`),
    () => draining,
  );
  const transport = new StdioServerTransport(process.stdin.pipe(input));
  const server = legacyServer(surface, () => ({ identity, requestId: randomUUID(), scanned }), calls.observe());
  server.onerror = ({ name }) => log.warn({ name }, 'an answer could not be sent');
  // The client is gone: what is still written to it has no reader.
  process.stdout.on('error', () => void server.close());
  const ended = Promise.race([once(input, 'end'), once(process.stdin, 'close')]);
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve;
  });
  await connectServer(server, transport);
  await Promise.race([ended, closed, stop]);
  draining = true;
  // Who has both ended stdin and sent a signal is not going to wait.
  const hurried = Promise.all([ended, stop]).then(() => calls.drain(0));
  await Promise.race([calls.drain(settings.drain), hurried, closed]);
  await server.close();
}
