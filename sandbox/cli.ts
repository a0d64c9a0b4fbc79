import { parseArgs } from 'node:util';
import { FLAVOUR_NAMES, type FlavourName } from './grafana/flavours.ts';
import { startSandbox } from './main.ts';

// `npm run sandbox`: the sandbox by itself, its Loki and its Prometheus on ports of their own. See README.md.
const USAGE = `npm run sandbox -- [options]

  --loki-data FILE        log lines instead of the incident's: JSON lines of {labels, ts, line, structuredMetadata?}
  --prometheus-data FILE  samples instead of the incident's: OpenMetrics text with times
  --seed N                another incident (default 1)
  --flavour VERSION       which Grafana it is: 9.5, 10.1, 12, 13 (default 10.1)
  --sub-path PATH         serve Grafana below it, e.g. /grafana
  --port N                port of Grafana (default 3000; 0 takes a free one); Loki and Prometheus take free ones
  --json                  one line on stdout when ready: grafana, loki, prometheus, token
`;

try {
  const { values } = parseArgs({
    options: {
      'loki-data': { type: 'string' },
      'prometheus-data': { type: 'string' },
      seed: { type: 'string', default: '1' },
      'sub-path': { type: 'string', default: '' },
      flavour: { type: 'string', default: '10.1' },
      port: { type: 'string', default: '3000' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) process.stdout.write(USAGE);
  else await serve(values);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  process.exitCode = 2;
}

interface Values {
  'loki-data'?: string;
  'prometheus-data'?: string;
  seed: string;
  'sub-path': string;
  flavour: string;
  port: string;
  json: boolean;
}

async function serve(values: Values): Promise<void> {
  const sandbox = await startSandbox({
    port: whole('--port', values.port, 65_535),
    seed: whole('--seed', values.seed, 999_999_999),
    subPath: values['sub-path'],
    flavour: flavourOf(values.flavour),
    lokiData: values['loki-data'],
    prometheusData: values['prometheus-data'],
    backends: true,
  });
  const ready = { grafana: sandbox.url, ...sandbox.backends, token: sandbox.tokens.viewer };
  if (values.json) process.stdout.write(`${JSON.stringify(ready)}\n`);
  else for (const [name, value] of Object.entries(ready)) process.stderr.write(`${name.padEnd(12)}${value}\n`);
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => resolve());
  });
  await sandbox.close();
}

function flavourOf(text: string): FlavourName {
  const found = FLAVOUR_NAMES.find((name) => name === text);
  if (found === undefined) throw new Error(`--flavour must be one of ${FLAVOUR_NAMES.join(', ')}.`);
  return found;
}

function whole(flag: string, text: string, most: number): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) > most) throw new Error(`${flag} must be a whole number up to ${most}.`);
  return Number(text);
}
