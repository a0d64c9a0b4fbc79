import { quoteWord } from '../answer/table.ts';
import { showControls, stripAnsi } from '../answer/text.ts';
import type { Labels } from '../grafana/upstream.ts';
import { detailOf, showDay, showTime } from '../time/show.ts';
import { type Field, readJsonFields, readLogfmt } from './fields.ts';
import { LEVEL_NAMES, leadingLevel, levelOf, readLevel } from './level.ts';
import { dropTime, isSame } from './line-time.ts';
import type { MergedEntry } from './merge.ts';
import { type PageLabels, pageLabels } from './page-labels.ts';
import { foldTrace } from './trace.ts';

export interface LogRow {
  text: string;
  /** How many log entries the row stands for; the cursor counts these. */
  entries: number;
}

export interface RowOptions {
  zone: string;
  /** `raw`: time, the labels that differ, and the line untouched. */
  detail: 'short' | 'raw';
  direction: 'forward' | 'backward';
  /** `around`: the entry at this ns is marked with `>`. */
  mark?: bigint;
}

/**
 * Entries of one page as rows, each made when it is read, and the labels that are said once. Identical neighbours become
 * one row with `× n`; lines are not cut here (the edge does, after masking).
 */
export function logRows(entries: readonly MergedEntry[], opt: RowOptions): { lead: string[]; rows: Iterable<LogRow> } {
  const said = pageLabels(entries);
  const { shared } = said;
  const sharedLevel = shared.level ?? shared.severity ?? shared.detected_level;
  const detail = detailOf(entries.map((entry) => entry.ts));
  // In order of time, so that the ends tell whether there is more than one day.
  const [first, last] = [entries[0], entries.at(-1)];
  const oneDay = !first || !last || showDay(first.ts, opt.zone) === showDay(last.ts, opt.zone);
  const time = (ns: bigint) => (oneDay ? '' : `${showDay(ns, opt.zone).slice(5)} `) + showTime(ns, opt.zone, detail);
  const rowOf = (run: Run): LogRow => {
    const when = run.entries === 1 ? time(run.first) : `${time(run.first)} … ${time(run.last)}`;
    const marker = opt.mark === undefined ? '' : run.first === opt.mark ? '> ' : '  ';
    const text = `${marker}${when} ${run.body}${run.entries === 1 ? '' : ` × ${run.entries}`}`;
    return { text: text.trimEnd(), entries: run.entries };
  };
  return { lead: said.lines, rows: foldRuns(entries, said, sharedLevel, opt, rowOf) };
}

interface Run {
  body: string;
  /** ns of its first and last entry */
  first: bigint;
  last: bigint;
  entries: number;
}

function* foldRuns(
  entries: readonly MergedEntry[],
  above: PageLabels,
  sharedLevel: string | undefined,
  opt: RowOptions,
  rowOf: (run: Run) => LogRow,
): Generator<LogRow> {
  let run: Run | undefined;
  for (const entry of entries) {
    const body = opt.detail === 'raw' ? rawBody(entry, above) : shortBody(entry, above, sharedLevel);
    const marked = opt.mark !== undefined && (entry.ts === opt.mark || run?.last === opt.mark);
    if (run && run.body === body && opt.detail === 'short' && !marked) {
      run.last = entry.ts;
      run.entries++;
    } else {
      if (run) yield rowOf(run);
      run = { body, first: entry.ts, last: entry.ts, entries: 1 };
    }
  }
  if (run) yield rowOf(run);
}

/** How many entries the first `shown` rows stand for. */
export function countEntries(rows: readonly LogRow[], shown = rows.length): number {
  let n = 0;
  for (const row of rows.slice(0, shown)) n += row.entries;
  return n;
}

const TRACE_NAMES = /^(?:trace|span)_?id$/i;

/** The entry's labels that neither the lines above nor the line itself says; trace ids last. */
function ownLabels(entry: MergedEntry, { shared, implied }: PageLabels, said: string): string {
  const out: string[] = [];
  const traces: string[] = [];
  for (const labels of [entry.stream, entry.metadata, entry.parsed]) {
    for (const name in labels) {
      const value = labels[name] ?? '';
      if (name in shared || implied.has(name) || value === '' || LEVEL_NAMES.includes(name)) continue;
      if (name.startsWith('__') && !name.startsWith('__error')) continue;
      if (name === 'service_name' && Object.entries(entry.stream).some(([n, v]) => n !== name && v === value)) continue;
      if (isSaid(name, value, said)) continue;
      const text = `${name}=${quoteWord(showControls(value))}`;
      (TRACE_NAMES.test(name) ? traces : out).push(text);
    }
  }
  return [...out, ...traces].join(' ');
}

