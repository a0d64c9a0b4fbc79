import type { Labels, LogStream } from '../grafana/upstream.ts';

export interface MergedEntry {
  /** ns since epoch */
  ts: bigint;
  line: string;
  /** Labels of the stream alone: Loki's own answer repeats metadata and parsed fields among them. */
  stream: Labels;
  metadata: Labels;
  parsed: Labels;
}

/**
 * All entries in ns order. Ties stand in the order of their streams' labels, then as the stream has them:
 * the same whichever other streams a page holds.
 */
export function mergeStreams(streams: readonly LogStream[], direction: 'forward' | 'backward'): MergedEntry[] {
  const keyed = streams.map((stream) => ({ stream, key: labelKey(stream.labels) }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const merged: MergedEntry[] = [];
  for (const { stream } of keyed) {
    for (const { ts, line, metadata, parsed } of stream.entries) {
      merged.push({ ts, line, stream: without(stream.labels, metadata, parsed), metadata, parsed });
    }
  }
  const sign = direction === 'forward' ? 1 : -1;
  return merged.sort((a, b) => (a.ts === b.ts ? 0 : a.ts < b.ts ? -sign : sign));
}

/** The labels that the others do not repeat with the same value. */
function without(labels: Labels, ...others: readonly Labels[]): Labels {
  const repeated = (name: string) => others.some((other) => Object.hasOwn(other, name) && other[name] === labels[name]);
  if (!Object.keys(labels).some(repeated)) return labels;
  return Object.fromEntries(Object.entries(labels).filter(([name]) => !repeated(name)));
}

/** Labels as one text that is the same for equal sets. */
export function labelKey(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}
