import type { Answer } from '../answer/answer.ts';
import { plural } from '../answer/text.ts';
import type { Datasource, Labels } from '../grafana/upstream.ts';
import { digest, type LineGroup, spikes } from '../logs/digest.ts';
import { groupLines } from '../logs/group.ts';
import { VARIES } from '../logs/normal.ts';
import { logRows } from '../logs/rows.ts';
import type { ToolContext } from '../mcp/define.ts';
import { showDay, showTime, showWindow } from '../time/show.ts';
import type { Window } from '../time/window.ts';
import { explained } from './explain.ts';
import { linkOf } from './link.ts';
import { some, whyNoLines } from './no-lines.ts';
import { readSpread, type Spread } from './read-spread.ts';
import { withinBudget } from './scan-budget.ts';
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
  const groups = digest(now.entries, thin ? undefined : old?.entries, groupLines(lines), window);
  const isWhole = now.total !== undefined && now.total <= now.entries.length;
  const shared = sharedLabels(now.entries.map(({ stream }) => stream));
  const clock = clockOf(window, zone);
  const rows = groups
    .slice(0, limit)
    .map((group) => rowOf(group, shared, isWhole ? spikes(group.buckets, window) : [], clock, zone));
  const kinds = (change: string) => groups.filter((group) => group.change === change).length;
  const changes =
    old === undefined || thin ? '' : `, ${kinds('new')} new, ${kinds('grown')} grown, ${kinds('gone')} gone`;
  const total = countOf(now);
  const request = await widestTrace(ctx, ds, groups[0]);
  return {
    head: (shown) => [
      `${plural(total, 'line')} in ${plural(groups.length, 'group')}${changes}${shown < groups.length ? `, ${shown} shown` : ''} · ${showWindow(window, zone)} · ${ds.name}`,
      ...(before === undefined
        ? []
        : [`compared with ${showWindow({ ...window, ...before, defaulted: false }, zone)}`]),
      ...(thin ? [`that window holds ${plural(countOf(old), 'line')}, too few to compare groups with`] : []),
      ...partial('window', now),
      ...(old === undefined ? [] : partial('window before', old)),
      ...levelLine(now, old),
    ],
    lead: Object.keys(shared).length === 0 ? [] : [`all: ${pairs(shared)}`],
    rows,
    after: () => [...next(query, groups[0], request), ...cost.notes()],
    ...link,
  };
}

/** The window before must hold a hundredth of the lines at least. */
const LITTLE = 100;

function countOf({ total, entries }: Spread): number {
  return total ?? entries.length;
}

function partial(which: string, { entries, total }: Spread): string[] {
  if (total === undefined)
    return [
      `the ${which} could not be counted: the figures are of the ${entries.length.toLocaleString('en-US')} lines read`,
    ];
  if (total <= entries.length) return [];
  return [
    `${entries.length.toLocaleString('en-US')} of ${total.toLocaleString('en-US')} lines of the ${which} were read, spread over it: counts of groups are of those`,
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

type Clock = (ns: bigint) => string;

function rowOf(group: LineGroup, shared: Labels, peaks: [bigint, bigint][], clock: Clock, zone: string): string {
  const { change, level, count, before = 0, first, last, template, buckets, sample, traces } = group;
  const mark = change === undefined || change === 'same' ? '' : `${change.toUpperCase()} `;
  const times = count === 0 ? '' : first === last ? ` ${clock(first)}` : ` ${clock(first)}–${clock(last)}`;
  const counts = change === undefined ? `× ${count}` : `× ${count} (before ${before})`;
  const spike =
    peaks.length === 0
      ? ''
      : ` · spike ${peaks
          .slice(0, 2)
          .map(([from, to]) => `${clock(from)}–${clock(to)}`)
          .join(', ')}`;
  const [example] = [...logRows([sample], { zone, detail: 'short', direction: 'backward' }).rows];
  const details = [
    streamsText(group, shared),
    traces.length === 0 ? '' : `traces ${traces.slice(0, MOST_TRACES).join(', ')}`,
  ];
  return [
    `${mark}${level ?? ''}${level === undefined ? '' : ' '}${counts}${times} ${count === 0 ? '' : spark(buckets)}${spike}`.trimEnd(),
    `  ${template}`,
    `  e.g. ${(example?.text ?? sample.line).split('\n').slice(0, 3).join('\n  ')}`,
    ...(details.some((part) => part !== '') ? [`  ${details.filter((part) => part !== '').join(' · ')}`] : []),
  ].join('\n');
}

const SPARK = ' ▁▂▃▄▅▆▇█';

function spark(buckets: readonly number[]): string {
  const most = Math.max(...buckets, 1);
  return `[${buckets.map((n) => SPARK[n === 0 ? 0 : Math.max(1, Math.round((n / most) * 8))]).join('')}]`;
}

const MOST_VALUES = 4;
const MOST_TRACES = 3;

/** The labels in which the group's streams differ from what all share. */
function streamsText({ streams }: LineGroup, shared: Labels): string {
  const values = new Map<string, Set<string>>();
  for (const stream of streams) {
    for (const [name, value] of Object.entries(stream)) {
      if (!(name in shared)) values.set(name, (values.get(name) ?? new Set()).add(value));
    }
  }
  return [...values]
    .map(([name, set]) => {
      const more = set.size > MOST_VALUES ? ` and ${set.size - MOST_VALUES} more` : '';
      return `${name}=${[...set].slice(0, MOST_VALUES).join(', ')}${more}`;
    })
    .join(' ');
}

function sharedLabels(streams: readonly Labels[]): Labels {
  const shared: Labels = { ...streams[0] };
  for (const stream of new Set(streams)) {
    for (const name of Object.keys(shared)) if (stream[name] !== shared[name]) delete shared[name];
  }
  return shared;
}

function pairs(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

/** The lines of the first group, and the way of one of its requests through all services. */
function next(query: string, top: LineGroup | undefined, request: Request | undefined): string[] {
  if (top === undefined) return [];
  const needle = top.template
    .replace(/^(?:trace|debug|info|warn|error|fatal|critical) /, '')
    .split(VARIES)
    .flatMap((part) => part.split(/["\\]/))
    .map((part) => part.trim())
    .sort((a, b) => b.length - a.length)[0];
  // Behind a comment a filter would be one, too.
  const found = needle !== undefined && needle.length >= 4 && !query.includes('#') && top.sample.line.includes(needle);
  return [
    ...(found ? [`its lines: query_loki_logs logql=${query.trim()} |= ${JSON.stringify(needle)}`] : []),
    ...(request === undefined
      ? []
      : [
          `one request, through ${some(request.services, 6)}: summarize_loki_logs follow=${JSON.stringify(request.trace)}`,
        ]),
  ];
}

/** Times of day, with month and day where the window spans days. */
function clockOf({ start, end }: Window, zone: string): Clock {
  const days = showDay(start, zone) !== showDay(end, zone);
  return (ns) => `${days ? `${showDay(ns, zone).slice(5)} ` : ''}${showTime(ns, zone, 'second')}`;
}
