import { serviceCaller } from '../gateway/identity/service.ts';
import { serveStdio } from '../gateway/transports/stdio.ts';
import { type Command, noArguments, UsageError } from './command.ts';
import { firstSignal } from './signals.ts';
import { assemble } from './start.ts';

export const command: Command = {
  usage: 'stdio [--config FILE] [settings]',
  help: 'Serves MCP over stdin and stdout for a client that starts it, as the service account of the environment.',
  takesSettings: true,
  async run(flags, shell) {
    noArguments(flags);
    const { settings, log, grafana, surface } = assemble(flags, shell.env);
    if (serviceCaller(settings) === undefined) {
      throw new UsageError('stdio has no bearer token of its own: set GRAFANA_SERVICE_ACCOUNT_TOKEN.');
    }
    await serveStdio(surface, settings, log, firstSignal(1));
    grafana.close();
    return 0;
  },
};
