import { badAnswer, readList, type Source } from './envelope.ts';
import { isRecord, readLabels } from './series.ts';
import type { Labels, LogEntry, LogStream } from './upstream.ts';

/** Reads the `result` of a log query, in the order it came. Throws bad_upstream_answer. */
export function readStreams(result: unknown, source: Source): LogStream[] {
  return readList(result, source).map((item) => {
    if (!isRecord(item)) throw badAnswer(source, 'a stream is not an object');
    return {
      labels: readLabels(item.stream, source),
      entries: readList(item.values, source).map((entry) => readEntry(entry, source)),
    };
  });
}

/**
 * `["<ns>", "line"]` or `["<ns>", "line", {structuredMetadata, parsed}]`. Read by its shape, not by `encodingFlags`:
 * some proxies echo the flag and leave the tuple as it was.
 */
function readEntry(entry: unknown, source: Source): LogEntry {
  if (!Array.isArray(entry)) throw badAnswer(source, 'an entry is not a list');
  const [ts, line, extra]: unknown[] = entry;
  // A number has lost its nanoseconds already when it arrives here, so only text counts.
  if (typeof ts !== 'string' || !/^\d{1,20}$/.test(ts))
    throw badAnswer(source, 'a timestamp is not nanoseconds as text');
  if (typeof line !== 'string') throw badAnswer(source, 'a line is not text');
  return {
    ts: BigInt(ts),
    line,
    metadata: part(extra, 'structuredMetadata', source),
    parsed: part(extra, 'parsed', source),
  };
}

function part(extra: unknown, key: string, source: Source): Labels {
  return isRecord(extra) ? readLabels(extra[key], source) : {};
}
