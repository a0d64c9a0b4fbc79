import { stringify } from 'yaml';
import { type Loaded, readSettings } from '../config/load.ts';
import { SETTINGS, type SettingRow } from '../config/table.ts';
import { showValue } from '../config/values.ts';
import { type Command, has, noArguments } from './command.ts';

export const command: Command = {
  usage: 'config [--json] [--config FILE] [settings]',
  help: [
    'Prints the settings in effect as YAML that --config reads, each with where it comes from; secrets are masked.',
    '',
    '  --json   as JSON: {key: {value, from}}',
  ].join('\n'),
  options: { json: { type: 'boolean' } },
  takesSettings: true,
  async run(flags, shell) {
    noArguments(flags);
    const loaded = readSettings(flags, shell.env);
    shell.out(has(flags, 'json') ? asJson(loaded) : asYaml(loaded));
    for (const warning of loaded.warnings) shell.err(`Warning: ${warning}`);
    return 0;
  },
};

function asYaml({ settings, sources }: Loaded): string {
  const lines = SETTINGS.flatMap((row) => {
    const value = settings[row.key];
    const from = sources.get(row.key)?.where ?? (row.derived ? 'made of --grafana-url' : 'default');
    if (value === undefined) return row.derived ? [] : [`# ${row.key}: not set`];
    // What YAML may not hold is a comment, so that the whole can be read again.
    const text = `${row.key}: ${shown(row, value)}`;
    return [`${row.flag ? text : `# ${text}`}  # ${from}`];
  });
  return lines.join('\n');
}

function asJson({ settings, sources }: Loaded): string {
  const entries = SETTINGS.flatMap((row) => {
    const value = settings[row.key];
    if (value === undefined) return [];
    const from = sources.get(row.key)?.where ?? (row.derived ? 'made of --grafana-url' : 'default');
    return [[row.key, { value: row.secret ? masked(value) : writable(row, value), from }]];
  });
  return JSON.stringify(Object.fromEntries(entries), null, 2);
}

const shown = (row: SettingRow, value: unknown): string =>
  row.secret ? masked(value) : stringify(writable(row, value), { collectionStyle: 'flow', lineWidth: 0 }).trimEnd();

/** The length helps to see that a secret arrived whole; nothing else of it is told. */
const masked = (value: unknown): string => `(secret, ${String(value).length} characters)`;

/** As one would write it in YAML: durations, sizes and rates with their units. */
const writable = (row: SettingRow, value: unknown): unknown =>
  ['duration', 'size', 'rate'].includes(row.kind) ? showValue(value, row.kind) : value;
