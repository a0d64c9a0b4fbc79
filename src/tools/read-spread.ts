import { lokiQueryRange } from '../grafana/loki.ts';
import type { Datasource } from '../grafana/upstream.ts';
import { BUCKETS } from '../logs/digest.ts';
import { readLevel } from '../logs/level.ts';
import { type MergedEntry, mergeStreams } from '../logs/merge.ts';
import type { ToolContext } from '../mcp/define.ts';
import { countLines } from './count-lines.ts';
import { streamsOf } from './log-lines.ts';

/** Lines that are read of one window at most. */
const MOST_LINES = 5_000;
/** As many as the sparkline has places, so that none of them is read more than another. */
const SLICES = BUCKETS;

export interface Spread {
  /** Newest first. */
  entries: MergedEntry[];
  /** Lines of the window that each entry stands for; undefined where all were read. */
  weights?: number[];
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
  const slices = await Promise.all(
    parts.reverse().map(async (part): Promise<Slice> => ({ part, entries: await read(part, share), limit: share })),
  );
  // What empty parts leave of the budget goes to those that held more.
  const full = slices.filter(isFull).length;
  const spare = MOST_LINES - slices.reduce((sum, { entries }) => sum + entries.length, 0);
  const limit = share + (full === 0 ? 0 : Math.floor(spare / full));
  const all =
    limit < share * 2
      ? slices
      : await Promise.all(
          slices.map(async (slice) =>
            isFull(slice) ? { ...slice, limit, entries: await read(slice.part, limit) } : slice,
          ),
        );
  const entries = all.flatMap((slice) => slice.entries);
  const weights = weightsOf(all, total);
  return {
    entries,
    levels: levels ?? new Map(),
    ...(total === undefined ? {} : { total }),
    ...(weights === undefined ? {} : { weights }),
  };
}

interface Slice {
  part: Bounds;
  /** Newest first. */
  entries: MergedEntry[];
  limit: number;
}

const isFull = ({ entries, limit }: Slice) => entries.length >= limit;

/**
 * Lines that each entry stands for: of a part of which only the newest lines were read, as many as fill it at the rate
 * of those, together as many as were counted. Undefined where all lines were read.
 */
function weightsOf(slices: readonly Slice[], total: number | undefined): number[] | undefined {
  const guesses = slices.map((slice) => {
    const { part, entries } = slice;
    const oldest = entries.at(-1)?.ts;
    if (!isFull(slice) || oldest === undefined) return 1;
    return Number(part.end - part.start) / Math.max(1, Number(part.end - oldest));
  });
  const lines = (guessed: boolean) =>
    slices.reduce(
      (sum, slice, i) => sum + (isFull(slice) === guessed ? slice.entries.length * (guesses[i] ?? 1) : 0),
      0,
    );
  const guessed = lines(true);
  if (guessed === 0) return undefined;
  const factor = total === undefined ? 1 : Math.max(0, total - lines(false)) / guessed;
  return slices.flatMap((slice, i) =>
    slice.entries.map(() => (isFull(slice) ? Math.max(1, (guesses[i] ?? 1) * factor) : 1)),
  );
}

/** True counts by level, '' for lines without one; undefined when they cannot be had. */
async function countByLevel(
  ctx: ToolContext,
  ds: Datasource,
  query: string,
  window: Bounds,
): Promise<Map<string, number> | undefined> {
  const counts = await countLines(ctx, ds, query, ['level', 'severity', 'detected_level'], window);
  if (counts === undefined) return undefined;
  const levels = new Map<string, number>();
  for (const { labels, lines } of counts) {
    const word = labels.level ?? labels.severity ?? labels.detected_level ?? '';
    const level = readLevel(word) ?? (word === 'unknown' ? '' : word);
    levels.set(level, (levels.get(level) ?? 0) + lines);
  }
  return levels;
}
