import { showLabels } from '../answer/table.ts';
import { showControls } from '../answer/text.ts';
import type { Labels } from '../grafana/upstream.ts';
import { LEVEL_NAMES } from './level.ts';
import type { MergedEntry } from './merge.ts';

/** The labels of a page that are said once, above its rows. */
export interface PageLabels {
  /** With one value in all entries. */
  shared: Labels;
  /** Names of stream labels that another one tells: a pod knows its namespace. */
  implied: ReadonlySet<string>;
  /** `all: env=prod`, then `pod=a, b: namespace=shop`. */
  lines: string[];
}

export function pageLabels(entries: readonly MergedEntry[]): PageLabels {
  const shared = sharedLabels(entries);
  const all = Object.keys(shared).length === 0 ? [] : [`all: ${showLabels(shared)}`];
  const { implied, lines } = impliedLabels(entries, shared);
  return { shared, implied, lines: [...all, ...lines] };
}

/** Labels and structured metadata with one value in all entries. The server's detected level is left out beside a real one. */
function sharedLabels(entries: readonly MergedEntry[]): Labels {
  const first = entries[0];
  if (first === undefined) return {};
  const shared: Labels = { ...first.metadata, ...first.stream };
  for (const entry of entries) {
    for (const name of Object.keys(shared)) {
      if ((entry.stream[name] ?? entry.metadata[name]) !== shared[name]) delete shared[name];
    }
  }
  if (shared.detected_level !== undefined && (shared.level !== undefined || shared.detected_level === 'unknown')) {
    delete shared.detected_level;
  }
  for (const name of Object.keys(shared)) shared[name] = showControls(shared[name] ?? '');
  return shared;
}

const MOST_STREAMS = 60;
const MOST_KEYS = 12;
/** Rows for each value of the label at least: else to say it beside them is shorter. */
const WORTH = 3;

/** The stream label, if there is one, whose values tell those of all the others that differ. */
function impliedLabels(
  entries: readonly MergedEntry[],
  shared: Labels,
): { implied: ReadonlySet<string>; lines: string[] } {
  const none = { implied: new Set<string>(), lines: [] };
  const streams = [...new Set(entries.map(({ stream }) => stream))];
  if (streams.length < 2 || streams.length > MOST_STREAMS) return none;
  const names = [...new Set(streams.flatMap((stream) => Object.keys(stream)))].filter(
    (name) => !(name in shared) && !LEVEL_NAMES.includes(name) && !name.startsWith('__'),
  );
  const everywhere = names.filter((name) => streams.every((stream) => (stream[name] ?? '') !== ''));
  const found = everywhere
    .map((key) => ({ key, rest: restBy(key, names, streams) }))
    .filter(({ rest }) => rest !== undefined && rest.size <= MOST_KEYS && rest.size * WORTH <= entries.length)
    .sort((a, b) => (a.rest?.size ?? 0) - (b.rest?.size ?? 0))[0];
  if (found?.rest === undefined || names.length < 2) return none;
  const byRest = new Map<string, string[]>();
  for (const [value, rest] of found.rest) byRest.set(rest, [...(byRest.get(rest) ?? []), value]);
  const lines = [...byRest]
    .filter(([rest]) => rest !== '')
    .map(([rest, values]) => `${showLabels({ [found.key]: values[0] ?? '' })}${more(values.slice(1))}: ${rest}`);
  return { implied: new Set(names.filter((name) => name !== found.key)), lines };
}

const more = (values: readonly string[]) => values.map((value) => `, ${showControls(value)}`).join('');

/** For each value of the label what it says of the others; undefined when one value stands with two different ones. */
function restBy(key: string, names: readonly string[], streams: readonly Labels[]): Map<string, string> | undefined {
  const found = new Map<string, string>();
  for (const stream of streams) {
    const rest: Labels = {};
    for (const name of names) {
      const value = stream[name] ?? '';
      if (name !== key && value !== '') rest[name] = showControls(value);
    }
    const text = showLabels(rest);
    const value = stream[key] ?? '';
    if ((found.get(value) ?? text) !== text) return undefined;
    found.set(value, text);
  }
  return found;
}
