import { lokiQuery, lokiQueryRange } from '../grafana/loki.ts';
import type { Datasource } from '../grafana/upstream.ts';
import { BUCKETS } from '../logs/digest.ts';
import { readLevel } from '../logs/level.ts';
import { classifyLogql } from '../logs/logql.ts';
import { type MergedEntry, mergeStreams } from '../logs/merge.ts';
import type { ToolContext } from '../mcp/define.ts';
import { showSpan } from '../time/show.ts';
import { streamsOf } from './log-lines.ts';

/** Lines that are read of one window at most. */
const MOST_LINES = 5_000;
/** As many as the sparkline has places, so that none of them is read more than another. */
const SLICES = BUCKETS;

export interface Spread {
  /** Newest first. */
  entries: MergedEntry[];
  /** Lines that the window holds by a metric query; undefined where none could be run. */
  total?: number;
  /** True counts by level; '' for lines without one. */
  levels: Map<string, number>;
}

interface Bounds {
  start: bigint;
  end: bigint;
}

/** The lines of a window: all of them, or as many as may be read, the same number from equal parts of it. */
export async function readSpread(ctx: ToolContext, ds: Datasource, query: string, window: Bounds): Promise<Spread> {
  const levels = await countByLevel(ctx, ds, query, window);
  const total = levels === undefined ? undefined : [...levels.values()].reduce((sum, n) => sum + n, 0);
  const read = async (part: Bounds, limit: number): Promise<MergedEntry[]> => {
    const asked = { query, start: part.start, end: part.end, limit, direction: 'backward' as const };
    return mergeStreams(streamsOf(await lokiQueryRange(ctx.upstream, ds, asked)).streams, 'backward').slice(0, limit);
  };
  if (total !== undefined && total <= MOST_LINES) {
    const entries = total === 0 ? [] : await read(window, MOST_LINES);
    // A server that gives fewer lines a query gave the newest of them alone: those are no picture of the window.
    if (entries.length >= total * 0.98) {
      // Lines may have come in meanwhile: what was read is what there is.
      return { entries, total: entries.length, levels: levels ?? new Map() };
    }
  }
  const width = (window.end - window.start) / BigInt(SLICES);
  const parts = Array.from({ length: SLICES }, (_, i): Bounds => {
    const start = window.start + width * BigInt(i);
    return { start, end: i === SLICES - 1 ? window.end : start + width };
  });
  const share = MOST_LINES / SLICES;
  const slices = await Promise.all(parts.reverse().map((part) => read(part, share)));
  // What empty parts leave of the budget goes to those that held more.
  const full = slices.filter((slice) => slice.length === share).length;
  const spare = MOST_LINES - slices.reduce((sum, slice) => sum + slice.length, 0);
  const more = full === 0 ? 0 : Math.floor(spare / full);
  const all =
    more < share
      ? slices
      : await Promise.all(
          slices.map(async (slice, i) => {
            const part = parts[i];
            return slice.length === share && part !== undefined ? await read(part, share + more) : slice;
          }),
        );
  return { entries: all.flat(), levels: levels ?? new Map(), ...(total === undefined ? {} : { total }) };
}

/** One metric query over the whole window; undefined when it cannot be made of this query, or fails. */
async function countByLevel(
  ctx: ToolContext,
  ds: Datasource,
  query: string,
  { start, end }: Bounds,
): Promise<Map<string, number> | undefined> {
  const span = showSpan(Math.ceil(Number(end - start) / 1e6));
  const counted = `sum by (level, severity, detected_level) (count_over_time(${query.trim()}\n[${span}]))`;
  if (classifyLogql(counted).kind !== 'metric') return undefined;
  try {
    const result = await lokiQuery(ctx.upstream, ds, { query: counted, time: end });
    if (result.type !== 'vector') return undefined;
    const levels = new Map<string, number>();
    for (const { labels, values } of result.series) {
      const word = labels.level ?? labels.severity ?? labels.detected_level ?? '';
      const level = readLevel(word) ?? (word === 'unknown' ? '' : word);
      levels.set(level, (levels.get(level) ?? 0) + (values.at(-1) ?? 0));
    }
    return levels;
  } catch (error) {
    if (ctx.call.signal.aborted) throw error;
    return undefined;
  }
}
