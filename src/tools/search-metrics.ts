import type { Answer } from '../answer/answer.ts';
import { alignRows } from '../answer/table.ts';
import { plural } from '../answer/text.ts';
import { GatewayError } from '../errors.ts';
import { resolveDatasource } from '../grafana/datasources.ts';
import { type MetricMetadata, promLabelValues, promQuery } from '../grafana/prometheus.ts';
import type { Datasource } from '../grafana/upstream.ts';
import { defineTool, type ToolContext } from '../mcp/define.ts';
import { nearest } from '../nearest.ts';
import { factsOf, metadataOf } from './metric-facts.ts';
import { some } from './no-lines.ts';
import { datasource } from './parameters.ts';

const HOUR_MS = 3_600_000;

export const searchMetrics = defineTool({
  name: 'search_metrics',
  title: 'Search metrics',
  description:
    'Finds metrics by words in their name or help, or by a regular expression over names, with type, unit, series and help. Use it before query_prometheus when the name is not known. Looks at the last hour.',
  scopes: ['metrics:read'],
  group: 'metrics',
  parameters: {
    match: {
      type: 'string',
      required: true,
      description: 'Words, e.g. "http duration", or a regex, e.g. "^node_cpu.*".',
    },
    datasource,
    limit: { type: 'integer', minimum: 1, maximum: 200, description: 'Metrics wanted; default 25.' },
  },
  async run({ match, limit = 25, ...args }, ctx): Promise<Answer> {
    const ds = await resolveDatasource(ctx.upstream, args.datasource, 'prometheus');
    ctx.noteDatasource?.(ds.uid);
    const pattern = isPattern(match)
      ? `{__name__!="", __name__=~${JSON.stringify(`(?i).*(?:${expressionOf(match.trim())}).*`)}}`
      : undefined;
    const [names, metadata] = await Promise.all([metricNames(ctx, ds, pattern), metadataOf(ctx.upstream, ds)]);
    const found = pattern === undefined ? byWords(match, names, metadata) : names;
    const what = `${JSON.stringify(match.trim())} · last hour · ${ds.name}`;
    if (found.length === 0) {
      const all = pattern === undefined ? names : await metricNames(ctx, ds, undefined);
      return { head: [`no metric fits ${what}`], rows: nothing(match, all) };
    }
    const page = found.slice(0, limit);
    const counts = await seriesCounts(ctx, ds, page);
    const rows = page.map((name) => {
      const facts = factsOf(metadata, name);
      const count = counts.get(name);
      return [
        name,
        facts?.type ?? '',
        facts?.unit ?? '',
        count === undefined ? '' : `${count} series`,
        facts?.help ?? '',
      ];
    });
    return {
      head: (shown) => [`${shown < found.length ? `${shown} of ` : ''}${plural(found.length, 'metric')} for ${what}`],
      rows: alignRows(rows, [false, false, false, true]),
      after: (shown) => (shown < found.length ? ['more exist: add a word, or raise limit'] : []),
    };
  },
});

async function metricNames(ctx: ToolContext, ds: Datasource, selector: string | undefined): Promise<string[]> {
  const match = selector === undefined ? {} : { match: [selector] };
  const q = { start: ctx.now - HOUR_MS, end: ctx.now, ...match };
  try {
    return (await promLabelValues(ctx.upstream, ds, '__name__', q)).values;
  } catch (error) {
    if (selector === undefined || !(error instanceof GatewayError) || error.code !== 'bad_query') throw error;
    const { said } = error.details;
    throw new GatewayError('bad_argument', 'The argument "match" is no regular expression that Prometheus reads.', {
      ...(said === undefined ? {} : { said }),
      remedy: 'Correct it (RE2 syntax, matched anywhere in the name), or pass plain words.',
      cause: error,
    });
  }
}

/** `*pool*` is how shells and file dialogues say it: no expression begins with a quantifier. */
function expressionOf(match: string): string {
  if (!/(?:^|[|(])[*?]/.test(match)) return match;
  return match
    .replace(/[.+^${}()[\]\\]/g, '\\$&')
    .replace(/\*/g, '.*')
    .replace(/\?/g, '.');
}

/** Characters that no word has. Prometheus runs the expression, so none can hang the gateway. */
function isPattern(match: string): boolean {
  return /[\^$*+|\\[\]]/.test(match);
}

/** All words in the name first, then those that need the help; shorter names before longer ones. */
function byWords(match: string, names: readonly string[], metadata: Map<string, MetricMetadata>): string[] {
  const words = match
    .toLowerCase()
    .split(/[\s,_]+/)
    .filter((word) => word !== '');
  const ranked = names.flatMap((name) => {
    const lower = name.toLowerCase();
    const help = (factsOf(metadata, name)?.help ?? '').toLowerCase();
    if (words.every((word) => lower.includes(word))) return [{ name, rank: lower === words.join('_') ? 0 : 1 }];
    return words.every((word) => lower.includes(word) || help.includes(word)) ? [{ name, rank: 2 }] : [];
  });
  const order = (a: string, b: string) => a.length - b.length || (a < b ? -1 : 1);
  return ranked.sort((a, b) => a.rank - b.rank || order(a.name, b.name)).map(({ name }) => name);
}

function nothing(match: string, names: readonly string[]): string[] {
  if (names.length === 0) return ['there is no metric at all in the last hour'];
  const words = match
    .toLowerCase()
    .split(/[\s,_]+/)
    .filter((word) => word.length > 2);
  const partly = names.filter((name) => words.some((word) => name.toLowerCase().includes(word)));
  const near = nearest(match.trim().replace(/\s+/g, '_'), names);
  return [
    ...(near === undefined ? [] : [`near: ${near}`]),
    ...(partly.length > 0 ? [`with one of the words: ${some(partly, 15)}`] : []),
    `${names.length.toLocaleString('en-US')} metrics exist, among them: ${some(names, 15)}`,
  ];
}

/** Series now by metric, in one query; empty when it fails. */
async function seriesCounts(ctx: ToolContext, ds: Datasource, names: readonly string[]): Promise<Map<string, number>> {
  const plain = names.filter((name) => /^[a-zA-Z_:][\w:]*$/.test(name));
  if (plain.length === 0) return new Map();
  try {
    const query = `count by (__name__) ({__name__=~"${plain.join('|')}"})`;
    const result = await promQuery(ctx.upstream, ds, { query, time: ctx.now });
    if (result.type !== 'vector') return new Map();
    return new Map(result.series.map((one) => [one.labels.__name__ ?? '', one.values[0] ?? 0]));
  } catch (error) {
    if (ctx.call.signal.aborted) throw error;
    return new Map();
  }
}
