import type { Labels } from '../data/store.ts';
import { goQuote } from './units.ts';

/** Labels made once per distinct set, so that series and streams are told apart by `key` or identity. */
export interface LabelSet {
  /** Names in order. */
  labels: Labels;
  key: string;
}

/** One per request: it is as large as the distinct label sets that the request meets. */
export class Interner {
  readonly #known = new Map<string, LabelSet>();
  readonly empty: LabelSet = { labels: {}, key: '' };

  /** `names` sorted; one without a value is left out. */
  of(names: readonly string[], read: (name: string) => string | undefined): LabelSet {
    let key = '';
    for (const name of names) {
      const value = read(name);
      if (value !== undefined) key += `${name}\xff${value}\xff`;
    }
    if (key === '') return this.empty;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const labels: Labels = {};
    for (const name of names) {
      const value = read(name);
      if (value !== undefined) labels[name] = value;
    }
    const made = { labels, key };
    this.#known.set(key, made);
    return made;
  }

  from(labels: Labels): LabelSet {
    return this.of(Object.keys(labels).sort(), (name) => labels[name]);
  }
}

/** Loki's text of a label set: `{app="x", env="y"}`. */
export function labelString(labels: Labels): string {
  return `{${Object.keys(labels)
    .sort()
    .map((name) => `${name}=${goQuote(labels[name] ?? '')}`)
    .join(', ')}}`;
}

/** Prometheus' order of label sets: name, value, name, value …; the shorter first. Names must be in order. */
export function compareLabels(a: Labels, b: Labels): number {
  const left = Object.entries(a);
  const right = Object.entries(b);
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    for (const part of [0, 1] as const) {
      const x = left[index]?.[part] ?? '';
      const y = right[index]?.[part] ?? '';
      if (x !== y) return x < y ? -1 : 1;
    }
  }
  return left.length - right.length;
}
