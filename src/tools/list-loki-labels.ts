import { resolveDatasource } from '../grafana/datasources.ts';
import { lokiLabels, lokiLabelValues, lokiVolume } from '../grafana/loki.ts';
import type { Datasource } from '../grafana/upstream.ts';
import { defineTool, type ToolContext } from '../mcp/define.ts';
import { resolveWindow } from '../time/read.ts';
import { showWindow } from '../time/show.ts';
import { explained } from './explain.ts';
import { labelAnswer, labelOutput, noSuchLabel } from './label-list.ts';
import { datasource, end, start } from './parameters.ts';

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
    const query = selector === undefined ? {} : { query: selector };
    const q = { start: window.start, end: window.end, ...query };
    const up = ctx.upstream;
    const asked = label === undefined ? lokiLabels(up, ds, q) : lokiLabelValues(up, ds, label, q);
    const { values: all, ageMs } = await explained('loki', selector ?? '', asked);
    const items = all.filter((item) => item.toLowerCase().includes(match.trim().toLowerCase()));
    const some = label !== undefined && items.length > 0 && items.length <= MAX_VOLUMES;
    const bytes = some ? await volumes(ctx, ds, label, q) : new Map<string, number>();
    items.sort((a, b) => (bytes.get(b) ?? 0) - (bytes.get(a) ?? 0) || (a < b ? -1 : a > b ? 1 : 0));
    return labelAnswer({
      label,
      items,
      datasource: ds.uid,
      window: showWindow(window, ctx.settings.timezone),
      ageMs,
      narrow: 'narrow with match or selector.',
      ...(items.length > 0 ? {} : { nothing: await nothing() }),
      more: (shown) => (bytes.size === 0 ? {} : { bytes: pick(bytes, shown) }),
    });

    async function nothing(): Promise<string> {
      if (all.length > 0) return `Nothing contains ${JSON.stringify(match)}; without match there are ${all.length}.`;
      const { start: from, end: to } = window;
      const labels = label === undefined ? [] : (await lokiLabels(up, ds, { start: from, end: to })).values;
      return label === undefined ? 'No stream has a line in this window.' : noSuchLabel(label, labels);
    }
  },
});

/** Bytes by value of the label, as the index knows them; empty when the server cannot say. */
async function volumes(
  ctx: ToolContext,
  ds: Datasource,
  label: string,
  q: { start: bigint; end: bigint; query?: string },
): Promise<Map<string, number>> {
  try {
    const query = q.query ?? `{${label}=~".+"}`;
    const { start: from, end: to } = q;
    const found = await lokiVolume(ctx.upstream, ds, {
      query,
      start: from,
      end: to,
      targetLabels: [label],
      limit: MAX_VOLUMES,
    });
    return new Map((found ?? []).map(({ labels, bytes }) => [labels[label] ?? '', bytes]));
  } catch (error) {
    if (ctx.call.signal.aborted) throw error;
    return new Map();
  }
}

function pick(bytes: Map<string, number>, shown: readonly string[]): Record<string, number> {
  return Object.fromEntries(shown.flatMap((value) => (bytes.has(value) ? [[value, bytes.get(value) ?? 0]] : [])));
}
