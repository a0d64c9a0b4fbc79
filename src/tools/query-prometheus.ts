import { GatewayError } from '../errors.ts';
import { resolveDatasource } from '../grafana/datasources.ts';
import { promQuery, promQueryRange } from '../grafana/prometheus.ts';
import { defineTool } from '../mcp/define.ts';
import { queryUnit } from '../metrics/units.ts';
import { resolveWindow } from '../time/read.ts';
import { chooseStep } from '../time/step.ts';
import { expandIntervals } from '../time/variables.ts';
import { explained } from './explain.ts';
import { linkOf } from './link.ts';
import { factsOf, metadataOf, scrapeOf } from './metric-facts.ts';
import { whyNoSeries } from './no-series.ts';
import { datasource, end, start } from './parameters.ts';
import { seriesAnswer } from './series-answer.ts';

export const queryPrometheus = defineTool({
  name: 'query_prometheus',
  title: 'Query metrics (Prometheus)',
  description:
    'Runs a PromQL query: at one instant (end, default now), or over a window when start or step is given, then with first, last, min, max, mean and trend of each series. Use it for rates, errors, latencies and resources. Above 50 series it gives a summary and narrower queries.',
  scopes: ['metrics:read'],
  group: 'metrics',
  parameters: {
    promql: { type: 'string', required: true, description: 'PromQL, e.g. sum by (job) (rate(x_total[5m])).' },
    datasource,
    start,
    end,
    step: { type: 'string', description: 'Seconds or "30s"; default by the window.' },
    detail: { type: 'string', enum: ['summary', 'points'], description: 'points: the values; default summary.' },
  },
  async run(args, ctx) {
    const ds = await resolveDatasource(ctx.upstream, args.datasource, 'prometheus');
    ctx.noteDatasource?.(ds.uid);
    const window = await resolveWindow(args, ctx.now, { zone: ctx.settings.timezone });
    const scrapeMs = scrapeOf(ds);
    const scrape = scrapeMs === undefined ? {} : { scrapeMs };
    const step = chooseStep(window, { given: args.step, ...scrape });
    const rangeMs = Number(window.end - window.start) / 1e6;
    const { query, replaced } = expandIntervals(args.promql, { stepMs: step.stepMs, rangeMs, ...scrape });
    const isRange = args.start !== undefined || args.step !== undefined;
    const [from, to] = [Number(window.start / 1_000_000n), Number(window.end / 1_000_000n)];
    const asked = isRange
      ? promQueryRange(ctx.upstream, ds, { query, start: from, end: to, stepMs: step.stepMs })
      : promQuery(ctx.upstream, ds, { query, time: to });
    const [result, metadata] = await Promise.all([explained('prometheus', query, asked), metadataOf(ctx.upstream, ds)]);
    if (result.type === 'streams') {
      throw new GatewayError('bad_upstream_answer', 'Prometheus answered with log lines.');
    }
    return await seriesAnswer(
      ctx,
      {
        query,
        ds,
        window,
        ...(isRange ? { step } : {}),
        detail: args.detail ?? 'summary',
        unit: queryUnit(query, (metric) => factsOf(metadata, metric)?.unit),
        notes: replaced.length > 0 ? [`replaced: ${replaced.join(', ')}`] : [],
        pointsHint: 'detail="points" for the values',
        whyNothing: () => whyNoSeries(ctx, ds, query, window),
        ...(await linkOf(ctx, ds, { expr: query, instant: !isRange }, window)),
      },
      result,
    );
  },
});
