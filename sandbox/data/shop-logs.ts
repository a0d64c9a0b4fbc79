import { chatter } from './chatter.ts';
import type { Incident } from './incident.ts';
import { accessLine, type Level, pathOf, writeLine } from './lines.ts';
import type { Replica, Stream } from './pods.ts';
import { hash, pick, random } from './random.ts';
import type { LogLine, LogStore } from './store.ts';
import type { Request, Traffic } from './traffic.ts';

const MINUTE_NS = 60_000_000_000n;
/** Lines kept; a scan of everything passes through without filling memory. */
const CACHE_LINES = 60_000;

/** The shop's logs, made per replica and minute when asked for. Nothing after `now()` exists. */
export function createShopLogs(
  incident: Incident,
  replicas: readonly Replica[],
  traffic: Traffic,
  now: () => number,
): LogStore {
  const cache = new Map<string, LogLine[]>();
  let cachedLines = 0;

  function minuteOf(replica: Replica, minute: number): LogLine[] {
    const key = `${replica.index}/${minute}`;
    const known = cache.get(key);
    if (known) {
      cache.delete(key);
      cache.set(key, known);
      return known;
    }
    const lines = makeMinute(incident, replica, minute, traffic);
    cache.set(key, lines);
    cachedLines += lines.length;
    for (const [oldest, dropped] of cache) {
      if (cachedLines <= CACHE_LINES) break;
      cache.delete(oldest);
      cachedLines -= dropped.length;
    }
    return lines;
  }

  /** Where stream, window and clock overlap; undefined when they do not. */
  function overlap(stream: Stream, start: bigint, end: bigint): { from: bigint; to: bigint } | undefined {
    const from = max(start, BigInt(stream.from) * 1_000_000n);
    const to = min(end, BigInt(Math.floor(Math.min(stream.to, now()))) * 1_000_000n);
    return from < to ? { from, to } : undefined;
  }

  function linesOf(replica: Replica, from: bigint, to: bigint): LogLine[] {
    const lines: LogLine[] = [];
    const last = (to - 1n) / MINUTE_NS;
    for (let minute = from / MINUTE_NS; minute <= last; minute++) {
      const inside = minute * MINUTE_NS >= from && (minute + 1n) * MINUTE_NS <= to;
      for (const line of minuteOf(replica, Number(minute))) {
        if (inside || (line.ts >= from && line.ts < to)) lines.push(line);
      }
    }
    return lines;
  }

  function hasLines(replica: Replica, from: bigint, to: bigint): boolean {
    // Every replica answers its probe once in a minute, so a whole minute always holds a line.
    return to - from >= 2n * MINUTE_NS || linesOf(replica, from, to).length > 0;
  }

  return {
    streams: (start, end) =>
      replicas.flatMap((replica) =>
        replica.streams
          .filter((stream) => {
            const part = overlap(stream, start, end);
            return part !== undefined && hasLines(replica, part.from, part.to);
          })
          .map((stream) => stream.labels),
      ),
    select: (match, start, end) => {
      const found: { labels: Stream['labels']; lines: LogLine[] }[] = [];
      for (const replica of replicas) {
        for (const stream of replica.streams) {
          const part = overlap(stream, start, end);
          if (!part || !match(stream.labels)) continue;
          const lines = linesOf(replica, part.from, part.to);
          if (lines.length > 0) found.push({ labels: stream.labels, lines });
        }
      }
      return found;
    },
  };
}

function makeMinute(incident: Incident, replica: Replica, minute: number, traffic: Traffic): LogLine[] {
  const { service } = replica;
  const base = BigInt(minute) * MINUTE_NS;
  const lines: LogLine[] = [];
  const add = (atNs: number, line: string, level: Level, trace: string): void => {
    const metadata = trace ? { trace_id: trace, detected_level: level } : { detected_level: level };
    lines.push({ ts: base + BigInt(atNs), line, metadata });
  };
  for (const request of traffic.requests(replica, minute)) {
    const salt = hash(replica.index, minute, request.atNs);
    const at = minute * 60_000 + request.atNs / 1e6;
    const trace = traffic.traceOf(replica, minute, request);
    const { method, route } = pick(service.routes, request.route);
    const error = errorOf(incident, replica, request, salt);
    if (error) {
      const line = writeLine(service, { at, level: 'error', ...error, trace }, salt);
      add(Math.max(0, request.atNs - 1_500_000), line, 'error', trace);
    }
    // One line of level error for each 5xx, so that counting errors and counting statuses agree.
    const level: Level = request.status >= 400 ? 'warn' : 'info';
    if (service.format === 'nginx') {
      add(request.atNs, accessLine(at, request, method, pathOf(route, salt), salt), level, trace);
      continue;
    }
    const text = request.status < 400 ? pick(service.done, request.route) : 'request failed';
    const took =
      service.format === 'json' ? { duration_ms: round(request.ms) } : { duration: `${round(request.ms)}ms` };
    const fields = { method, route, status: request.status, ...took };
    add(request.atNs, writeLine(service, { at, level, text, fields, trace }, salt), level, trace);
  }
  for (const message of chatter(incident, replica, minute, random(incident.seed, 'chatter', replica.index, minute))) {
    const salt = hash(replica.index, message.at);
    const atNs = (message.at - minute * 60_000) * 1e6 + (salt % 999_983);
    add(atNs, writeLine(service, message, salt), message.level, '');
  }
  return lines.sort((a, b) => (a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : 0));
}

/** The error line that goes with a request, when one does. */
function errorOf(
  incident: Incident,
  replica: Replica,
  request: Request,
  salt: number,
): { text: string; fields: Record<string, string | number> } | undefined {
  const { facts } = incident;
  if (request.cause === 'pool') {
    const busy = incident.poolMax;
    const fields = { error: incident.detail, in_use: busy, max: busy, version: facts.version };
    return { text: facts.error, fields };
  }
  if (request.cause === 'knockOn') {
    return { text: `deadline exceeded: caller ${facts.service} went away`, fields: { caller: facts.service } };
  }
  return request.cause === 'noise' ? { text: pick(replica.service.errors, salt), fields: {} } : undefined;
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}
function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
