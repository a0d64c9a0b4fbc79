import { SETTINGS } from '../config/table.ts';
import { showValue } from '../config/values.ts';
import type { Command } from './command.ts';

/** Usage, the command's own lines, then the settings: the table that docs/configuration.md is made of. */
export function commandHelp(command: Command): string {
  const lines = [`Usage: grafana-mcp-gateway ${command.usage}`, '', command.help];
  if (command.takesSettings)
    lines.push('', 'Settings (flags; also GATEWAY_… in the environment, or YAML by --config FILE):', ...settings());
  return lines.join('\n');
}

function settings(): string[] {
  return SETTINGS.flatMap((row) => {
    if (row.derived) return [];
    const head = row.flag
      ? `${row.flag}${row.kind === 'flag' ? '' : ` ${row.kind.toUpperCase()}`}`
      : row.env.join(', ');
    const fallback = row.default === undefined || row.kind === 'flag' ? '' : showValue(row.default, row.kind);
    const choices = row.choices && row.kind === 'choice' ? ` (${row.choices.join(', ')})` : '';
    return [`  ${head}`, `      ${row.description}${choices}${fallback ? ` Default: ${fallback}.` : ''}`];
  });
}
