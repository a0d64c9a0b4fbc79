import { resolveDatasource } from '../grafana/datasources.ts';
import { lokiLabels, lokiQuery } from '../grafana/loki.ts';
import { lokiVolume } from '../grafana/loki-index.ts';
import type { Datasource, Labels } from '../grafana/upstream.ts';
import { defineTool, type ToolContext } from '../mcp/define.ts';
import { resolveWindow } from '../time/read.ts';
import { showSpan, showWindow } from '../time/show.ts';
import { explained } from './explain.ts';
import { labelAnswer, labelOutput, noSuchLabel } from './label-list.ts';
import { datasource, end, start } from './parameters.ts';
import { withinBudget } from './scan-budget.ts';
import { selectedLabels } from './selected-labels.ts';

/** Above this the volumes cost more than they tell. */
const MAX_VOLUMES = 200;

export const listLokiLabels = defineTool({
  name: 'list_loki_labels',
  title: 'List labels of logs (Loki)',
  description:
    'Lists the labels of log streams, or the values of one label, largest volume first. Use it to find the right selector before a query. Default window: the last hour.',
  scopes: ['logs:read'],
  group: 'logs',
  parameters: {
    label: { type: 'string', description: 'The label whose values are wanted; absent: names of labels.' },
    selector: { type: 'string', description: 'Only streams that match, e.g. {env="prod"}.' },
    match: { type: 'string', description: 'Only names or values that contain this.' },
    datasource,
    start,
    end,
  },
  output: labelOutput,
  async run({ label, selector, match = '', ...args }, ctx) {
    const ds = await resolveDatasource(ctx.upstream, args.datasource, 'loki');
    ctx.noteDatasource?.(ds.uid);
    const window = await resolveWindow(args, ctx.now, { zone: ctx.settings.timezone });
    const bounds = { start: window.start, end: window.end };
    const asked = selectedLabels(ctx, ds, { label, selector, ...bounds });
    const { items: all, ageMs, ignored } = await explained('loki', selector ?? '', asked);
    const items = all.filter((item) => item.toLowerCase().includes(match.trim().toLowerCase()));
    const some = label !== undefined && items.length > 0 && items.length <= MAX_VOLUMES;
    const { unit, sizes } = some
      ? await volumes(ctx, ds, label, { ...bounds, ...(selector === undefined ? {} : { query: selector }) })
      : NO_VOLUMES;
    items.sort((a, b) => (sizes.get(b) ?? 0) - (sizes.get(a) ?? 0) || (a < b ? -1 : a > b ? 1 : 0));
    return labelAnswer({
      label,
      items,
      datasource: ds.uid,
      window: showWindow(window, ctx.settings.timezone),
      ageMs,
      narrow: 'narrow with match or selector.',
      ...(items.length > 0 ? {} : { nothing: await nothing() }),
      more: (shown) => (sizes.size === 0 ? {} : { [unit]: pick(sizes, shown) }),
      ...(ignored ? { remark: 'This Loki takes no selector here: this is read from the streams that match it.' } : {}),
    });

    async function nothing(): Promise<string> {
      if (all.length > 0) return `Nothing contains ${JSON.stringify(match)}; without match there are ${all.length}.`;
      const labels = label === undefined ? [] : (await lokiLabels(ctx.upstream, ds, bounds)).values;
      return label === undefined ? 'No stream has a line in this window.' : noSuchLabel(label, labels);
    }
  },
});

interface Volumes {
  unit: 'bytes' | 'lines';
  sizes: Map<string, number>;
}

const NO_VOLUMES: Volumes = { unit: 'bytes', sizes: new Map() };

/** By value of the label: bytes as the index knows them, else lines as a query counts them; empty when neither can be had. */
async function volumes(
  ctx: ToolContext,
  ds: Datasource,
  label: string,
  q: { start: bigint; end: bigint; query?: string },
): Promise<Volumes> {
  const { start, end, query = `{${label}=~".+"}` } = q;
  const of = (labels: Labels) => labels[label] ?? '';
  try {
    const targets = { targetLabels: [label], limit: MAX_VOLUMES };
    const found = await lokiVolume(ctx.upstream, ds, { query, start, end, ...targets });
    if (found !== undefined) {
      return { unit: 'bytes', sizes: new Map(found.map(({ labels, bytes }) => [of(labels), bytes])) };
    }
    const span = showSpan(Math.ceil(Number(end - start) / 1e6));
    const counted = `sum by (${label}) (count_over_time(${query} [${span}]))`;
    await withinBudget(ctx, ds, counted, [{ start, end, instant: true }]);
    const result = await lokiQuery(ctx.upstream, ds, { query: counted, time: end });
    const series = result.type === 'vector' ? result.series : [];
    return { unit: 'lines', sizes: new Map(series.map(({ labels, values }) => [of(labels), values.at(-1) ?? 0])) };
  } catch (error) {
    if (ctx.call.signal.aborted) throw error;
    return NO_VOLUMES;
  }
}

function pick(sizes: Map<string, number>, shown: readonly string[]): Record<string, number> {
  return Object.fromEntries(shown.flatMap((value) => (sizes.has(value) ? [[value, sizes.get(value) ?? 0]] : [])));
}
