import { startGateway } from '../gateway/server.ts';
import { VERSION } from '../version.ts';
import { type Command, noArguments } from './command.ts';
import { untilSignal } from './signals.ts';
import { assemble, type Parts } from './start.ts';

export const command: Command = {
  usage: 'serve [--config FILE] [settings]',
  help: 'Serves MCP over Streamable HTTP (/mcp) and legacy HTTP+SSE (/sse) until SIGINT or SIGTERM.',
  takesSettings: true,
  async run(flags, shell) {
    noArguments(flags);
    const parts = assemble(flags, shell.env);
    const gateway = await startGateway(parts.settings, parts);
    void announce(parts, gateway.url);
    await untilSignal(async () => {
      parts.log.info('draining');
      await gateway.close();
      parts.grafana.close();
    }, 1);
    parts.log.info('stopped');
    return 0;
  },
};

/** One line with all that a puzzled operator asks for first. Written when Grafana has answered; nothing waits for it. */
async function announce({ settings, log, grafana, surface }: Parts, url: string): Promise<void> {
  const ping = await grafana.ping();
  const transports = [
    settings.stateless ? 'streamable HTTP (stateless)' : 'streamable HTTP',
    ...(settings.noSse ? [] : ['SSE']),
  ];
  log.info(
    {
      version: VERSION,
      url,
      transports,
      grafana: settings.grafanaUrl,
      grafanaVersion: ping.ok ? (ping.version ?? 'unknown') : undefined,
      grafanaFault: ping.ok ? undefined : ping.detail,
    },
    'ready',
  );
}
