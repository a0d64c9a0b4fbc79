import { resolveDatasource } from '../grafana/datasources.ts';
import { promLabels, promLabelValues } from '../grafana/prometheus.ts';
import { defineTool } from '../mcp/define.ts';
import { resolveWindow } from '../time/read.ts';
import { showWindow } from '../time/show.ts';
import { explained } from './explain.ts';
import { labelAnswer, labelOutput, noSuchLabel } from './label-list.ts';
import { datasource, end, start } from './parameters.ts';

export const listPrometheusLabels = defineTool({
  name: 'list_prometheus_labels',
  title: 'List labels of metrics (Prometheus)',
  description:
    'Lists the labels of metrics, or the values of one label. Use it to find matchers before a query; for metric names search_metrics is better. Default window: the last hour.',
  scopes: ['metrics:read'],
  group: 'metrics',
  parameters: {
    label: { type: 'string', description: 'The label whose values are wanted; absent: names of labels.' },
    selector: { type: 'string', description: 'Only series that match, e.g. up{env="prod"}.' },
    datasource,
    start,
    end,
  },
  output: labelOutput,
  async run({ label, selector, ...args }, ctx) {
    const ds = await resolveDatasource(ctx.upstream, args.datasource, 'prometheus');
    ctx.noteDatasource?.(ds.uid);
    const window = await resolveWindow(args, ctx.now, { zone: ctx.settings.timezone });
    const bounds = { start: Number(window.start / 1_000_000n), end: Number(window.end / 1_000_000n) };
    const q = { ...bounds, ...(selector === undefined ? {} : { match: [selector] }) };
    const up = ctx.upstream;
    const asked = label === undefined ? promLabels(up, ds, q) : promLabelValues(up, ds, label, q);
    const { values: items, ageMs } = await explained('prometheus', selector ?? '', asked);
    return labelAnswer({
      label,
      items,
      datasource: ds.uid,
      window: showWindow(window, ctx.settings.timezone),
      ageMs,
      narrow: 'narrow with selector.',
      ...(items.length > 0 ? {} : { nothing: await nothing() }),
    });

    async function nothing(): Promise<string> {
      const labels = label === undefined ? [] : (await promLabels(up, ds, bounds)).values;
      return label === undefined ? 'No series fits in this window.' : noSuchLabel(label, labels);
    }
  },
});
