import { GatewayError } from '../errors.ts';
import { resolveDatasource } from '../grafana/datasources.ts';
import { promQuery, promQueryRange } from '../grafana/prometheus.ts';
import type { QueryResult, Series } from '../grafana/upstream.ts';
import { defineTool } from '../mcp/define.ts';
import { rawCounter } from '../metrics/counter.ts';
import { queryUnit } from '../metrics/units.ts';
import { resolveWindow } from '../time/read.ts';
import { chooseStep } from '../time/step.ts';
import { expandIntervals } from '../time/variables.ts';
import { comparedWith } from './compared-with.ts';
import { exemplarRows } from './exemplar-rows.ts';
import { explained } from './explain.ts';
import { linkOf } from './link.ts';
import { factsOf, metadataOf, scrapeOf } from './metric-facts.ts';
import { whyNoSeries } from './no-series.ts';
import { datasource, end, start } from './parameters.ts';
import { seriesAnswer } from './series-answer.ts';
import { compareAnswer } from './series-compare.ts';
import { type SeriesQuestion, saidOf } from './series-frame.ts';

/** Prometheus's own default is longer; Grafana's, which its interval variables follow, is this. */
const DEFAULT_SCRAPE_MS = 15_000;

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
    exemplars: { type: 'boolean', description: 'Trace ids near the largest points.' },
    compare: {
      type: 'string',
      description: '"previous" (as long before), "1d", "1w", or an instant: since it, against before it.',
    },
  },
  async run(args, ctx) {
    const ds = await resolveDatasource(ctx.upstream, args.datasource, 'prometheus');
    ctx.noteDatasource?.(ds.uid);
    const zone = ctx.settings.timezone;
    const startGiven = args.start !== undefined;
    const given = await resolveWindow(args, ctx.now, { zone });
    const { compare = 'none' } = args;
    const { window, before } = await comparedWith(compare, given, startGiven, ctx);
    // Since an instant: a window, though none was given.
    const isRange = startGiven || args.step !== undefined || window.start !== given.start;
    const longer = before === undefined || spanOf(before) < spanOf(window) ? window : before;
    const scrapeMs = scrapeOf(ds) ?? DEFAULT_SCRAPE_MS;
    const step = chooseStep(longer, { given: args.step, scrapeMs });
    const rangeMs = Number(spanOf(window)) / 1e6;
    const { query, replaced } = expandIntervals(args.promql, { stepMs: step.stepMs, rangeMs, scrapeMs });
    const read = async ({ start: from, end: to }: { start: bigint; end: bigint }) => {
      const result = await (isRange
        ? promQueryRange(ctx.upstream, ds, { query, start: ms(from), end: ms(to), stepMs: step.stepMs })
        : promQuery(ctx.upstream, ds, { query, time: ms(to) }));
      if (result.type !== 'streams') return result;
      throw new GatewayError('bad_upstream_answer', 'Prometheus answered with log lines.');
    };
    const asked = explained('prometheus', query, Promise.all([read(window), before && read(before)]));
    const [[result, old], metadata] = await Promise.all([asked, metadataOf(ctx.upstream, ds)]);
    const counter = rawCounter(query, (metric) => factsOf(metadata, metric)?.type);
    const question: SeriesQuestion = {
      query,
      ds,
      window,
      ...(isRange ? { step } : {}),
      detail: args.detail ?? 'summary',
      unit: queryUnit(query, (metric) => factsOf(metadata, metric)?.unit),
      notes: replaced.length > 0 ? [`replaced: ${replaced.join(', ')}`] : [],
      pointsHint: 'detail="points" for the values',
      ...(counter === undefined ? {} : { counter: counter.text }),
      whyNothing: () => whyNoSeries(ctx, ds, query, window, { instant: !isRange }),
      ...(await linkOf(ctx, ds, { expr: query, instant: !isRange }, window)),
    };
    if (args.exemplars === true) {
      const found = await exemplarRows(ctx, ds, query, window, step.stepMs, seriesOf(result));
      question.more = found.rows;
      question.notes.push(...found.notes);
    }
    if (before === undefined || old === undefined) return await seriesAnswer(ctx, question, result);
    const said = saidOf({ warnings: [...result.warnings, ...old.warnings], infos: [...result.infos, ...old.infos] });
    return await compareAnswer(ctx, question, before, { now: seriesOf(result), before: seriesOf(old) }, [
      ...new Set(said),
    ]);
  },
});

function spanOf({ start, end }: { start: bigint; end: bigint }): bigint {
  return end - start;
}

function ms(ns: bigint): number {
  return Number(ns / 1_000_000n);
}

/** A number is a series without labels. */
function seriesOf(result: Exclude<QueryResult, { type: 'streams' }>): readonly Series[] {
  if (result.type === 'string') return [];
  return result.type === 'scalar' ? [{ labels: {}, times: [result.time], values: [result.value] }] : result.series;
}
