import { lokiLabels, lokiQueryRange } from '../grafana/loki.ts';
import type { Datasource } from '../grafana/upstream.ts';
import type { LineGroup } from '../logs/digest.ts';
import { serviceLabel } from '../logs/service-label.ts';
import type { ToolContext } from '../mcp/define.ts';
import { streamsOf } from './log-lines.ts';

export interface Request {
  trace: string;
  /** That logged lines with it. */
  services: string[];
}

const AROUND = 60_000_000_000n;
const MOST_LINES = 500;

/** Of a group's traces the one that most services logged, by one query; undefined without traces. */
export async function widestTrace(
  ctx: ToolContext,
  ds: Datasource,
  group: LineGroup | undefined,
): Promise<Request | undefined> {
  const traces = group?.traces.filter((trace) => /^[\w-]{8,64}$/.test(trace)) ?? [];
  const [first] = traces;
  if (group === undefined || first === undefined) return undefined;
  const bounds = { start: group.first - AROUND, end: group.last + AROUND };
  try {
    const label = serviceLabel((await lokiLabels(ctx.upstream, ds, bounds)).values);
    if (label === undefined) return { trace: first, services: ['its streams'] };
    const query = `{${label}=~".+"} |~ \`${traces.join('|')}\``;
    const asked = { query, ...bounds, limit: MOST_LINES, direction: 'backward' as const };
    const { streams } = streamsOf(await lokiQueryRange(ctx.upstream, ds, asked));
    const services = new Map<string, Set<string>>(traces.map((trace) => [trace, new Set()]));
    for (const { labels, entries } of streams) {
      for (const { line } of entries) {
        for (const trace of traces) if (line.includes(trace)) services.get(trace)?.add(labels[label] ?? '');
      }
    }
    const [best] = [...services].sort(([, a], [, b]) => b.size - a.size);
    return { trace: best?.[0] ?? first, services: [...(best?.[1] ?? [])].sort() };
  } catch (error) {
    if (ctx.call.signal.aborted) throw error;
    return { trace: first, services: ['its streams'] };
  }
}
