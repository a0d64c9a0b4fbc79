import type { Labels, LogLine, LogStore } from './store.ts';

interface Stream {
  labels: Labels;
  lines: LogLine[];
}

/** Lines held in memory, told apart by their labels; the order of equal times is that of the input. */
export function memoryLogStore(lines: Iterable<LogLine & { labels: Labels }>): LogStore {
  const streams = new Map<string, Stream>();
  for (const { labels, ts, line, metadata } of lines) {
    const key = JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
    let stream = streams.get(key);
    if (stream === undefined) {
      stream = { labels, lines: [] };
      streams.set(key, stream);
    }
    stream.lines.push(metadata === undefined ? { ts, line } : { ts, line, metadata });
  }
  const all = [...streams.values()];
  for (const { lines: own } of all) own.sort((a, b) => (a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : 0));
  return {
    streams: (start, end) =>
      all.filter(({ lines: own }) => firstAt(own, start) < firstAt(own, end)).map(({ labels }) => labels),
    select(match, start, end) {
      const found: { labels: Labels; lines: LogLine[] }[] = [];
      for (const stream of all) {
        if (!match(stream.labels)) continue;
        const from = firstAt(stream.lines, start);
        const to = firstAt(stream.lines, end);
        if (from < to) found.push({ labels: stream.labels, lines: stream.lines.slice(from, to) });
      }
      return found;
    },
  };
}

/** Index of the first line at or after `ts`. */
function firstAt(lines: readonly LogLine[], ts: bigint): number {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const line = lines[middle];
    if (line !== undefined && line.ts < ts) low = middle + 1;
    else high = middle;
  }
  return low;
}
