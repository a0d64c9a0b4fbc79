import type { Grouping } from './ast.ts';
import type { Interner, LabelSet } from './labels.ts';
import { variance } from './range-functions.ts';
import type { Sample, Vector } from './samples.ts';

const REDUCERS: Record<string, (values: number[]) => number> = {
  sum: (values) => values.reduce((total, value) => total + value, 0),
  avg: (values) => values.reduce((mean, value, index) => mean + (value - mean) / (index + 1), 0),
  count: (values) => values.length,
  min: (values) => values.reduce((best, value) => (value < best || Number.isNaN(best) ? value : best)),
  max: (values) => values.reduce((best, value) => (value > best || Number.isNaN(best) ? value : best)),
  stdvar: variance,
  stddev: (values) => Math.sqrt(variance(values)),
};

/** One vector aggregation; remembers which group a series belongs to, so labels are compared once. */
export function aggregator(
  op: string,
  parameter: number,
  grouping: Grouping | undefined,
  interner: Interner,
): (vector: Vector) => Vector {
  const groupOf = grouper(grouping, interner);
  if (op === 'sort' || op === 'sort_desc') {
    const sign = op === 'sort' ? 1 : -1;
    return (vector) => [...vector].sort((a, b) => ranked(a.value, b.value, sign));
  }
  const groups = (vector: Vector): Map<LabelSet, Sample[]> => {
    const found = new Map<LabelSet, Sample[]>();
    for (const sample of vector) {
      const key = groupOf(sample.labels);
      const known = found.get(key);
      if (known === undefined) found.set(key, [sample]);
      else known.push(sample);
    }
    return found;
  };
  if (op === 'topk' || op === 'bottomk') {
    const sign = op === 'bottomk' ? 1 : -1;
    return (vector) =>
      [...groups(vector).values()].flatMap((samples) =>
        samples.sort((a, b) => ranked(a.value, b.value, sign)).slice(0, parameter),
      );
  }
  const reduce = REDUCERS[op];
  if (reduce === undefined) throw new Error(`no such aggregation: ${op}`);
  return (vector) =>
    [...groups(vector)].map(([labels, samples]) => ({ labels, value: reduce(samples.map((sample) => sample.value)) }));
}

/** NaN last in either direction. */
function ranked(a: number, b: number, sign: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return sign * (a - b);
}

function grouper(grouping: Grouping | undefined, interner: Interner): (labels: LabelSet) => LabelSet {
  if (grouping === undefined) return () => interner.empty;
  return remembered(
    grouping.without
      ? (labels) => without(labels, grouping.labels, interner)
      : (labels) => only(labels, grouping.labels, interner),
  );
}

export function remembered(make: (labels: LabelSet) => LabelSet): (labels: LabelSet) => LabelSet {
  const known = new Map<LabelSet, LabelSet>();
  return (labels) => {
    const found = known.get(labels);
    if (found !== undefined) return found;
    const made = make(labels);
    known.set(labels, made);
    return made;
  };
}

export function only(set: LabelSet, names: readonly string[], interner: Interner): LabelSet {
  return interner.of(
    Object.keys(set.labels).filter((name) => names.includes(name)),
    (name) => set.labels[name] ?? '',
  );
}

export function without(set: LabelSet, names: readonly string[], interner: Interner): LabelSet {
  return interner.of(
    Object.keys(set.labels).filter((name) => !names.includes(name)),
    (name) => set.labels[name] ?? '',
  );
}
