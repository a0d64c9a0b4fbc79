import { setFlagsFromString } from 'node:v8';
import { effectiveAuth } from '../config/auth.ts';
import { startGateway } from '../gateway/server.ts';
import { VERSION } from '../version.ts';
import { NOBODY, shellCall } from './as-service.ts';
import { type Command, noArguments } from './command.ts';
import { firstSignal } from './signals.ts';
import { assemble, type Parts } from './start.ts';

export const command: Command = {
  usage: 'serve [--config FILE] [settings]',
  help: 'Serves MCP over Streamable HTTP (/mcp) and legacy HTTP+SSE (/sse) until SIGINT or SIGTERM.',
  takesSettings: true,
  async run(flags, shell) {
    noArguments(flags);
    // Sessions live just long enough to be promoted, and V8 then lets its old space double before it looks: 1,000 of them
    // cost 70 MB of garbage. With this it collects sooner; the time of a call stays the same (npm run bench).
    setFlagsFromString('--optimize-for-size');
    const parts = assemble(flags, shell.env);
    const signal = firstSignal(1);
    const gateway = await startGateway(parts.settings, parts);
    void announce(parts, gateway.url);
    await signal;
    parts.log.info('draining');
    await gateway.close();
    parts.grafana.close();
    parts.log.info('stopped');
    return 0;
  },
};

/** One line with all that a puzzled operator asks for first. Written when Grafana has answered; nothing waits for it. */
async function announce({ settings, log, grafana, surface }: Parts, url: string): Promise<void> {
  const { tools } = await surface.listTools(shellCall(settings, NOBODY));
  const ping = await grafana.ping();
  log.info(
    {
      version: VERSION,
      url: `${url}${settings.basePath}`,
      transports: [
        settings.stateless ? 'streamable HTTP, stateless' : 'streamable HTTP',
        ...(settings.noSse ? [] : ['SSE']),
      ],
      auth: effectiveAuth(settings),
      mode: 'read-only',
      tools: tools.length,
      grafana: settings.grafanaUrl,
      // The length tells that a secret arrived whole; its value is never told.
      ...(settings.grafanaToken === undefined ? {} : { serviceAccountTokenLength: settings.grafanaToken.length }),
      ...(ping.ok ? { grafanaVersion: ping.version ?? 'unknown' } : { grafanaFault: ping.detail }),
    },
    'ready',
  );
}
