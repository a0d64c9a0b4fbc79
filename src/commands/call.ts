import { serviceCaller } from '../gateway/identity/service.ts';
import { didYouMean } from '../nearest.ts';
import { shellCall } from './as-service.ts';
import { type Command, has, UsageError } from './command.ts';
import { assemble } from './start.ts';

export const command: Command = {
  usage: 'call TOOL [key=value…] [--json] [settings]',
  help: [
    'Calls one tool as the service account of the environment and prints its answer.',
    '',
    '  --json   the whole result as one line of JSON',
    '',
    "Example: call query_prometheus promql='up == 0' start=15m",
  ].join('\n'),
  options: { json: { type: 'boolean' } },
  takesSettings: true,
  async run(flags, shell) {
    const [tool, ...pairs] = flags.positionals;
    if (tool === undefined) throw new UsageError('call needs the name of a tool, such as list_datasources.');
    const args = readPairs(pairs);
    // One call is no service: neither its audit line nor its log belong between the answer and the shell.
    const presets = { auditFile: '/dev/null', logLevel: 'warn' };
    const { settings, grafana, surface } = assemble(flags, shell.env, { presets });
    const caller = serviceCaller(settings);
    if (caller === undefined)
      throw new UsageError('call asks as a service account: set GRAFANA_SERVICE_ACCOUNT_TOKEN.');
    const abort = new AbortController();
    const stop = () => abort.abort();
    process.once('SIGINT', stop).once('SIGTERM', stop);
    const call = shellCall(settings, caller, abort.signal);
    try {
      const { tools } = await surface.listTools(call);
      const names = tools.map(({ name }) => name);
      if (!names.includes(tool)) throw new UsageError(`There is no tool "${tool}"${didYouMean(tool, names)}`);
      const result = await surface.callTool(tool, args, call);
      if (has(flags, 'json')) shell.out(JSON.stringify(result));
      else for (const part of result.content) if (part.type === 'text') shell.out(part.text);
      return result.isError ? 1 : 0;
    } finally {
      grafana.close();
    }
  },
};

/** `key=value`; numbers and booleans stay text, the tools read them. */
function readPairs(pairs: string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw new UsageError(`"${pair}" is not of the form key=value.`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}
