import { quoteWord } from '../answer/table.ts';
import type { Datasource } from '../grafana/upstream.ts';
import { serviceLabel } from '../logs/service-label.ts';
import type { ToolContext } from '../mcp/define.ts';
import { countLines } from './count-lines.ts';
import type { Spread } from './read-spread.ts';

interface Bounds {
  start: bigint;
  end: bigint;
}

const MOST_SHOWN = 8;

/**
 * `by pod: a-1 3,201 (before 3,004), a-2 512 (before 498)`: the true counts of all lines by the coarsest label in which the
 * streams differ. For windows that were read in parts; where all was read the groups say it.
 */
export async function streamTotals(
  ctx: ToolContext,
  ds: Datasource,
  query: string,
  { now, window, before }: { now: Spread; window: Bounds; before: Bounds | undefined },
): Promise<string[]> {
  const label = coarsestLabel(now);
  if (label === undefined) return [];
  const count = async (bounds: Bounds) => {
    const counts = await countLines(ctx, ds, query, [label], bounds);
    return counts && new Map(counts.map(({ labels, lines }) => [labels[label] ?? '', lines]));
  };
  const [counts, earlier] = await Promise.all([count(window), before && count(before)]);
  if (counts === undefined || counts.size < 2) return [];
  const whole = (n: number) => n.toLocaleString('en-US');
  const was = (n: number | undefined) => (earlier === undefined ? '' : ` (before ${whole(n ?? 0)})`);
  const sorted = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const shown = sorted.slice(0, MOST_SHOWN).map(([value, n]) => {
    const name = value === '' ? 'without' : quoteWord(value);
    return `${name} ${whole(n)}${was(earlier?.get(value))}`;
  });
  const rest = sorted.slice(MOST_SHOWN);
  const lines = rest.reduce((sum, [, n]) => sum + n, 0);
  return [
    `by ${label}: ${[...shown, ...(rest.length === 0 ? [] : [`${rest.length} more ${whole(lines)}`])].join(', ')}`,
  ];
}

/** What names services, where it differs; else what has the fewest values. */
function coarsestLabel({ entries }: Spread): string | undefined {
  const values = new Map<string, Set<string>>();
  const streams = new Set(entries.map(({ stream }) => stream));
  for (const stream of streams) {
    for (const [name, value] of Object.entries(stream)) {
      if (!name.startsWith('__')) values.set(name, (values.get(name) ?? new Set()).add(value));
    }
  }
  const differ = [...values]
    .filter(([, set]) => set.size > 1)
    .sort(([a, m], [b, n]) => m.size - n.size || (a < b ? -1 : 1));
  return serviceLabel(differ.map(([name]) => name)) ?? differ[0]?.[0];
}
