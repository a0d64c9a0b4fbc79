import type { Labels } from '../data/store.ts';
import { ExecutionProblem } from './problems.ts';
import { STALE, type StepSeries } from './values.ts';

const SEPARATOR = '\u0000';

/** Equal for equal labels, and ordered as Prometheus orders series: by name, then value, pair after pair. */
export function labelKey(labels: Labels): string {
  let key = '';
  for (const name of Object.keys(labels).sort()) key += name + SEPARATOR + labels[name] + SEPARATOR;
  return key;
}

export function withoutName(labels: Labels): Labels {
  if (labels.__name__ === undefined) return labels;
  const { __name__: _, ...rest } = labels;
  return rest;
}

export function keep(labels: Labels, names: readonly string[]): Labels {
  const kept: Labels = {};
  for (const name of names) if (labels[name] !== undefined) kept[name] = labels[name];
  return kept;
}

export function omit(labels: Labels, names: readonly string[]): Labels {
  const rest = { ...labels };
  for (const name of names) delete rest[name];
  return rest;
}

/** A label set to the empty string is a label that is not there. */
export function withLabel(labels: Labels, name: string, value: string): Labels {
  return value === '' ? omit(labels, [name]) : { ...labels, [name]: value };
}

/** `{a="b", c="d"}`: how error messages show labels, the name among them. */
export function showLabels(labels: Labels): string {
  const pairs = Object.keys(labels)
    .sort()
    .map((name) => `${name}=${JSON.stringify(labels[name])}`);
  return `{${pairs.join(', ')}}`;
}

/** A copy in the order in which Prometheus keeps series. */
export function sortedByLabels<T extends { labels: Labels }>(series: readonly T[]): T[] {
  return series
    .map((one) => ({ one, key: labelKey(one.labels) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ one }) => one);
}

/** Puts series of equal labels together; two of them at the same step are an error. Series without samples go. */
export function mergeSteps(series: readonly StepSeries[]): StepSeries[] {
  const merged = new Map<string, StepSeries>();
  for (const one of series) {
    if (!one.values.some((value) => value !== STALE)) continue;
    const key = labelKey(one.labels);
    const before = merged.get(key);
    if (!before) {
      merged.set(key, one);
      continue;
    }
    const values = Float64Array.from(before.values);
    one.values.forEach((value, i) => {
      if (value === STALE) return;
      if (values[i] !== STALE) throw duplicateLabels();
      values[i] = value;
    });
    merged.set(key, { labels: before.labels, values });
  }
  return [...merged.values()];
}

/** Where Prometheus looks at whole series, equal labels are an error even if they never meet at a step. */
export function requireUnique(series: readonly { labels: Labels }[]): void {
  if (new Set(series.map(({ labels }) => labelKey(labels))).size < series.length) throw duplicateLabels();
}

function duplicateLabels(): ExecutionProblem {
  return new ExecutionProblem('vector cannot contain metrics with the same labelset');
}
