import type { Answer } from '../answer/answer.ts';
import { showLabels } from '../answer/table.ts';
import { plural } from '../answer/text.ts';
import type { Datasource, Labels } from '../grafana/upstream.ts';
import { digest, type LineGroup } from '../logs/digest.ts';
import { groupLines } from '../logs/group.ts';
import type { ToolContext } from '../mcp/define.ts';
import { showWindow } from '../time/show.ts';
import type { Window } from '../time/window.ts';
import { explained } from './explain.ts';
import { linesOf, recount } from './group-counts.ts';
import { groupRows } from './group-rows.ts';
import { linkOf } from './link.ts';
import { some, whyNoLines } from './no-lines.ts';
import { readSpread, type Spread } from './read-spread.ts';
import { withinBudget } from './scan-budget.ts';
import { streamTotals } from './stream-totals.ts';
import { unreadPatterns } from './unread-patterns.ts';
import { type Request, widestTrace } from './widest-trace.ts';

/** Groups of like lines of a window, against those of `before`. */
export async function logGroups(
  ctx: ToolContext,
  ds: Datasource,
  query: string,
  window: Window,
  before: { start: bigint; end: bigint } | undefined,
  limit: number,
): Promise<Answer> {
  const zone = ctx.settings.timezone;
  const windows = before === undefined ? [window] : [window, before];
  const cost = await withinBudget(
    ctx,
    ds,
    query,
    windows.map(({ start, end }) => ({ start, end, instant: false })),
  );
  const [now, old] = await explained(
    'loki',
    query,
    Promise.all([readSpread(ctx, ds, query, window), before && readSpread(ctx, ds, query, before)]),
  );
  const link = await linkOf(ctx, ds, { expr: query }, window);
  if (now.entries.length === 0 && (old?.entries.length ?? 0) === 0) {
    return { ...(await whyNoLines(ctx, ds, query, window)), ...link };
  }
  const lines = [...now.entries, ...(old?.entries ?? [])].map(({ line }) => line);
  // Against next to nothing everything would be new.
  const thin = old !== undefined && countOf(old) * LITTLE < countOf(now);
  const against = thin ? undefined : old;
  const grouped = groupLines(lines);
  const found = digest(now, against, grouped, window);
  const groups =
    now.weights === undefined && against?.weights === undefined
      ? found
      : await recount(ctx, ds, query, found, { lines, ids: grouped.ids, window, before: against && before });
  const shared = sharedLabels(now.entries.map(({ stream }) => stream));
  const rows = groupRows(groups.slice(0, limit), {
    window,
    zone,
    shared,
    whole: { now: now.weights === undefined, before: old?.weights === undefined },
  });
  const [request, totals, patterns] = await Promise.all([
    widestTrace(ctx, ds, groups[0]),
    now.weights === undefined ? [] : streamTotals(ctx, ds, query, { now, window, before }),
    now.weights === undefined ? undefined : unreadPatterns(ctx, ds, query, now.entries, window),
  ]);
  const kinds = (change: string) => groups.filter((group) => group.change === change).length;
  const changes =
    old === undefined || thin ? '' : `, ${kinds('new')} new, ${kinds('grown')} grown, ${kinds('gone')} gone`;
  return {
    head: (shown) => [
      `${plural(countOf(now), 'line')} in ${plural(groups.length, 'group')}${changes}${shown < groups.length ? `, ${Math.min(shown, rows.length)} shown` : ''} · ${showWindow(window, zone)} · ${ds.name}`,
      ...(before === undefined
        ? []
        : [`compared with ${showWindow({ ...window, ...before, defaulted: false }, zone)}`]),
      ...(thin ? [`that window holds ${plural(countOf(old), 'line')}, too few to compare groups with`] : []),
      ...partial('window', now),
      ...(old === undefined ? [] : partial('window before', old)),
      ...levelLine(now, old),
    ],
    lead: [...(Object.keys(shared).length === 0 ? [] : [`all: ${showLabels(shared)}`]), ...totals],
    rows: [...rows, ...(patterns ?? [])],
    after: () => [...next(query, groups[0], request), ...cost.notes()],
    ...link,
  };
}

/** The window before must hold a hundredth of the lines at least. */
const LITTLE = 100;

function countOf({ total, entries }: Spread): number {
  return total ?? entries.length;
}

function partial(which: string, { entries, total, weights }: Spread): string[] {
  const read = entries.length.toLocaleString('en-US');
  if (weights === undefined) return [];
  if (total === undefined) return [`the ${which} could not be counted; of the ${read} lines read ≈ is a guess`];
  return [
    `${read} of ${total.toLocaleString('en-US')} lines of the ${which} were read, spread over it: ≈ is estimated from those, times are theirs`,
  ];
}

/** `by level: error 412 (before 3), info 5,542 (before 5,120)`: true counts, by a metric query. */
function levelLine(now: Spread, old: Spread | undefined): string[] {
  if (now.levels.size === 0) return [];
  const parts = [...now.levels]
    .sort(([, a], [, b]) => b - a)
    .map(([level, n]) => {
      const earlier = old === undefined ? '' : ` (before ${(old.levels.get(level) ?? 0).toLocaleString('en-US')})`;
      return `${level === '' ? 'without level' : level} ${n.toLocaleString('en-US')}${earlier}`;
    });
  return [`by level: ${parts.join(', ')}`];
}

function sharedLabels(streams: readonly Labels[]): Labels {
  const shared: Labels = { ...streams[0] };
  for (const stream of new Set(streams)) {
    for (const name of Object.keys(shared)) if (stream[name] !== shared[name]) delete shared[name];
  }
  return shared;
}

/** The lines of the first group, and the way of one of its requests through all services. */
function next(query: string, top: LineGroup | undefined, request: Request | undefined): string[] {
  const lines = top && linesOf(query, top);
  return [
    ...(lines === undefined ? [] : [`its lines: query_loki_logs logql=${lines}`]),
    ...(request === undefined
      ? []
      : [
          `one request, through ${some(request.services, 6)}: summarize_loki_logs follow=${JSON.stringify(request.trace)}`,
        ]),
  ];
}
