import { lokiQueryRange } from '../grafana/loki.ts';
import type { Datasource } from '../grafana/upstream.ts';
import { byWeight, type LineGroup, recounted } from '../logs/digest.ts';
import { mergeStreams } from '../logs/merge.ts';
import { VARIES } from '../logs/normal.ts';
import type { ToolContext } from '../mcp/define.ts';
import { countLines } from './count-lines.ts';
import { streamsOf } from './log-lines.ts';

interface Bounds {
  start: bigint;
  end: bigint;
}

interface Seen {
  lines: readonly string[];
  /** The group of each line. */
  ids: readonly number[];
  window: Bounds;
  before: Bounds | undefined;
}

const MOST_COUNTED = 4;

/**
 * The groups, with true counts for the first of them where only some lines were read: what is said to be new should be.
 * A group is counted by what its lines alone hold; one without such words keeps its estimate.
 */
export async function recount(
  ctx: ToolContext,
  ds: Datasource,
  query: string,
  groups: readonly LineGroup[],
  { lines, ids, window, before }: Seen,
): Promise<LineGroup[]> {
  const alone = (needle: string, id: number) => lines.every((line, i) => ids[i] === id || !line.includes(needle));
  const count = async (filtered: string, bounds: Bounds) => {
    const counts = await countLines(ctx, ds, filtered, [], bounds);
    return counts?.reduce((sum, { lines: n }) => sum + n, 0);
  };
  const counted = await Promise.all(
    groups.slice(0, MOST_COUNTED).map(async (group) => {
      const needle = needleOf(query, group);
      const filtered = linesOf(query, group);
      if (needle === undefined || filtered === undefined || !alone(needle, group.id)) return group;
      const [n, was] = await Promise.all([count(filtered, window), before && count(filtered, before)]);
      if (n === undefined || (before !== undefined && was === undefined)) return group;
      const exact = recounted(group, n, was);
      // When it began is the first question about what is new.
      return exact.change === 'new' ? { ...exact, first: await firstOf(ctx, ds, filtered, group, window) } : exact;
    }),
  );
  return [...counted, ...groups.slice(MOST_COUNTED)].sort(byWeight);
}

/** Time of the first line of the query; of those read where it cannot be had. */
async function firstOf(ctx: ToolContext, ds: Datasource, query: string, { first }: LineGroup, window: Bounds) {
  try {
    const asked = { query, start: window.start, end: first + 1n, limit: 1, direction: 'forward' as const };
    const [entry] = mergeStreams(streamsOf(await lokiQueryRange(ctx.upstream, ds, asked)).streams, 'forward');
    return entry?.ts ?? first;
  } catch (error) {
    if (ctx.call.signal.aborted) throw error;
    return first;
  }
}

/** The log query for the lines of a group: that of all, filtered by the longest words that its lines have in common. */
export function linesOf(query: string, group: LineGroup): string | undefined {
  const needle = needleOf(query, group);
  return needle === undefined ? undefined : `${query.trim()} |= ${JSON.stringify(needle)}`;
}

function needleOf(query: string, { template, sample }: LineGroup): string | undefined {
  const [needle = ''] = template
    .replace(/^(?:trace|debug|info|warn|error|fatal|critical) /, '')
    .split(VARIES)
    .flatMap((part) => part.split(/["\\]/))
    .map((part) => part.trim())
    .sort((a, b) => b.length - a.length);
  // Behind a comment a filter would be one, too.
  return needle.length >= 4 && !query.includes('#') && sample.line.includes(needle) ? needle : undefined;
}
