import type { Answer } from '../answer/answer.ts';
import { plural } from '../answer/text.ts';
import { GatewayError } from '../errors.ts';
import { resolveDatasource } from '../grafana/datasources.ts';
import { familyOf } from '../grafana/families.ts';
import { lokiLabels, lokiLabelValues } from '../grafana/loki.ts';
import { lokiVolume } from '../grafana/loki-index.ts';
import { promLabels, promLabelValues } from '../grafana/prometheus.ts';
import type { Datasource } from '../grafana/upstream.ts';
import { defineTool, type ToolContext } from '../mcp/define.ts';
import { resolveWindow } from '../time/read.ts';
import { showWindow } from '../time/show.ts';
import type { Window } from '../time/window.ts';
import { healthOf } from './health.ts';
import { factsOf, metadataOf } from './metric-facts.ts';
import { some } from './no-lines.ts';
import { datasource } from './parameters.ts';

/** Labels whose values are counted; each is one small, cached request. */
const MAX_LABELS = 12;

export const describeDatasource = defineTool({
  name: 'describe_datasource',
  title: 'Describe a datasource',
  description:
    'Tells one datasource: type, health, its labels or metrics with how many values they have in the last hour, and queries that give data. Use it when you meet a datasource for the first time.',
  scopes: ['datasources:read'],
  group: 'objects',
  parameters: { datasource: { ...datasource, required: true, description: 'Uid or name.' } },
  async run(args, ctx): Promise<Answer> {
    const ds = await resolveDatasource(ctx.upstream, args.datasource);
    ctx.noteDatasource?.(ds.uid);
    const family = familyOf(ds.type);
    const window = await resolveWindow({}, ctx.now);
    const { scopes } = ctx.call.identity;
    const [health, content] = await Promise.all([
      healthText(ctx, ds),
      family === 'loki' && scopes.has('logs:read')
        ? tolerant(ctx, lokiContent(ctx, ds, window))
        : family === 'prometheus' && scopes.has('metrics:read')
          ? tolerant(ctx, promContent(ctx, ds, window))
          : { rows: [], examples: [] },
    ]);
    const standard = ds.isDefault ? ' · default' : '';
    return {
      head: [`${ds.name} (${ds.uid}) · ${ds.type}${standard} · ${health}`],
      ...(content.rows.length > 0
        ? { lead: [`${showWindow(window, ctx.settings.timezone)}:`], rows: content.rows }
        : {}),
      after: () => [
        ...(content.examples.length > 0
          ? ['queries that give data:', ...content.examples.map((text) => `  ${text}`)]
          : []),
        ...(family === undefined ? [`Datasources of type ${ds.type} can be listed, not queried, here.`] : []),
        `resource: datasource:${ds.type}:${encodeURIComponent(ds.uid)}`,
      ],
    };
  },
});

interface Content {
  rows: string[];
  /** Calls to paste. */
  examples: string[];
}

async function healthText(ctx: ToolContext, ds: Datasource): Promise<string> {
  try {
    const { status, message } = await healthOf(ctx, ds);
    return `health ${status}${message === '' ? '' : `: ${message.replace(/\s+/g, ' ')}`}`;
  } catch (error) {
    if (ctx.call.signal.aborted || !(error instanceof GatewayError)) throw error;
    return `health not known: ${error.message}`;
  }
}

/** A datasource that does not answer is described all the same. */
async function tolerant(ctx: ToolContext, work: Promise<Content>): Promise<Content> {
  try {
    return await work;
  } catch (error) {
    if (ctx.call.signal.aborted || !(error instanceof GatewayError)) throw error;
    return { rows: [error.message, error.remedy], examples: [] };
  }
}

async function lokiContent(ctx: ToolContext, ds: Datasource, window: Window): Promise<Content> {
  const up = ctx.upstream;
  const q = { start: window.start, end: window.end };
  const names = (await lokiLabels(up, ds, q)).values.filter((name) => !name.startsWith('__'));
  const counted = await Promise.all(
    names.slice(0, MAX_LABELS).map(async (name) => ({ name, values: (await lokiLabelValues(up, ds, name, q)).values })),
  );
  const rows = counted.map(({ name, values }) => `${name}  ${plural(values.length, 'value')}: ${some(values, 8)}`);
  if (names.length > MAX_LABELS) rows.push(`and the labels ${names.slice(MAX_LABELS).join(', ')}`);
  // The label that tells best what there is: several values, but few.
  const [best] = counted
    .filter(({ values }) => values.length > 0)
    .sort((a, b) => fitness(a.values.length) - fitness(b.values.length));
  if (best === undefined) return { rows: ['no stream has a line in this window'], examples: [] };
  const { name } = best;
  const loudest = await lokiVolume(up, ds, { query: `{${name}=~".+"}`, ...q, targetLabels: [name], limit: 1 }).catch(
    () => undefined,
  );
  const value = loudest?.[0]?.labels[name] ?? best.values[0] ?? '';
  return {
    rows,
    examples: [
      call('query_loki_logs', 'logql', `{${name}=${JSON.stringify(value)}}`, ds),
      call('query_loki_logs', 'logql', `sum by (${name}) (count_over_time({${name}=~".+"} [1h]))`, ds),
    ],
  };
}

function fitness(values: number): number {
  return Math.abs(values - 10) + (values === 1 ? 100 : 0);
}

async function promContent(ctx: ToolContext, ds: Datasource, window: Window): Promise<Content> {
  const up = ctx.upstream;
  const q = { start: Number(window.start / 1_000_000n), end: Number(window.end / 1_000_000n) };
  const [{ values: labels }, { values: metrics }, metadata] = await Promise.all([
    promLabels(up, ds, q),
    promLabelValues(up, ds, '__name__', q),
    metadataOf(up, ds),
  ]);
  const names = labels.filter((name) => name !== '__name__' && name !== 'le');
  const counted = await Promise.all(
    names.slice(0, MAX_LABELS).map(async (name) => ({ name, values: (await promLabelValues(up, ds, name, q)).values })),
  );
  const rows = [`${plural(metrics.length, 'metric')}: ${some(metrics, 20)}`];
  rows.push(...counted.map(({ name, values }) => `${name}  ${plural(values.length, 'value')}: ${some(values, 6)}`));
  if (names.length > MAX_LABELS) rows.push(`and the labels ${names.slice(MAX_LABELS).join(', ')}`);
  const counter = metrics.find((name) => factsOf(metadata, name)?.type === 'counter' && name.endsWith('_total'));
  const by = names.includes('job') ? 'sum by (job) ' : 'sum ';
  const [any] = metrics;
  const queries = [
    ...(metrics.includes('up') ? ['up'] : []),
    ...(counter === undefined ? [] : [`${by}(rate(${counter}[5m]))`]),
  ];
  if (queries.length === 0 && any !== undefined) queries.push(`count(${any})`);
  return { rows, examples: queries.map((query) => call('query_prometheus', 'promql', query, ds)) };
}

function call(tool: string, parameter: string, query: string, ds: Datasource): string {
  return `${tool}(${parameter}=${query.includes("'") ? JSON.stringify(query) : `'${query}'`}, datasource="${ds.uid}")`;
}
