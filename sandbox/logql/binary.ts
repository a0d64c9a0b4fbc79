import { only, remembered, without } from './aggregate.ts';
import type { Matching, MetricQuery } from './ast.ts';
import { EvaluationError } from './errors.ts';
import type { Interner, LabelSet } from './labels.ts';
import { applyOperator, COMPARISONS, compare, SET_OPERATORS } from './operators.ts';
import type { Evaluator, Vector } from './samples.ts';

type Binary = Extract<MetricQuery, { kind: 'binary' }>;

const DEFAULT: Matching = { on: false, labels: [], include: [] };

export function binaryEvaluator(query: Binary, left: Evaluator, right: Evaluator, interner: Interner): Evaluator {
  const matching = query.matching ?? DEFAULT;
  const signature = remembered((labels) => (matching.on ? only : without)(labels, matching.labels, interner));
  const join = SET_OPERATORS.has(query.op)
    ? setOperation(query.op, signature)
    : vectorOperation(query, matching, signature, interner);
  return (step) => {
    const a = left(step);
    const b = right(step);
    if (typeof a === 'number' && typeof b === 'number') return applyOperator(query.op, a, b);
    if (typeof b === 'number') return withScalar(query, a as Vector, b, false);
    if (typeof a === 'number') return withScalar(query, b, a, true);
    return join(a, b);
  };
}

function withScalar(query: Binary, vector: Vector, scalar: number, scalarLeft: boolean): Vector {
  const filter = COMPARISONS.has(query.op) && !query.bool;
  const result: Vector = [];
  for (const { labels, value } of vector) {
    const [a, b] = scalarLeft ? [scalar, value] : [value, scalar];
    if (!filter) result.push({ labels, value: applyOperator(query.op, a, b) });
    else if (compare(query.op, a, b)) result.push({ labels, value });
  }
  return result;
}

function setOperation(op: string, signature: (labels: LabelSet) => LabelSet): (a: Vector, b: Vector) => Vector {
  return (a, b) => {
    if (op === 'or') {
      const held = new Set(a.map((sample) => signature(sample.labels)));
      return [...a, ...b.filter((sample) => !held.has(signature(sample.labels)))];
    }
    const held = new Set(b.map((sample) => signature(sample.labels)));
    return a.filter((sample) => held.has(signature(sample.labels)) === (op === 'and'));
  };
}

function vectorOperation(
  query: Binary,
  matching: Matching,
  signature: (labels: LabelSet) => LabelSet,
  interner: Interner,
): (a: Vector, b: Vector) => Vector {
  const swapped = matching.group === 'right';
  const filter = COMPARISONS.has(query.op) && !query.bool;
  return (left, right) => {
    const [many, one] = swapped ? [right, left] : [left, right];
    const partners = new Map<LabelSet, Vector[number]>();
    for (const sample of one) {
      const key = signature(sample.labels);
      if (partners.has(key)) {
        throw new EvaluationError(
          `found duplicate series on the ${swapped ? 'left' : 'right'} hand-side` +
            ';many-to-many matching not allowed: matching labels must be unique on one side',
        );
      }
      partners.set(key, sample);
    }
    const seen = new Set<LabelSet>();
    const result: Vector = [];
    for (const sample of many) {
      const key = signature(sample.labels);
      const partner = partners.get(key);
      if (partner === undefined) continue;
      const [a, b] = swapped ? [partner.value, sample.value] : [sample.value, partner.value];
      const keep = !filter || compare(query.op, a, b);
      const labels =
        matching.group === undefined ? key : included(sample.labels, partner.labels, matching.include, interner);
      if (seen.has(labels)) {
        throw new EvaluationError(
          matching.group === undefined
            ? 'multiple matches for labels: many-to-one matching must be explicit (group_left/group_right)'
            : 'multiple matches for labels: grouping labels must ensure unique matches',
        );
      }
      seen.add(labels);
      if (keep) result.push({ labels, value: filter ? a : applyOperator(query.op, a, b) });
    }
    return result;
  };
}

/** The many side's labels, `include` taken from the one side. */
function included(many: LabelSet, one: LabelSet, include: readonly string[], interner: Interner): LabelSet {
  if (include.length === 0) return many;
  const labels = { ...many.labels };
  for (const name of include) {
    const value = one.labels[name];
    if (value === undefined || value === '') delete labels[name];
    else labels[name] = value;
  }
  return interner.from(labels);
}
