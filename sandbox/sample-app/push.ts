import { setTimeout as sleep } from 'node:timers/promises';
import type { LogStore } from '../data/store.ts';

/** Lines in one request at most; Loki takes 4 MB by default. */
const MOST_LINES = 2_000;
const MOST_BYTES = 1_000_000;
/** A part of the history is made and sent at a time. ns */
const PART = 300_000_000_000n;
const LONGEST_WAIT = 30_000;
/** A Loki that takes a request and says nothing is asked again; what it stored twice it keeps once. ms */
const DEADLINE = 30_000;
/** Answers that waiting mends, besides those of a server at fault. */
const TRY_AGAIN: readonly number[] = [408, 429];

interface Push {
  streams: { stream: Record<string, string>; values: (string | Record<string, string>)[][] }[];
}

/**
 * Sends the lines of [from, to) to Loki's push API, each stream in order, in requests of bounded size. Waits for a Loki that
 * is not there yet or busy; throws for a refusal that waiting does not mend. A Loki before 3.0 is sent no structured metadata.
 */
export async function pushLines(
  loki: string,
  logs: LogStore,
  from: bigint,
  to: bigint,
  signal: AbortSignal,
): Promise<number> {
  let sent = 0;
  for (let start = from; start < to; start += PART) {
    const end = start + PART < to ? start + PART : to;
    for (const batch of batches(logs, start, end)) {
      await send(loki, batch, signal);
      sent += batch.streams.reduce((sum, { values }) => sum + values.length, 0);
    }
  }
  return sent;
}

function* batches(logs: LogStore, start: bigint, end: bigint): Generator<Push> {
  let batch: Push = { streams: [] };
  let [lines, bytes] = [0, 0];
  for (const { labels, lines: own } of logs.select(() => true, start, end)) {
    let values: Push['streams'][number]['values'] = [];
    batch.streams.push({ stream: labels, values });
    for (const { ts, line, metadata } of own) {
      values.push(metadata === undefined ? [String(ts), line] : [String(ts), line, metadata]);
      lines++;
      bytes += line.length + 100;
      if (lines < MOST_LINES && bytes < MOST_BYTES) continue;
      yield batch;
      values = [];
      batch = { streams: [{ stream: labels, values }] };
      [lines, bytes] = [0, 0];
    }
  }
  batch.streams = batch.streams.filter((stream) => stream.values.length > 0);
  if (batch.streams.length > 0) yield batch;
}

/** Lokis that refused structured metadata. */
const plain = new Set<string>();

async function send(loki: string, push: Push, signal: AbortSignal): Promise<void> {
  for (let wait = 500; ; wait = Math.min(wait * 2, LONGEST_WAIT)) {
    const body = JSON.stringify(plain.has(loki) ? withoutMetadata(push) : push);
    const answer = await fetch(`${loki}/loki/api/v1/push`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(DEADLINE)]),
    }).catch(() => undefined);
    signal.throwIfAborted();
    if (answer?.ok) return void (await answer.arrayBuffer());
    const said = (await answer?.text().catch(() => '')) ?? '';
    if (answer?.status === 400 && /structured metadata/i.test(said) && !plain.has(loki)) {
      plain.add(loki);
      continue;
    }
    // What is older than Loki takes is lost to it; the rest of the request was stored.
    if (answer?.status === 400 && /too (?:old|far behind)|out of order|stream limit/i.test(said)) return;
    if (answer !== undefined && answer.status < 500 && !TRY_AGAIN.includes(answer.status)) {
      throw new Error(`Loki refused the lines (${answer.status}): ${said.trim().slice(0, 300)}`);
    }
    await sleep(wait, undefined, { signal });
  }
}

function withoutMetadata({ streams }: Push): Push {
  return {
    streams: streams.map(({ stream, values }) => ({ stream, values: values.map((value) => value.slice(0, 2)) })),
  };
}
