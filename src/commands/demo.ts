import { startSandbox } from '../../sandbox/main.ts';
import { checkFile } from '../config/check.ts';
import { ConfigError } from '../config/error.ts';
import type { Flags } from '../config/flags.ts';
import { startGateway } from '../gateway/server.ts';
import { clientSnippets } from './clients.ts';
import { type Command, has, option, UsageError } from './command.ts';
import { firstSignal } from './signals.ts';
import { assemble } from './start.ts';

// One person on loopback: no rate limit, and an end well within five seconds. Any flag or GATEWAY_ variable wins.
const PRESETS = { rateLimit: '0', drain: '2s', logLevel: 'warn' };
// The demo brings its own Grafana; what the environment says of another one is left alone.
const OWN = ['grafanaUrl', 'grafanaPublicUrl', 'orgId'] as const;

export const command: Command = {
  usage: 'demo [--port N] [--seed N] [--logs FILE…] [--json] [settings]',
  help: [
    'Starts a sandbox Grafana with a seeded incident and the gateway in front of it, until SIGINT or SIGTERM.',
    '',
    '  --port N      port of the gateway (default 8080; 0 takes a free one)',
    '  --seed N      another incident: service, error, metric and times (default 1)',
    '  --logs FILE…  load own log files into the sandbox’s Loki',
    '  --json        one line on stdout: mcp, sse, grafana, token, otherToken, pid',
    '',
    'Without a rate limit unless --rate-limit is given; all else as serve. GRAFANA_… variables are not used.',
  ].join('\n'),
  options: { seed: { type: 'string' }, logs: { type: 'string', multiple: true }, json: { type: 'boolean' } },
  takesSettings: true,
  async run(flags, shell) {
    const foreign = flags.given.find((g) => (OWN as readonly string[]).includes(g.key));
    if (foreign) throw new UsageError(`demo brings its own Grafana: leave ${foreign.where} out, or use serve.`);
    const signal = firstSignal(0);
    const sandbox = await startSandbox({ port: 0, seed: readSeed(flags), logs: readLogs(flags) });
    try {
      const without = { grafanaToken: undefined, grafanaTokenFile: undefined, grafanaHeadersFile: undefined };
      const fixed = { ...without, grafanaPublicUrl: undefined, orgId: undefined, grafanaUrl: sandbox.url };
      const parts = assemble(flags, shell.env, { presets: PRESETS, fixed });
      const gateway = await startGateway(parts.settings, parts);
      const base = `${gateway.url}${parts.settings.basePath}`;
      const { viewer: token, other: otherToken } = sandbox.tokens;
      const minutes = Math.round((Date.now() - sandbox.facts.deployedAt) / 60_000);
      if (has(flags, 'json')) {
        const ready = {
          mcp: `${base}/mcp`,
          sse: `${base}/sse`,
          grafana: sandbox.url,
          token,
          otherToken,
          pid: process.pid,
        };
        shell.out(JSON.stringify(ready));
      }
      shell.err(readyBlock(base, sandbox.url, minutes, token, otherToken));
      await signal;
      await gateway.close();
      parts.grafana.close();
      return 0;
    } finally {
      await sandbox.close();
    }
  },
};

function readSeed(flags: Flags): number {
  const text = option(flags, 'seed') ?? '1';
  if (!/^\d{1,9}$/.test(text)) throw new ConfigError(`--seed must be a whole number, not "${text.slice(0, 60)}".`);
  return Number(text);
}

/** `--logs a b` as a shell makes it of `--logs *.log`. */
function readLogs(flags: Flags): string[] {
  const logs = flags.own.get('logs') ?? [];
  const [stray] = flags.positionals;
  if (logs.length === 0 && stray !== undefined) throw new UsageError(`Unexpected argument "${stray}".`);
  const files = [...logs, ...flags.positionals];
  for (const file of files) checkFile(file, '--logs');
  return files;
}

function readyBlock(base: string, grafana: string, minutes: number, token: string, otherToken: string): string {
  const snippets = clientSnippets(base, token).flatMap(({ client, where, text }) => [
    '',
    `# ${client}: ${where}`,
    text,
  ]);
  return [
    '',
    `The gateway is ready at ${base}/mcp (Streamable HTTP) and ${base}/sse (legacy SSE).`,
    `Behind it: a sandbox Grafana at ${grafana} with an incident that began ${minutes} minutes ago.`,
    '',
    `Token of a viewer:        ${token}`,
    `Token of another viewer:  ${otherToken}`,
    ...snippets,
    '',
    'Ask: "what is wrong with the shop?" Ctrl-C ends it.',
  ].join('\n');
}
