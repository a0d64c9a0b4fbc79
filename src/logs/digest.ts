import type { LineGroups } from './group.ts';
import { levelOf } from './level.ts';
import type { MergedEntry } from './merge.ts';

/** What is known of one group of like lines in a window. */
export interface LineGroup {
  template: string;
  count: number;
  /** In the window it is compared with; undefined without one. */
  before?: number;
  change?: Change;
  /** ns since epoch */
  first: bigint;
  last: bigint;
  level?: string;
  /** The newest entry. */
  sample: MergedEntry;
  streams: MergedEntry['stream'][];
  /** Up to ten, of the newest lines. */
  traces: string[];
  /** Lines in each of `BUCKETS` equal parts of the window. */
  buckets: number[];
}

export type Change = 'new' | 'grown' | 'same' | 'shrunk' | 'gone';

export const BUCKETS = 20;
const MOST_TRACES = 10;
const MOST_STREAMS = 50;
const TRACE_NAMES = ['trace_id', 'traceId', 'traceID', 'TraceId', 'trace'];

/**
 * The groups of the entries, and of those before that are gone. `ids` of `groups` are those of the entries, then those
 * of `before`. Entries come newest first.
 */
export function digest(
  entries: readonly MergedEntry[],
  before: readonly MergedEntry[] | undefined,
  { ids, templates }: LineGroups,
  window: { start: bigint; end: bigint },
): LineGroup[] {
  const earlier = new Map<number, { count: number; entry: MergedEntry }>();
  for (const [i, entry] of (before ?? []).entries()) {
    const id = ids[entries.length + i] ?? -1;
    const known = earlier.get(id);
    if (known) known.count++;
    else earlier.set(id, { count: 1, entry });
  }
  const found = new Map<number, LineGroup>();
  for (const [i, entry] of entries.entries()) {
    const id = ids[i] ?? -1;
    const group = found.get(id) ?? found.set(id, begin(entry, templates[id]?.template ?? '')).get(id);
    if (group !== undefined) add(group, entry, window);
  }
  const groups = [...found].map(([id, group]) =>
    before === undefined ? group : { ...group, ...compared(group.count, earlier.get(id)?.count ?? 0) },
  );
  const gone = [...earlier].flatMap(([id, { count, entry }]) =>
    found.has(id)
      ? []
      : [{ ...begin(entry, templates[id]?.template ?? ''), ...compared(0, count), first: entry.ts, last: entry.ts }],
  );
  return [...groups, ...gone.filter(({ before: count = 0 }) => count >= LEAST)].sort(byWeight);
}

function begin(sample: MergedEntry, template: string): LineGroup {
  const level = levelOf(sample);
  return {
    template,
    count: 0,
    first: sample.ts,
    last: sample.ts,
    sample,
    streams: [],
    traces: [],
    buckets: new Array<number>(BUCKETS).fill(0),
    ...(level === undefined ? {} : { level }),
  };
}

function add(group: LineGroup, entry: MergedEntry, { start, end }: { start: bigint; end: bigint }): void {
  group.count++;
  if (entry.ts < group.first) group.first = entry.ts;
  if (entry.ts > group.last) group.last = entry.ts;
  const at = Number(((entry.ts - start) * BigInt(BUCKETS)) / (end - start));
  const bucket = Math.min(BUCKETS - 1, Math.max(0, at));
  group.buckets[bucket] = (group.buckets[bucket] ?? 0) + 1;
  if (group.streams.length < MOST_STREAMS && !group.streams.includes(entry.stream)) group.streams.push(entry.stream);
  if (group.traces.length < MOST_TRACES) {
    const labels = { ...entry.stream, ...entry.parsed, ...entry.metadata };
    const trace = TRACE_NAMES.map((name) => labels[name]).find((id) => id !== undefined && id !== '');
    if (trace !== undefined && !group.traces.includes(trace)) group.traces.push(trace);
  }
}

/** So many lines at least, that a change is told from chance. */
const LEAST = 3;
const FACTOR = 3;

/** Grown: at least three times, and by more than chance would (three standard deviations of a Poisson count). */
function compared(count: number, before: number): { before: number; change: Change } {
  const more = (a: number, b: number) => a >= FACTOR * b && a - b >= LEAST && a - b > 3 * Math.sqrt(b + 1);
  const change =
    before === 0
      ? 'new'
      : count === 0
        ? 'gone'
        : more(count, before)
          ? 'grown'
          : more(before, count)
            ? 'shrunk'
            : 'same';
  return { before, change };
}

const SEVERITY = ['trace', 'debug', 'info', 'warn', 'error', 'critical', 'fatal'];
const CHANGES: readonly (Change | undefined)[] = ['new', 'grown', 'same', undefined, 'shrunk', 'gone'];

/** What needs attention first: new and grown by severity, then the rest by severity and count; gone last. */
function byWeight(a: LineGroup, b: LineGroup): number {
  const real = ({ change, count }: LineGroup) => (change === 'new' && count < LEAST ? 'same' : change);
  const rank = (group: LineGroup) => CHANGES.indexOf(real(group));
  const severity = ({ level = 'info' }: LineGroup) => Math.min(4, SEVERITY.indexOf(level));
  const kind = (group: LineGroup) =>
    ['new', 'grown'].includes(real(group) ?? '') ? 0 : group.change === 'gone' ? 2 : 1;
  return (
    kind(a) - kind(b) ||
    severity(b) - severity(a) ||
    rank(a) - rank(b) ||
    b.count - a.count ||
    (b.before ?? 0) - (a.before ?? 0) ||
    (a.template < b.template ? -1 : 1)
  );
}

/** Buckets of at least 5 lines and at least 3 times the median, as [from, to] in ns. */
export function spikes(buckets: readonly number[], window: { start: bigint; end: bigint }): [bigint, bigint][] {
  const sorted = [...buckets].sort((a, b) => a - b);
  const median = sorted[sorted.length >> 1] ?? 0;
  const width = (window.end - window.start) / BigInt(buckets.length);
  const out: [bigint, bigint][] = [];
  for (const [i, count] of buckets.entries()) {
    if (count < 5 || count < 3 * median) continue;
    const from = window.start + width * BigInt(i);
    const last = out.at(-1);
    if (last?.[1] === from) last[1] = from + width;
    else out.push([from, from + width]);
  }
  return out;
}
