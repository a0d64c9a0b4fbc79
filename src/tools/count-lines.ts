import { lokiQuery } from '../grafana/loki.ts';
import type { Datasource, Labels } from '../grafana/upstream.ts';
import { classifyLogql } from '../logs/logql.ts';
import type { ToolContext } from '../mcp/define.ts';
import { showSpan } from '../time/show.ts';

/**
 * All lines of a log query in a window (ns), counted by labels: one metric query that reads what the lines would.
 * Undefined when it cannot be made of this query, or fails.
 */
export async function countLines(
  ctx: ToolContext,
  ds: Datasource,
  query: string,
  by: readonly string[],
  { start, end }: { start: bigint; end: bigint },
): Promise<{ labels: Labels; lines: number }[] | undefined> {
  const span = showSpan(Math.ceil(Number(end - start) / 1e6));
  const counted = `sum${by.length === 0 ? '' : ` by (${by.join(', ')})`} (count_over_time(${query.trim()}\n[${span}]))`;
  if (classifyLogql(counted).kind !== 'metric') return undefined;
  try {
    const result = await lokiQuery(ctx.upstream, ds, { query: counted, time: end });
    if (result.type !== 'vector') return undefined;
    return result.series.map(({ labels, values }) => ({ labels, lines: values.at(-1) ?? 0 }));
  } catch (error) {
    if (ctx.call.signal.aborted) throw error;
    return undefined;
  }
}
