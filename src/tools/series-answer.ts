import type { Answer } from '../answer/answer.ts';
import { showLabels } from '../answer/table.ts';
import { plural } from '../answer/text.ts';
import type { QueryResult, Series } from '../grafana/upstream.ts';
import type { ToolContext } from '../mcp/define.ts';
import { manySeries } from '../metrics/many.ts';
import { plain } from '../metrics/numbers.ts';
import { pointRows } from '../metrics/points.ts';
import { seriesTable, vectorTable } from '../metrics/table.ts';
import {
  allLine,
  countLine,
  firstLine,
  MANY,
  narrower,
  quantileHint,
  type SeriesQuestion,
  saidOf,
} from './series-frame.ts';

/** Series of a range or an instant as lines for people. */
export async function seriesAnswer(
  ctx: ToolContext,
  q: SeriesQuestion,
  result: Exclude<QueryResult, { type: 'streams' }>,
): Promise<Answer> {
  const first = firstLine(q, ctx.settings.timezone);
  const said = saidOf(result);
  const link = q.link === undefined ? {} : { link: q.link };
  if (result.type === 'scalar' || result.type === 'string') {
    const rows = [result.type === 'scalar' ? plain(result.value) : result.text];
    return { head: [first], lead: said, rows, after: () => q.notes, ...link };
  }
  const { series } = result;
  if (series.length === 0) {
    const why = await q.whyNothing();
    return { head: [`no series · ${first}`], lead: said, rows: why, after: () => q.notes, ...link };
  }
  if (series.length > MANY && q.detail === 'summary') {
    const many = await manySeries(q.query, series, q.unit === undefined ? {} : { unit: q.unit });
    const instead = await narrower(q, series);
    const lead = [...said, many.line];
    return {
      head: [first],
      lead,
      rows: [...many.rows, ...(q.more ?? [])],
      after: () => [...q.notes, ...instead],
      ...link,
    };
  }
  const answer =
    q.step !== undefined && q.detail === 'points'
      ? await pointsAnswer(ctx, q, series)
      : await tableAnswer(ctx, q, series);
  return { ...answer, head: [first], lead: [...said, ...(answer.lead ?? [])], ...link };
}

type Body = Omit<Answer, 'head' | 'link'>;

async function tableAnswer(ctx: ToolContext, q: SeriesQuestion, series: readonly Series[]): Promise<Body> {
  const zone = ctx.settings.timezone;
  const { step, window } = q;
  const unit = q.unit === undefined ? {} : { unit: q.unit };
  const table =
    step === undefined
      ? await vectorTable(series, { zone, ...unit })
      : await seriesTable(series, {
          zone,
          stepMs: step.stepMs,
          start: Number(window.start / 1_000_000n),
          end: Number(window.end / 1_000_000n),
          ...unit,
          ...(q.absent === undefined ? {} : { absent: q.absent }),
          counter: q.counter !== undefined,
        });
  const speed = q.counter === undefined ? [] : [`a counter; its speed: rate(${q.counter}[5m])`];
  const points = Math.max(...series.map((one) => Math.max(one.times.length, one.histograms?.length ?? 0)));
  const hint = q.pointsHint === undefined ? '' : ` · ${q.pointsHint}`;
  const tail = step === undefined ? '' : `, at most ${plural(points, 'point')} each${hint}`;
  const count = (shown: number) =>
    `${countLine(shown, series.length, tail)}${shown < series.length ? ' · aggregate to see all' : ''}`;
  return {
    lead: [...allLine(table.shared), ...(table.header === undefined ? [] : [table.header])],
    rows: [...table.rows, ...(q.more ?? [])],
    after: (shown) => [count(shown), ...speed, ...quantileHint(q.query, series), ...q.notes],
  };
}

async function pointsAnswer(ctx: ToolContext, q: SeriesQuestion, series: readonly Series[]): Promise<Body> {
  const zone = ctx.settings.timezone;
  const unit = q.unit === undefined ? {} : { unit: q.unit };
  // Few series get many points: all together fill about one answer.
  const max = Math.max(4, Math.floor(240 / series.length));
  const shownPoints = await Promise.all(series.map((one) => pointRows(one, { zone, max, ...unit })));
  const rows = series.map((one, i) => `${showLabels(one.labels) || 'value'}: ${(shownPoints[i] ?? []).join(' · ')}`);
  const thinned = series.some((one) => one.times.length > max);
  const note = thinned
    ? ['thinned: the extremes of each stretch stay; a narrower window or larger step shows all']
    : [];
  const instead = series.length > MANY ? await narrower(q, series) : [];
  return {
    rows: [...rows, ...(q.more ?? [])],
    after: (shown) => [countLine(shown, series.length), ...note, ...(shown < series.length ? instead : []), ...q.notes],
  };
}
