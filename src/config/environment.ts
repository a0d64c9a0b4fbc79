import { didYouMean } from '../nearest.ts';
import { ConfigError } from './error.ts';
import type { Given } from './flags.ts';
import { SETTINGS } from './table.ts';
import { clean } from './text.ts';

// Kubernetes sets these in every pod when a Service is called "gateway"; they are not ours.
const serviceLinks = /^GATEWAY_(SERVICE_(HOST|PORT(_\w+)?)|PORT_\d+_(TCP|UDP)(_(PROTO|PORT|ADDR))?)$/;
const isServiceLink = (name: string, text: string) =>
  serviceLinks.test(name) || (name === 'GATEWAY_PORT' && /^(tcp|udp):\/\//.test(text));

/** The only GATEWAY_ name that is no setting: where the YAML file is. */
export const CONFIG_ENV = 'GATEWAY_CONFIG';

/** Settings in the environment. `""` is unset; a GATEWAY_ name that is no setting is refused. */
export function readEnvironment(env: NodeJS.ProcessEnv, warnings: string[]): Given[] {
  const values = new Map<string, string>();
  for (const [name, raw] of Object.entries(env)) {
    if (raw === undefined || raw === '') continue;
    if (isServiceLink(name, raw)) {
      warnings.push(`${name} is ignored: Kubernetes made it for a Service called "gateway" (enableServiceLinks).`);
    } else if (known.has(name)) {
      const { text, trimmed } = clean(raw);
      if (trimmed) warnings.push(`${name} had quotes or spaces around its value; they were removed.`);
      if (text !== '') values.set(name, text);
    } else if (name.startsWith('GATEWAY_')) {
      throw new ConfigError(`Unknown setting ${name} in the environment${didYouMean(name, known)}`);
    }
  }
  return SETTINGS.flatMap((row): Given[] => {
    const set = row.env.filter((name) => values.has(name));
    const [first, ...others] = set;
    if (first === undefined) return [];
    for (const other of others) {
      if (values.get(other) !== values.get(first)) {
        warnings.push(`${other} is ignored: ${first} is set as well and differs.`);
      }
    }
    return [{ key: row.key, value: values.get(first), where: first, source: 'environment' }];
  });
}

const known = new Set([CONFIG_ENV, ...SETTINGS.flatMap((row) => row.env)]);
