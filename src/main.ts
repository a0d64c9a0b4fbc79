import { type Command, type Shell, UsageError } from './commands/command.ts';
import { ConfigError } from './config/error.ts';
import { GatewayError } from './errors.ts';

// Each command loads when it is called, so that none pays for the others at the start.
const COMMANDS: Record<string, { about: string; load: () => Promise<{ command: Command }> }> = {
  serve: { about: 'serve MCP over HTTP', load: () => import('./commands/serve.ts') },
  stdio: { about: 'serve MCP over stdin and stdout', load: () => import('./commands/stdio.ts') },
  demo: { about: 'sandbox and gateway together, nothing else needed', load: () => import('./commands/demo.ts') },
  token: { about: 'mint and inspect JWTs, hash static keys', load: () => import('./commands/token.ts') },
  doctor: { about: 'check every hop to Grafana, with the remedy', load: () => import('./commands/doctor.ts') },
  call: { about: 'call one tool from the shell', load: () => import('./commands/call.ts') },
  group: { about: 'group log lines from stdin', load: () => import('./commands/group.ts') },
  config: { about: 'show the effective settings', load: () => import('./commands/config.ts') },
};

const shell: Shell = {
  env: process.env,
  stdin: process.stdin,
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
};

const code = await main(process.argv.slice(2), shell);
// Not the end of the event loop: keep-alive sockets must not hold a finished command.
process.stdout.write('', () => process.exit(code));

/** The exit code: 0 fine, 1 the thing asked about failed, 2 wrong usage. */
async function main(argv: string[], { out, err }: Shell): Promise<number> {
  const [name = '', ...rest] = argv;
  try {
    if (name === '--version') {
      const { NAME, VERSION } = await import('./version.ts');
      out(`${NAME} ${VERSION}`);
      return 0;
    }
    if (name === '--help' || name === 'help') {
      out(overview());
      return 0;
    }
    const { parseFlags } = await import('./config/flags.ts');
    const { didYouMean } = await import('./nearest.ts');
    const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (entry === undefined) {
      err(name === '' ? overview() : `Unknown command "${name}"${didYouMean(name, Object.keys(COMMANDS))}`);
      return 2;
    }
    const { command } = await entry.load();
    if (rest.includes('--help')) {
      const { commandHelp } = await import('./commands/help.ts');
      out(commandHelp(command));
      return 0;
    }
    return await command.run(parseFlags(rest, command.options), shell);
  } catch (error) {
    return failed(error, name, err);
  }
}

function failed(error: unknown, name: string, err: (text: string) => void): number {
  if (error instanceof UsageError || error instanceof ConfigError) {
    err(`${error.message}\nSee "grafana-mcp-gateway ${name} --help".`);
    return 2;
  }
  if (error instanceof GatewayError) err(`${error.message}\n${error.remedy}`);
  else if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE' && 'port' in error) {
    err(`Port ${error.port} is in use: choose another with --port N, or a free one with --port 0.`);
  } else err(`Unexpected fault: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return 1;
}

function overview(): string {
  const lines = Object.entries(COMMANDS).map(([name, { about }]) => `  ${name.padEnd(8)}${about}`);
  return [
    'Usage: grafana-mcp-gateway COMMAND [flags]',
    '',
    ...lines,
    '',
    'grafana-mcp-gateway COMMAND --help tells more; --version tells the version.',
    'GRAFANA_URL and GRAFANA_SERVICE_ACCOUNT_TOKEN are enough to start.',
    'Exit codes: 0 fine, 1 the thing asked about failed, 2 wrong usage.',
  ].join('\n');
}
