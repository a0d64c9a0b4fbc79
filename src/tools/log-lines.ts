import type { Answer } from '../answer/answer.ts';
import { plural } from '../answer/text.ts';
import { GatewayError } from '../errors.ts';
import { lokiQueryRange } from '../grafana/loki.ts';
import type { Datasource, QueryResult } from '../grafana/upstream.ts';
import { afterCursor, cursorAfter, skipSeen } from '../logs/cursor.ts';
import { classifyLogql } from '../logs/logql.ts';
import { type MergedEntry, mergeStreams } from '../logs/merge.ts';
import { countEntries, type LogRow, logRows } from '../logs/rows.ts';
import type { ToolContext } from '../mcp/define.ts';
import { showIso, showSpan, showWindow } from '../time/show.ts';
import type { Window } from '../time/window.ts';
import { explained } from './explain.ts';
import { linkOf } from './link.ts';
import { type LogPage, type LogQuestion, writeLogCursor } from './log-cursor.ts';
import { whyNoLines } from './no-lines.ts';
import { withinBudget } from './scan-budget.ts';

export interface LineOptions {
  limit: number;
  detail: 'short' | 'raw';
  /** What was adjusted on the way here, for the answer. */
  notes: string[];
}

/** One page of log lines, merged over streams, with the cursor to the next. `query` is the one that is sent. */
export async function logLines(
  ctx: ToolContext,
  ds: Datasource,
  query: string,
  question: LogQuestion,
  page: LogPage,
  opt: LineOptions,
): Promise<Answer> {
  const { window, cursor } = page;
  const { direction } = question;
  const bounds = cursor === undefined ? { ...window, extra: 0 } : afterCursor(window, cursor, direction);
  const asked = opt.limit + bounds.extra;
  const { start, end } = bounds;
  // The pages behind the first read no more than it might have.
  const cost = await withinBudget(ctx, ds, query, cursor === undefined ? [{ start, end, instant: false }] : []);
  const sent = lokiQueryRange(ctx.upstream, ds, { query, start, end, limit: asked, direction });
  const result = streamsOf(await explained('loki', query, sent));
  const merged = mergeStreams(result.streams, direction);
  const unseen = cursor === undefined ? merged : skipSeen(merged, cursor);
  const entries = unseen.slice(0, opt.limit);
  const full = merged.length >= (result.sentLimit ?? asked + 1);
  const where = `${showWindow(window, ctx.settings.timezone)} · ${ds.name}`;
  const notes = [...opt.notes, ...result.warnings, ...result.infos, ...cost.notes()];
  if (result.loweredTo !== undefined) notes.push(`Loki gives ${result.loweredTo} lines a query at most.`);
  const link = await linkOf(ctx, ds, { expr: query }, window);
  if (entries.length === 0) {
    if (cursor === undefined) return { ...(await whyNoLines(ctx, ds, query, window)), ...link };
    // Every line of the page was shown already, and the server cuts before the next instant.
    const stuck = full ? ['More lines share one instant than Loki gives at once: add a filter to see them.'] : [];
    return { head: [`no more lines · ${where}`], after: () => [...stuck, ...notes], ...link };
  }
  const { lead, rows: all } = logRows(entries, { zone: ctx.settings.timezone, detail: opt.detail, direction });
  const rows: LogRow[] = [];
  const order = direction === 'forward' ? 'oldest first' : 'newest first';
  const more = (shown: number) => full || unseen.length > shown;
  // Read once, however many lengths the edge tries.
  let counted: string[] | undefined;
  const instead = () => (counted ??= countInstead(query, entries, window));
  return {
    head: (kept) => {
      const shown = countEntries(rows, kept);
      return [`${plural(shown, 'line')}, ${order}, ${more(shown) ? 'more exist' : 'no more'} · ${where}`];
    },
    lead,
    rows: textsOf(all, rows),
    after: (kept) => {
      const shown = countEntries(rows, kept);
      if (!more(shown)) return notes;
      const next = cursorAfter(entries, shown, cursor);
      const way = direction === 'forward' ? 'newer' : 'older';
      return [
        ...notes,
        ...(next === undefined || shown === 0 ? [] : [`${way}: cursor="${writeLogCursor(question, page, next)}"`]),
        ...instead(),
      ];
    },
    ...link,
  };
}

/** The rows' texts; each row that is read is added to `read`, for counting the entries it stands for. */
function* textsOf(rows: Iterable<LogRow>, read: LogRow[]): Generator<string> {
  for (const row of rows) {
    read.push(row);
    yield row.text;
  }
}

export function streamsOf(result: QueryResult): Extract<QueryResult, { type: 'streams' }> {
  if (result.type === 'streams') return result;
  throw new GatewayError('bad_upstream_answer', `Loki answered a log query with a ${result.type}.`);
}

/** A query to paste that counts all lines of the window, by level where lines have one. */
function countInstead(query: string, entries: readonly MergedEntry[], window: Window): string[] {
  const labels = entries.map((entry) => ({ ...entry.parsed, ...entry.metadata, ...entry.stream }));
  const streams = entries.map((entry) => entry.stream);
  const by =
    ['level', 'detected_level', 'severity'].find((name) => labels.some((own) => name in own)) ??
    Object.keys(streams[0] ?? {}).find((name) => new Set(streams.map((own) => own[name])).size > 1);
  const span = showSpan(Math.ceil(Number(window.end - window.start) / 1e9) * 1000);
  const counted = `sum${by === undefined ? '' : ` by (${by})`} (count_over_time(${query.trim()} [${span}]))`;
  const nowNs = BigInt(Math.floor(window.now ?? 0)) * 1_000_000n;
  const at = window.end === nowNs ? '' : ` with end="${showIso(window.end)}"`;
  // A comment would swallow what stands behind it.
  const lost = query.includes('#') && classifyLogql(counted).kind !== 'metric';
  return lost ? [] : [`count instead${at}: ${counted}`];
}
