import { ConfigError } from '../config/error.ts';
import type { Flags } from '../config/flags.ts';
import { type Loaded, readSettings } from '../config/load.ts';
import { GatewayError } from '../errors.ts';
import { type Command, noArguments, type Shell } from './command.ts';

/** What one hop says. A failed one tells what to do about it. */
export type Finding = { state: 'ok' | 'skip'; says: string } | { state: 'warn' | 'fail'; says: string; remedy: string };
export interface Hop {
  name: string;
  check: () => Promise<Finding>;
}

export const command: Command = {
  usage: 'doctor [--config FILE] [settings]',
  help: 'Walks every hop to Grafana and its datasources and prints one line each, with the remedy; exit 1 if one fails.',
  takesSettings: true,
  async run(flags, shell) {
    noArguments(flags);
    const loaded = configuration(flags, shell);
    if (loaded === undefined) return 1;
    const { networkHops } = await import('./doctor-network.ts');
    const { grafanaHops } = await import('./doctor-grafana.ts');
    // Beyond a hop that fails nothing can be said.
    for (const hop of networkHops(loaded.settings)) if (!(await walk(hop, shell))) return 1;
    const { chain, alone, close } = grafanaHops(loaded.settings);
    try {
      for (const hop of chain) if (!(await walk(hop, shell))) return 1;
      let well = true;
      for (const hop of await alone()) well = (await walk(hop, shell)) && well;
      return well ? 0 : 1;
    } finally {
      close();
    }
  },
};

function configuration(flags: Flags, shell: Shell): Loaded | undefined {
  const name = 'configuration';
  try {
    const loaded = readSettings(flags, shell.env);
    const { settings, warnings } = loaded;
    if (settings.grafanaUrl === undefined) {
      throw new ConfigError('Set GRAFANA_URL (or --grafana-url) to the address of Grafana.');
    }
    shell.out(line(name, { state: 'ok', says: `Grafana at ${settings.grafanaUrl}` }));
    for (const says of warnings)
      shell.out(line(name, { state: 'warn', says, remedy: '"config" shows what is in effect.' }));
    return loaded;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    shell.out(line(name, { state: 'fail', says: error.message, remedy: 'see docs/configuration.md.' }));
    return undefined;
  }
}

/** True unless the hop failed. */
async function walk(hop: Hop, shell: Shell): Promise<boolean> {
  let finding: Finding;
  try {
    finding = await hop.check();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    finding = { state: 'fail', says: error.message, remedy: error.remedy };
  }
  shell.out(line(hop.name, finding));
  return finding.state !== 'fail';
}

function line(name: string, finding: Finding): string {
  const state = finding.state === 'fail' ? 'FAIL' : finding.state;
  const remedy = 'remedy' in finding ? ` → ${finding.remedy}` : '';
  // Names and messages of datasources come from outside: one line stays one line.
  return `${state.padEnd(5)}${name.padEnd(15)}${finding.says}${remedy}`.replace(/[\u0000-\u001f\u007f]+/g, ' ');
}
