import type { Originals } from './mask.ts';
import { type Marks, mark } from './mask-mark.ts';

/** Shorter values, plain words, short numbers and names of secrets stand for other things too: a service, a time. */
const MIN_LENGTH = 6;
const COMMON = /^(?:[A-Za-z]{1,15}|\d{1,11})$/;
const MAX_VALUES = 1_000;
const MAX_CHARACTERS = 100_000;
const NAME =
  /^(?:password|passwd|passphrase|secrets?|tokens?|bearer|cookies?|session|signature|masked|authorization)$/i;
const MARK = /(\[masked:[\w-]+\])/;

/** Replaces known values, wherever they stand: in one pass over the text, however many values there are. */
export type MaskAgain = (text: string, marks: Marks) => string;

/**
 * The values that were masked in one place of an answer, to be masked in the others: a stage of LogQL may carry a
 * secret away from its name. Aho and Corasick's automaton, as values share beginnings and may be hostile.
 */
export function maskAgain(originals: Originals): MaskAgain | undefined {
  const values = chosen(originals);
  if (values.length === 0) return undefined;
  const nodes: Node[] = [{ next: new Map(), fail: 0, length: 0, kind: '' }];
  for (const [value, kind] of values) addValue(nodes, value, kind);
  link(nodes);
  return (text, marks) =>
    text
      .split(MARK)
      .map((part, i) => (i % 2 === 1 ? part : replaceIn(part, nodes, marks)))
      .join('');
}

interface Node {
  next: Map<number, number>;
  fail: number;
  /** Of the longest value that ends here; 0 for none. */
  length: number;
  kind: string;
}

function chosen(originals: Originals): [string, string][] {
  const out: [string, string][] = [];
  let left = MAX_CHARACTERS;
  for (const [value, kind] of originals) {
    if (value.length < MIN_LENGTH || value.length > left || COMMON.test(value) || NAME.test(value) || MARK.test(value))
      continue;
    out.push([value, kind]);
    left -= value.length;
    // As a field's name has it: Loki's parsers make `_` of what a name may not hold.
    const asName = value.replaceAll(/\W/g, '_');
    if (asName !== value) out.push([asName, kind]);
    if (out.length >= MAX_VALUES) break;
  }
  return out;
}

function addValue(nodes: Node[], value: string, kind: string): void {
  let at = 0;
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    let to = nodes[at]?.next.get(code);
    if (to === undefined) {
      to = nodes.push({ next: new Map(), fail: 0, length: 0, kind: '' }) - 1;
      nodes[at]?.next.set(code, to);
    }
    at = to;
  }
  const end = nodes[at];
  if (end !== undefined) Object.assign(end, { length: value.length, kind });
}

function link(nodes: Node[]): void {
  const queue = [...(nodes[0]?.next.values() ?? [])];
  for (const at of queue) {
    const node = nodes[at];
    if (node === undefined) continue;
    for (const [code, to] of node.next) {
      const child = nodes[to];
      if (child === undefined) continue;
      child.fail = step(nodes, node.fail, code);
      const shorter = nodes[child.fail];
      if (child.length === 0 && shorter !== undefined)
        Object.assign(child, { length: shorter.length, kind: shorter.kind });
      queue.push(to);
    }
  }
}

function step(nodes: readonly Node[], from: number, code: number): number {
  for (let at = from; ; at = nodes[at]?.fail ?? 0) {
    const to = nodes[at]?.next.get(code);
    if (to !== undefined) return to;
    if (at === 0) return 0;
  }
}

function replaceIn(text: string, nodes: readonly Node[], marks: Marks): string {
  const found: { from: number; to: number; kind: string }[] = [];
  for (let i = 0, at = 0; i < text.length; i++) {
    at = step(nodes, at, text.charCodeAt(i));
    const { length = 0, kind = '' } = nodes[at] ?? {};
    if (length === 0) continue;
    const span = { from: i + 1 - length, to: i + 1, kind };
    // Those that overlap become one.
    for (let last = found.at(-1); last !== undefined && last.to > span.from; last = found.at(-1)) {
      span.from = Math.min(span.from, last.from);
      found.pop();
    }
    found.push(span);
  }
  let out = '';
  let at = 0;
  for (const { from, to, kind } of found) {
    out += text.slice(at, from) + mark(kind, marks, text.slice(from, to));
    at = to;
  }
  return out + text.slice(at);
}
