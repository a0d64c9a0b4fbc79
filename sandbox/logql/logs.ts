import type { Labels, LogStore } from '../data/store.ts';
import type { LogQuery } from './ast.ts';
import { Interner, type LabelSet, labelString } from './labels.ts';
import { LineState } from './line-state.ts';
import { selectorTest } from './matchers.ts';
import { compileStages, runSteps } from './pipeline.ts';

export interface LogWindow {
  /** ns; start included, end not. */
  start: bigint;
  end: bigint;
  limit: number;
  direction: 'forward' | 'backward';
  /** ns between entries that are given, 0 for all. */
  interval: bigint;
}

interface LogEntry {
  ts: bigint;
  line: string;
  structured: Labels;
  parsed: Labels;
}

export interface LogStreams {
  streams: { labels: Labels; entries: LogEntry[] }[];
  lines: number;
  bytes: number;
}

interface Found extends LogEntry {
  labels: LabelSet;
}

/** The newest (oldest) `limit` entries over all streams, grouped by their labels at the end of the pipeline. */
export function evaluateLogs(query: LogQuery, store: LogStore, window: LogWindow): LogStreams {
  const result: LogStreams = { streams: [], lines: 0, bytes: 0 };
  if (window.end <= window.start) return result;
  const chosen = store.select(selectorTest(query.matchers), window.start, window.end);
  // Stages are built when there is something to run them on: Loki answers a bad line filter over no streams with an empty result.
  if (chosen.length === 0) return result;
  const { before, steps } = compileStages(query.stages);
  const interner = new Interner();
  const state = new LineState(interner);
  const backward = window.direction === 'backward';
  const perStream = window.interval === 0n ? window.limit : Number.POSITIVE_INFINITY;
  const found: Found[] = [];
  for (const { labels, lines } of chosen) {
    const stream = interner.from(labels);
    let taken = 0;
    for (let index = 0; index < lines.length && taken < perStream; index++) {
      const entry = lines[backward ? lines.length - 1 - index : index];
      if (entry === undefined) break;
      result.lines++;
      result.bytes += entry.line.length;
      if (!before(entry.line)) continue;
      state.start(stream, entry);
      if (!runSteps(steps, state)) continue;
      taken++;
      found.push({
        ts: entry.ts,
        line: state.line,
        labels: state.labels(),
        structured: state.category('structured'),
        parsed: state.category('parsed'),
      });
    }
  }
  const order = backward ? -1 : 1;
  found.sort((a, b) => (a.ts === b.ts ? 0 : a.ts < b.ts ? -order : order));
  result.streams = grouped(spaced(found, window.interval).slice(0, window.limit));
  return result;
}

function spaced(entries: Found[], interval: bigint): Found[] {
  if (interval === 0n) return entries;
  let last: bigint | undefined;
  return entries.filter(({ ts }) => {
    const gap = last === undefined ? interval : ts > last ? ts - last : last - ts;
    if (gap < interval) return false;
    last = ts;
    return true;
  });
}

/** In the order of Loki's label text. */
function grouped(entries: Found[]): LogStreams['streams'] {
  const streams = new Map<LabelSet, LogEntry[]>();
  for (const entry of entries) {
    const known = streams.get(entry.labels);
    if (known === undefined) streams.set(entry.labels, [entry]);
    else known.push(entry);
  }
  return [...streams]
    .map(([labels, list]) => ({ text: labelString(labels.labels), labels: labels.labels, entries: list }))
    .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0));
}
