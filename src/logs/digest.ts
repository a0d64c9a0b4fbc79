import type { LineGroups } from './group.ts';
import { levelOf } from './level.ts';
import type { MergedEntry } from './merge.ts';

/** What is known of one group of like lines in a window. */
export interface LineGroup {
  /** Of `LineGroups`. */
  id: number;
  template: string;
  /** Lines; of a window that was read in parts an estimate, like `before` and `buckets`. */
  count: number;
  /** In the window it is compared with; undefined without one. */
  before?: number;
  change?: Change;
  /** `count` and `before` were counted by the server. */
  counted?: boolean;
  /** ns since epoch */
  first: bigint;
  last: bigint;
  level?: string;
  /** The newest entry. */
  sample: MergedEntry;
  streams: MergedEntry['stream'][];
  /** Up to ten, of the newest lines. */
  traces: string[];
  /** Lines in each of `BUCKETS` equal parts of the window, oldest first. */
  buckets: number[];
}

/** `unsure`: not among the lines that were read of the window before, and so rare that it may have been missed there. */
export type Change = 'new' | 'unsure' | 'grown' | 'same' | 'shrunk' | 'gone';

/** Entries that were read of a window, newest first. */
export interface Read {
  entries: readonly MergedEntry[];
  /** Lines of the window that each entry stands for; undefined where all were read. */
  weights?: readonly number[];
}

export const BUCKETS = 20;
const MOST_TRACES = 10;
const MOST_STREAMS = 50;
const TRACE_NAMES = ['trace_id', 'traceId', 'traceID', 'TraceId', 'trace'];

/**
 * The groups of the lines of a window, and of those before that are gone, what needs attention first. `ids` of `groups`
 * are those of the entries of `now`, then those of `before`.
 */
export function digest(
  now: Read,
  before: Read | undefined,
  { ids, templates }: LineGroups,
  window: { start: bigint; end: bigint },
): LineGroup[] {
  const earlier = new Map<number, { count: number; entry: MergedEntry }>();
  for (const [i, entry] of (before?.entries ?? []).entries()) {
    const id = ids[now.entries.length + i] ?? -1;
    const weight = before?.weights?.[i] ?? 1;
    const known = earlier.get(id);
    if (known) known.count += weight;
    else earlier.set(id, { count: weight, entry });
  }
  const found = new Map<number, LineGroup>();
  for (const [i, entry] of now.entries.entries()) {
    const id = ids[i] ?? -1;
    const group = found.get(id) ?? found.set(id, begin(entry, id, templates[id]?.template ?? '')).get(id);
    if (group !== undefined) add(group, entry, now.weights?.[i] ?? 1, window);
  }
  const perRead = { now: linesPerEntry(now), before: before === undefined ? 1 : linesPerEntry(before) };
  const groups = [...found].map(([id, group]) =>
    before === undefined ? group : { ...group, ...compared(group.count, earlier.get(id)?.count ?? 0, perRead) },
  );
  const gone = [...earlier].flatMap(([id, was]) =>
    found.has(id) || was.count < LEAST * perRead.now
      ? []
      : [
          {
            ...begin(was.entry, id, templates[id]?.template ?? ''),
            ...compared(0, was.count, perRead),
            first: was.entry.ts,
            last: was.entry.ts,
          },
        ],
  );
  return [...groups, ...gone].sort(byWeight);
}

/** The group with counts of all its lines, by the server; `before` undefined where it is compared with nothing. */
export function recounted(group: LineGroup, count: number, before: number | undefined): LineGroup {
  const change = before === undefined ? {} : compared(count, before, { now: 1, before: 1 });
  return { ...group, count, ...change, counted: true };
}

function linesPerEntry({ entries, weights }: Read): number {
  return weights === undefined || entries.length === 0 ? 1 : weights.reduce((sum, n) => sum + n, 0) / entries.length;
}

function begin(sample: MergedEntry, id: number, template: string): LineGroup {
  const level = levelOf(sample);
  return {
    id,
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

function add(
  group: LineGroup,
  entry: MergedEntry,
  weight: number,
  { start, end }: { start: bigint; end: bigint },
): void {
  group.count += weight;
  if (entry.ts < group.first) group.first = entry.ts;
  if (entry.ts > group.last) group.last = entry.ts;
  const at = Number(((entry.ts - start) * BigInt(BUCKETS)) / (end - start));
  const bucket = Math.min(BUCKETS - 1, Math.max(0, at));
  group.buckets[bucket] = (group.buckets[bucket] ?? 0) + weight;
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

interface PerRead {
  now: number;
  before: number;
}

/**
 * Grown: at least three times, and by more than chance would: three standard deviations of a Poisson count, wider where
 * only some of the lines were read and each stands for `perRead`.
 */
function compared(count: number, before: number, perRead: PerRead): { before: number; change: Change } {
  const beyond = (a: number, perA: number, b: number, perB: number) => {
    const variance = perB * (b + perB) + (perA > 1 ? perA * a : 0);
    return a >= FACTOR * b && a - b >= LEAST && a - b > 3 * Math.sqrt(variance);
  };
  const change = (): Change => {
    // Were it as frequent as now, fewer than three of it would have been read.
    if (before === 0) return perRead.before > 1 && count < LEAST * perRead.before ? 'unsure' : 'new';
    if (count === 0) return 'gone';
    if (beyond(count, perRead.now, before, perRead.before)) return 'grown';
    return beyond(before, perRead.before, count, perRead.now) ? 'shrunk' : 'same';
  };
  return { before, change: change() };
}

const SEVERITY = ['trace', 'debug', 'info', 'warn', 'error', 'critical', 'fatal'];
const CHANGES: readonly (Change | undefined)[] = ['new', 'grown', 'unsure', 'same', undefined, 'shrunk', 'gone'];

/** What needs attention first: new and grown by severity, then the rest by severity and count; gone last. */
export function byWeight(a: LineGroup, b: LineGroup): number {
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
