import type { Answer } from '../answer/answer.ts';
import type { Series } from '../grafana/upstream.ts';
import type { ToolContext } from '../mcp/define.ts';
import { compareTable } from '../metrics/compare.ts';
import { showWindow } from '../time/show.ts';
import { allLine, atInstant, countLine, firstLine, MANY, narrower, type SeriesQuestion } from './series-frame.ts';

/** The series of a window beside those of the one before: both, and the change. */
export async function compareAnswer(
  ctx: ToolContext,
  q: SeriesQuestion,
  before: { start: bigint; end: bigint },
  series: { now: readonly Series[]; before: readonly Series[] },
  said: string[],
): Promise<Answer> {
  const zone = ctx.settings.timezone;
  const link = q.link === undefined ? {} : { link: q.link };
  const first = firstLine(q, zone);
  const other = { ...q.window, ...before, defaulted: false };
  const against = `compared with ${q.step === undefined ? atInstant(other, zone).replace(/^at /, '') : showWindow(other, zone)}`;
  if (series.now.length + series.before.length === 0) {
    const why = await q.whyNothing();
    return { head: [`no series · ${first}`, against], lead: said, rows: why, after: () => q.notes, ...link };
  }
  const { shared, header, rows, counts } = await compareTable(series.now, series.before, {
    zone,
    instant: q.step === undefined,
    start: ms(q.window.start),
    end: ms(q.window.end),
    beforeStart: ms(before.start),
    beforeEnd: ms(before.end),
    ...(q.step === undefined ? {} : { stepMs: q.step.stepMs }),
    ...(q.unit === undefined ? {} : { unit: q.unit }),
  });
  const instead = rows.length > MANY ? await narrower(q, series.now.length > 0 ? series.now : series.before) : [];
  const changes =
    series.before.length === 0
      ? 'no series then, so that nothing is compared'
      : `${counts.changed} changed, ${counts.fresh} new, ${counts.gone} gone`;
  return {
    head: [first, `${against}: ${changes}`],
    lead: [...said, ...allLine(shared), ...(header === undefined ? [] : [header])],
    rows: [...rows, ...(q.more ?? [])],
    after: (shown) => [
      `${countLine(shown, rows.length)}, by the change of the ${q.step === undefined ? 'value' : 'mean'}`,
      ...(shown < rows.length ? instead : []),
      ...q.notes,
    ],
    ...link,
  };
}

function ms(ns: bigint): number {
  return Number(ns / 1_000_000n);
}
