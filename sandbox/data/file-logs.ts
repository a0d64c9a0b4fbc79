import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { lineTime } from './line-time.ts';
import type { LogLine, LogStore } from './store.ts';

const MOST_BYTES = 100 * 1024 * 1024;
const HEAD_BYTES = 400;
const HOUR_NS = 3_600_000_000_000n;

/**
 * A person's own log file as one stream, `{app="<file name>", filename="<path>", env="local"}`. Lines that begin
 * with a time keep it, lines without take that of the line before; a file without any is spread over the last hour.
 * Holds the bytes and an index; lines are decoded when asked for. Throws when the file cannot be read or is too large.
 */
export function readLogFile(path: string, now: number): LogStore {
  const bytes = contentOf(path);
  const index = indexOf(bytes, now);
  const labels = { app: basename(path).replace(/\.(log|txt|jsonl?|ndjson)$/i, ''), env: 'local', filename: path };

  /** First line at or after `ts`. */
  function lowerBound(ts: bigint): number {
    let low = 0;
    let high = index.order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (timeAt(index, middle) < ts) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return {
    streams: (start, end) => (lowerBound(start) < lowerBound(end) ? [labels] : []),
    select(match, start, end) {
      if (!match(labels)) return [];
      const lines: LogLine[] = [];
      for (let i = lowerBound(start), last = lowerBound(end); i < last; i++) {
        const at = index.order[i] ?? 0;
        const line = bytes.toString('utf8', index.starts[at], index.ends[at]);
        lines.push({ ts: timeAt(index, i), line });
      }
      return lines.length > 0 ? [{ labels, lines }] : [];
    },
  };
}

function contentOf(path: string): Buffer {
  try {
    if (statSync(path).size <= MOST_BYTES) return readFileSync(path);
  } catch (error) {
    throw new Error(`The log file ${path} cannot be read.`, { cause: error });
  }
  throw new Error(`The log file ${path} is larger than 100 MB.`);
}

interface FileIndex {
  starts: number[];
  ends: number[];
  times: BigInt64Array;
  /** Line numbers by time; equal times stay in the order of the file. */
  order: Uint32Array;
}

function timeAt(index: FileIndex, i: number): bigint {
  return index.times[index.order[i] ?? 0] ?? 0n;
}

function indexOf(bytes: Buffer, now: number): FileIndex {
  const starts: number[] = [];
  const ends: number[] = [];
  for (let from = 0; from < bytes.length; ) {
    const newline = bytes.indexOf(10, from);
    const next = newline < 0 ? bytes.length : newline;
    const end = bytes[next - 1] === 13 ? next - 1 : next;
    if (end > from) {
      starts.push(from);
      ends.push(end);
    }
    from = next + 1;
  }
  const times = timesOf(bytes, starts, ends, now);
  const order = Uint32Array.from(starts, (_, i) => i);
  if (times.some((time, i) => i > 0 && time < (times[i - 1] ?? 0n))) {
    order.sort((a, b) => Number((times[a] ?? 0n) - (times[b] ?? 0n)) || a - b);
  }
  return { starts, ends, times, order };
}

function timesOf(bytes: Buffer, starts: number[], ends: number[], now: number): BigInt64Array {
  const times = new BigInt64Array(starts.length);
  let previous: bigint | undefined;
  let firstTimed = 0;
  for (let i = 0; i < starts.length; i++) {
    const start = starts[i] ?? 0;
    const head = bytes.toString('utf8', start, Math.min(ends[i] ?? 0, start + HEAD_BYTES));
    const time = lineTime(head, now) ?? previous;
    if (time === undefined) firstTimed = i + 1;
    else times[i] = time;
    previous = time;
  }
  const nowNs = BigInt(Math.floor(now)) * 1_000_000n;
  const known = times[firstTimed];
  for (let i = 0; i < firstTimed; i++) {
    times[i] = known ?? nowNs - HOUR_NS + (HOUR_NS * BigInt(i)) / BigInt(starts.length);
  }
  return times;
}
