import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { type Sandbox, startSandbox } from '../../sandbox/main.ts';
import { type Gateways, startGateways, type TransportName } from './gateway.ts';

export { ask, TRANSPORTS, type TransportName } from './gateway.ts';

/** A sandbox and gateways in front of it. */
export interface World extends Omit<Gateways, 'connect'> {
  sandbox: Sandbox;
  /** A client over one transport, with the viewer's token unless another is given. Closed with the world. */
  connect(transport: TransportName, token?: string): Promise<Client>;
}

export async function startWorld(options: { seed?: number; flags?: string[] } = {}): Promise<World> {
  const sandbox = await startSandbox({ port: 0, seed: options.seed ?? 1 });
  const gateways = await startGateways(sandbox.url, options.flags);
  return {
    ...gateways,
    sandbox,
    connect: (transport, token = sandbox.tokens.viewer) => gateways.connect(transport, token),
    async close() {
      await gateways.close();
      await sandbox.close();
    },
  };
}
