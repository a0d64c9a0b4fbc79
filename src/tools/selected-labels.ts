import { lokiLabels, lokiLabelValues, lokiSeries } from '../grafana/loki.ts';
import type { Datasource } from '../grafana/upstream.ts';
import type { ToolContext } from '../mcp/define.ts';

export interface Selected {
  items: string[];
  ageMs: number;
  /** Set where the server ignored the selector, and the streams were read instead. */
  ignored?: true;
}

interface Asked {
  label: string | undefined;
  selector: string | undefined;
  start: bigint;
  end: bigint;
}

/**
 * Names of labels, or values of one, of the streams that a selector picks. Older servers take no selector here and give
 * everything, in silence: an answer that leaves nothing out is compared with the streams themselves.
 */
export async function selectedLabels(ctx: ToolContext, ds: Datasource, asked: Asked): Promise<Selected> {
  const { label, selector, start, end } = asked;
  const up = ctx.upstream;
  const list = (query: { query?: string }) =>
    label === undefined
      ? lokiLabels(up, ds, { start, end, ...query })
      : lokiLabelValues(up, ds, label, { start, end, ...query });
  if (selector === undefined) {
    const { values, ageMs } = await list({});
    return { items: values, ageMs };
  }
  const { values: items, ageMs } = await list({ query: selector });
  const { values: all } = items.length > 1 ? await list({}) : { values: [] };
  if (items.length < 2 || items.length !== all.length) return { items, ageMs };
  const streams = await lokiSeries(up, ds, { match: [selector], start, end });
  const real = new Set(
    streams.flatMap((labels) =>
      label === undefined ? Object.keys(labels) : label in labels ? [labels[label] ?? ''] : [],
    ),
  );
  // What was only just written may be known to the one and not yet to the other.
  if (real.size === 0 || items.every((item) => real.has(item))) return { items, ageMs };
  return { items: [...real].sort(), ageMs: 0, ignored: true };
}
