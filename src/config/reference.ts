import { SETTINGS, type SettingKey, type SettingRow } from './table.ts';
import { showValue } from './values.ts';

/** docs/configuration.md, whole, in the order of schema.ts. */
export function configurationMarkdown(): string {
  const starts = SECTIONS.map(([title, first]) => ({ title, at: SETTINGS.findIndex((row) => row.key === first) }));
  const sections = starts.map(({ title, at }, i) => {
    const rows = SETTINGS.slice(at, starts[i + 1]?.at).filter((row) => !row.derived);
    return [`## ${title}`, '', '| Flag | Environment | YAML | Value | Default | Meaning |', '|---|---|---|---|---|---|']
      .concat(rows.map(line))
      .join('\n');
  });
  return `${INTRODUCTION}\n\n${sections.join('\n\n')}\n`;
}

/** Each begins with the named setting; a test holds that they follow the schema's order. */
export const SECTIONS: readonly (readonly [title: string, first: SettingKey])[] = [
  ['Listener', 'host'],
  ['Callers', 'auth'],
  ['What callers may do', 'defaultScopes'],
  ['Grafana', 'grafanaUrl'],
  ['Upstream limits', 'upstreamTimeout'],
  ['Answers and audit', 'answerChars'],
  ['Limits of callers', 'rateLimit'],
  ['Operation', 'metricsPort'],
];

function line(row: SettingRow): string {
  const fallback =
    row.default === undefined || row.default === '' || (Array.isArray(row.default) && row.default.length === 0)
      ? '–'
      : `\`${showValue(row.default, row.kind)}\``;
  const value = row.choices ? row.choices.map((c) => `\`${c}\``).join(', ') : row.path ? 'file' : row.kind;
  const cells = [
    row.flag ? `\`${row.flag}\`` : 'never',
    row.env.map((name) => `\`${name}\``).join(', '),
    row.flag ? `\`${row.key}\`` : 'never',
    row.kind === 'list' && row.choices ? `list of ${value}` : value,
    fallback,
    row.description.replaceAll('|', '\\|').replaceAll('<', '&lt;'),
  ];
  return `| ${cells.join(' | ')} |`;
}

const INTRODUCTION = `<!-- Generated from src/config/schema.ts by "npm run docs"; do not edit. -->

# Configuration

\`GRAFANA_URL\` and \`GRAFANA_SERVICE_ACCOUNT_TOKEN\` are enough to start. Every setting is a flag, a variable of the
environment and a key of one YAML file (\`--config FILE\` or \`GATEWAY_CONFIG\`). Flags win over the environment, the
environment over the file, the file over the default. \`grafana-mcp-gateway config\` prints what is in effect and where
each value comes from.

- An empty value is unset. Spaces and one pair of quotes around a value are removed, with a warning.
- An unknown name is refused, with the nearest one.
- Secrets come from files or the environment. No flag and no YAML key takes one.
- Nothing is expanded inside a value: a \`$\` in a token stays what it is (a compose file itself wants \`$$\`).
- A flag without value (\`--stateless\`) means true; in the environment and in YAML write \`true\` or \`false\`.
- Lists are separated by commas, or are YAML lists. Durations: \`500ms\`, \`45s\`, \`10m\`, \`4h\`, \`1d\`; a bare number is
  seconds. Sizes: \`512KB\`, \`32MB\`, \`5GB\`; a bare number is bytes. Rates: \`120/min\`, \`10/s\`; \`0\` is none.
- Addresses need \`http://\` or \`https://\`; slashes at the end are removed; an \`/api\` at the end is refused. A user and
  password in \`GRAFANA_URL\` become a header and are never printed.
- Proxies for calls to Grafana come from \`HTTPS_PROXY\`, \`HTTP_PROXY\` and \`NO_PROXY\`.`;
