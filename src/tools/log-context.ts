import type { Answer } from '../answer/answer.ts';
import { MAX_ROW } from '../answer/edge.ts';
import { plural } from '../answer/text.ts';
import { lokiQueryRange } from '../grafana/loki.ts';
import type { Datasource } from '../grafana/upstream.ts';
import { mergeStreams } from '../logs/merge.ts';
import { countEntries, type LogRow, logRows } from '../logs/rows.ts';
import type { ToolContext } from '../mcp/define.ts';
import { readInstant, resolveWindow } from '../time/read.ts';
import { detailOf, showInstant, showIso, showWindow } from '../time/show.ts';
import { explained } from './explain.ts';
import { linkOf } from './link.ts';
import { type LineOptions, streamsOf } from './log-lines.ts';
import { whyNoLines } from './no-lines.ts';
import { withinBudget } from './scan-budget.ts';

const REACH = 15n * 60_000_000_000n;

/** The lines before and after an instant, oldest first, those at the instant itself marked with `>`. */
export async function logContext(
  ctx: ToolContext,
  ds: Datasource,
  query: string,
  args: { around: string; start?: string | undefined; end?: string | undefined },
  opt: LineOptions,
): Promise<Answer> {
  const zone = ctx.settings.timezone;
  const at = await readInstant(args.around, ctx.now, { zone });
  const window = await resolveWindow(
    { start: args.start ?? showIso(at > REACH ? at - REACH : 0n), end: args.end ?? showIso(at + REACH) },
    ctx.now,
    { zone },
  );
  const { start, end } = window;
  const cost = await withinBudget(ctx, ds, query, [{ start, end, instant: false }]);
  const half = Math.max(1, Math.floor(opt.limit / 2));
  const ask = (start: bigint, end: bigint, direction: 'forward' | 'backward') =>
    start >= end
      ? Promise.resolve([])
      : explained('loki', query, lokiQueryRange(ctx.upstream, ds, { query, start, end, limit: half, direction })).then(
          (result) => mergeStreams(streamsOf(result).streams, direction),
        );
  const min = (a: bigint, b: bigint) => (a < b ? a : b);
  const max = (a: bigint, b: bigint) => (a > b ? a : b);
  const [before, after] = await Promise.all([
    ask(window.start, min(at, window.end), 'backward'),
    ask(max(at, window.start), window.end, 'forward'),
  ]);
  const link = await linkOf(ctx, ds, { expr: query }, window);
  if (before.length + after.length === 0) return { ...(await whyNoLines(ctx, ds, query, window)), ...link };
  const earlier = before.slice(0, half).reverse();
  const later = after.slice(0, half);
  const page = logRows([...earlier, ...later], {
    zone,
    detail: opt.detail,
    direction: 'forward',
    mark: at,
  });
  const all = [...page.rows];
  const rows = nearHalf(all, earlier.length, ctx.settings.answerChars * 0.4);
  const instant = showInstant(at, zone, detailOf([at]));
  return {
    head: (kept) => [
      `${plural(countEntries(rows, kept), 'line')} around ${instant}, oldest first · ${showWindow(window, zone)} · ${ds.name}`,
    ],
    lead: page.lead,
    rows: rows.map((row) => row.text),
    after: (kept) => [
      ...opt.notes,
      ...cost.notes(),
      ...(before.length > half || rows.length < all.length ? ['more exist before: repeat with an earlier around'] : []),
      ...(after.length > half || kept < rows.length ? ['more exist after: repeat with a later around'] : []),
    ],
    ...link,
  };
}

/** The edge cuts from the end, so the lines before the instant may take their share only: the farthest of them fall away. */
function nearHalf(rows: readonly LogRow[], earlier: number, chars: number): LogRow[] {
  let from = 0;
  for (let entries = 0; from < rows.length && entries < earlier; from++) entries += rows[from]?.entries ?? 0;
  let used = 0;
  while (from > 0 && used + Math.min(rows[from - 1]?.text.length ?? 0, MAX_ROW) <= chars) {
    from--;
    used += Math.min(rows[from]?.text.length ?? 0, MAX_ROW);
  }
  return rows.slice(from);
}
