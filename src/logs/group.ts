import { normalLine, VARIES } from './normal.ts';

export interface LineGroups {
  /** Index into `templates` for each line. */
  ids: number[];
  /** In the order of their counts, largest first, then by text. */
  templates: { template: string; count: number }[];
}

export interface GroupOptions {
  /** The lines are messages, without time and level before them. */
  content?: boolean;
  /** Groups at most; what is left over is one more, `OTHER`. Default 2,000. */
  most?: number;
}

export const OTHER = '(other lines)';

/**
 * Lines that say the same grouped together, whatever their order. In the family of log parsers that compare token by token
 * (He et al., "Drain", ICWS 2017), but in two steps that see all lines: each is reduced to its constant words, then
 * sequences that differ at one place become one where that place holds what varies: many different words, or words of
 * the shape of names. Few plain words, each frequent, stay apart: "opened" and "closed".
 */
export function groupLines(lines: readonly string[], { content = false, most = 2_000 }: GroupOptions = {}): LineGroups {
  const keys = new Map<string, string>();
  const counts = new Map<string, number>();
  const normal = lines.map((line) => {
    let key = keys.get(line);
    if (key === undefined) {
      key = normalLine(line, content);
      if (keys.size < MOST_KEPT) keys.set(line, key);
    }
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return key;
  });
  const templateOf = merge(counts);
  const sizes = new Map<string, number>();
  for (const [key, count] of counts) {
    const template = templateOf.get(key) ?? key;
    sizes.set(template, (sizes.get(template) ?? 0) + count);
  }
  const sorted = [...sizes].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const kept = sorted.slice(0, most).map(([template, count]) => ({ template, count }));
  const rest = sorted.slice(most).reduce((sum, [, count]) => sum + count, 0);
  const templates = rest === 0 ? kept : [...kept, { template: OTHER, count: rest }];
  const index = new Map(kept.map(({ template }, i) => [template, i]));
  return { ids: normal.map((key) => index.get(templateOf.get(key) ?? key) ?? kept.length), templates };
}

const MOST_KEPT = 100_000;
/** Distinct sequences that are compared; a source of more has no pattern that this would find. */
const MOST_COMPARED = 20_000;
const LONGEST = 60;
const ROUNDS = 6;
/** So many different plain words at one place are names, not states. */
const MANY_WORDS = 5;

interface Sequence {
  tokens: string[];
  count: number;
  /** Normal lines that came to this. */
  keys: string[];
}

/** For each normal line the template it belongs to, where that is not itself. */
function merge(counts: ReadonlyMap<string, number>): Map<string, string> {
  const out = new Map<string, string>();
  const byLength = new Map<number, Map<string, Sequence>>();
  const compared = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, MOST_COMPARED);
  // What stands before every line says nothing of one.
  const before = commonStart(compared.map(([key]) => key));
  for (const [key, count] of compared) {
    const tokens = key.slice(before.length).split(' ');
    if (tokens.length > LONGEST) continue;
    const same = byLength.get(tokens.length) ?? new Map<string, Sequence>();
    byLength.set(tokens.length, same.set(tokens.join(' '), { tokens, count, keys: [key] }));
  }
  for (const sequences of byLength.values()) {
    for (let round = 0; round < ROUNDS && mergeOnce(sequences); round++);
    for (const [template, { keys }] of sequences) for (const key of keys) out.set(key, before + template);
  }
  return out;
}

/** The words that all of them begin with, with the blank behind. */
function commonStart(keys: readonly string[]): string {
  const [first = '', last = ''] = [keys[0], keys.at(-1)];
  let at = 0;
  // They are sorted: what the first and the last share, all share.
  while (at < first.length && first[at] === last[at]) at++;
  return keys.length < 2 ? '' : first.slice(0, first.lastIndexOf(' ', at - 1) + 1);
}

/** Joins what differs at one place alone, the places with most different words first. True when something was joined. */
function mergeOnce(sequences: Map<string, Sequence>): boolean {
  const places = new Map<string, { at: number; members: string[] }>();
  for (const [key, { tokens }] of sequences) {
    for (let at = 0; at < tokens.length; at++) {
      const hole = `${tokens.slice(0, at).join(' ')} \u0000 ${tokens.slice(at + 1).join(' ')}`;
      const place = places.get(hole);
      if (place === undefined) places.set(hole, { at, members: [key] });
      else place.members.push(key);
    }
  }
  const candidates = [...places].filter(([, { members }]) => members.length > 1);
  candidates.sort(([a, m], [b, n]) => n.members.length - m.members.length || (a < b ? -1 : 1));
  let joined = false;
  for (const [, { at, members }] of candidates) {
    const alive = members.flatMap((key) => sequences.get(key) ?? []);
    if (alive.length < 2 || !varies(alive, at)) continue;
    const tokens = [...(alive[0]?.tokens ?? [])];
    tokens[at] = holeOf(alive.map((one) => one.tokens[at] ?? ''));
    for (const key of members) sequences.delete(key);
    const key = tokens.join(' ');
    const old = sequences.get(key);
    const all = old === undefined ? alive : [...alive, old];
    sequences.set(key, {
      tokens,
      count: all.reduce((sum, one) => sum + one.count, 0),
      keys: all.flatMap((one) => one.keys),
    });
    joined = true;
  }
  return joined;
}

/** Whether what stands at this place of otherwise equal sequences is a value. */
function varies(alive: readonly Sequence[], at: number): boolean {
  const words = alive.map(({ tokens }) => tokens[at] ?? '');
  // Against a place that varied already, a word is one more value.
  if (words.some((word) => word.includes(VARIES))) return sameFrame(words);
  // The classes of causes are what tells two faults apart.
  if (words.some((word) => word.startsWith('<-'))) return false;
  // One word alone says what the line is about.
  const constant = (alive[0]?.tokens ?? []).filter((token, i) => i !== at && !token.includes(VARIES)).length;
  if (constant === 0) return false;
  if (words.every(isName)) return true;
  return words.length >= MANY_WORDS && constant >= 2;
}

/** `user=<*>` and `user=bob`: equal but for the value. */
function sameFrame(words: readonly string[]): boolean {
  const frames = words.map((word) => word.replace(/[^=:([]*$/, ''));
  return frames.every((frame) => frame === frames[0]);
}

/** Of the shape of a host, a path, a class, a file or an address, and not a word of a language. */
function isName(word: string): boolean {
  return /[a-zA-Z][./_@\\-][a-zA-Z]|^\/\S|[a-z][A-Z]/.test(word);
}

function holeOf(words: readonly string[]): string {
  const frame = /^[\w.-]*[=:([]/.exec(words[0] ?? '')?.[0] ?? '';
  return words.every((word) => word.startsWith(frame)) ? `${frame}${VARIES}` : VARIES;
}