/** A short value is in many lines by chance: it counts as said only beside its name. */
function isSaid(name: string, value: string, line: string): boolean {
  if (!line.includes(value)) return false;
  return value.length >= 6 || line.includes(`${name}=`) || line.includes(`"${name}"`);
}

function rawBody(entry: MergedEntry, above: PageLabels): string {
  const labels = ownLabels(entry, above, entry.line);
  return labels === '' ? entry.line : `${labels} | ${entry.line}`;
}

/** Beyond this the labels stand before the message, where the cut of a long line does not reach them. */
const LONG = 1_500;

function shortBody(entry: MergedEntry, above: PageLabels, sharedLevel: string | undefined): string {
  const known = levelOf(entry);
  const line = stripAnsi(entry.line);
  const message = readMessage(line, entry.ts, above.shared);
  const level = message.level ?? known;
  const shownLevel =
    level === undefined || (sharedLevel !== undefined && readLevel(sharedLevel) === level) ? '' : level;
  const labels = ownLabels(entry, above, line);
  const [first = '', ...more] = message.lines.map(showControls);
  const parts = first.length > LONG ? [shownLevel, labels, first] : [shownLevel, first, labels];
  return [parts.filter((part) => part !== '').join(' '), ...more.map((part) => `  ${part.trimStart()}`)].join('\n');
}

interface Message {
  level?: string | undefined;
  lines: string[];
}

function readMessage(line: string, ts: bigint, said: Labels): Message {
  const json = readJsonFields(line);
  if (json) return fieldsMessage(json, ts, said, true);
  const logfmt = readLogfmt(line);
  if (logfmt) return fieldsMessage(logfmt, ts, said, false);
  const timeless = dropTime(line, ts);
  const leading = leadingLevel(timeless);
  return { level: leading?.level, lines: foldTrace(leading?.rest ?? timeless) };
}

const TIME_NAMES = /^(?:@?time(?:stamp)?|ts|t|date|datetime)$/i;
const MESSAGE_NAMES = /^(?:msg|message|@message)$/i;

/** `error POST /api/orders status=500 "payment failed"`: no time, no level, no names where the value says it. */
function fieldsMessage(fields: readonly Field[], ts: bigint, said: Labels, json: boolean): Message {
  const at = Number(ts / 1_000_000n);
  const words: string[] = [];
  let level: string | undefined;
  let message: string | undefined;
  let request: string | undefined;
  const more: string[] = [];
  for (const field of fields) {
    const { name, value } = field;
    if (level === undefined && LEVEL_NAMES.includes(name.toLowerCase()) && readLevel(value) !== undefined) {
      level = readLevel(value);
    } else if ((TIME_NAMES.test(name) && isSame(value, at)) || (value !== '' && said[name] === value)) {
      // The row, or what is above the rows, has it already.
    } else if (message === undefined && MESSAGE_NAMES.test(name) && value !== '') {
      message = value;
    } else if (name === 'method' && /^[A-Z]{3,7}$/.test(value) && fields.some((f) => f.name === 'path')) {
      request = value;
    } else if (name === 'path' && request !== undefined && /^\/\S*$/.test(value)) {
      words.unshift(`${request} ${value}`);
    } else if (json && value.includes('\n')) {
      more.push(...foldTrace(`${name}: ${value}`));
    } else {
      words.push(`${name}=${json ? jsonWord(field) : field.raw}`);
    }
  }
  if (message !== undefined) {
    const [first = '', ...rest] = foldTrace(message);
    words.push(quoteMessage(first));
    more.unshift(...rest);
  }
  return { level, lines: [words.join(' '), ...more] };
}

function jsonWord(field: Field): string {
  return field.raw.startsWith('"') ? quoteWord(field.value) : field.raw;
}

/** Quoted plainly: what needs an escape keeps its own form between the quotes. */
function quoteMessage(text: string): string {
  return `"${text}"`;
}
