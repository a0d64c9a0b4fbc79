import { ERRORS, type Fault } from './errors.ts';

const WHOSE: Record<Fault, string> = {
  caller: 'The call: its arguments, its query, its credential or its scopes.',
  gateway: 'The gateway: a limit or a fault of its own.',
  grafana: 'Grafana, or what stands between the gateway and Grafana.',
  datasource: 'The datasource behind Grafana, or the way from Grafana to it.',
};

/** docs/errors.md, whole: one section for each hop, in the order of the table in errors.ts. */
export function errorsMarkdown(): string {
  const sections = (Object.keys(WHOSE) as Fault[]).map((fault) => {
    const rows = Object.entries(ERRORS)
      .filter(([, kind]) => kind.fault === fault)
      .map(([code, kind]) => `| \`${code}\` | ${cell(kind.meaning)} | ${cell(kind.remedy)} |`);
    return [`## ${fault}`, '', WHOSE[fault], '', '| Code | Meaning | What to do |', '|---|---|---|', ...rows].join(
      '\n',
    );
  });
  return `${INTRODUCTION}\n\n${sections.join('\n\n')}\n`;
}

const INTRODUCTION = `<!-- Generated from src/errors.ts; do not edit. -->

# Errors

A tool that fails answers with \`isError\` and one sentence: what failed, at which hop, with which status, and what to
do about it. The audit log carries the code. Grouped here by whose fault it is.`;

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
