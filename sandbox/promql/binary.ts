import type { Labels } from '../data/store.ts';
import { COMPARISONS, type Matching } from './ast.ts';
import { keep, labelKey, mergeSteps, omit, showLabels, withLabel, withoutName } from './labels.ts';
import { ExecutionProblem } from './problems.ts';
import { emptySteps, type Grid, STALE, type StepSeries } from './values.ts';

const ARITHMETIC: Record<string, (a: number, b: number) => number> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
  '^': power,
  atan2: Math.atan2,
};
const COMPARE: Record<string, (a: number, b: number) => boolean> = {
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<': (a, b) => a < b,
  '>': (a, b) => a > b,
  '<=': (a, b) => a <= b,
  '>=': (a, b) => a >= b,
};

/** Comparisons, and atan2: 2.42 forgot to drop the name there. */
const KEEPS_NAME = new Set([...COMPARISONS, 'atan2']);

/** Go and C say 1 where JavaScript says NaN. */
function power(base: number, exponent: number): number {
  if (base === 1 || (base === -1 && Math.abs(exponent) === Number.POSITIVE_INFINITY)) return 1;
  return base ** exponent;
}

/** The result of an operation on two samples: STALE when a comparison filters it out. */
type Operation = (left: number, right: number) => number;

function operation(op: string, bool: boolean): Operation {
  const compare = COMPARE[op];
  if (!compare) return ARITHMETIC[op] ?? (() => Number.NaN);
  return bool ? (a, b) => (compare(a, b) ? 1 : 0) : (a, b) => (compare(a, b) ? a : STALE);
}

export function scalarScalar(op: string, left: Float64Array, right: Float64Array): Float64Array {
  const apply = operation(op, true);
  return left.map((value, i) => apply(value, Number(right[i])));
}

/** `swapped`: the scalar stood on the left. A filtering comparison gives the vector's value all the same. */
export function vectorScalar(
  op: string,
  bool: boolean,
  series: readonly StepSeries[],
  scalar: Float64Array,
  swapped: boolean,
): StepSeries[] {
  const apply = operation(op, bool);
  const filters = COMPARISONS.has(op) && !bool;
  const out = series.map(({ labels, values }) => ({
    labels: KEEPS_NAME.has(op) && !bool ? labels : withoutName(labels),
    values: values.map((value, i) => {
      if (value === STALE) return STALE;
      if (!swapped) return apply(value, Number(scalar[i]));
      const result = apply(Number(scalar[i]), value);
      return filters && result !== STALE ? value : result;
    }),
  }));
  return mergeSteps(out);
}

/** A number for each distinct set of matching labels on either side. */
function signatures(matching: Matching, sides: readonly (readonly StepSeries[])[]): { of: number[][]; count: number } {
  const ids = new Map<string, number>();
  const of = sides.map((side) =>
    side.map(({ labels }) => {
      const key = labelKey(matchLabels(matching, labels));
      const id = ids.get(key) ?? ids.size;
      ids.set(key, id);
      return id;
    }),
  );
  return { of, count: ids.size };
}

function matchLabels({ on, labels: names }: Matching, labels: Labels): Labels {
  return on ? keep(labels, names) : omit(labels, [...names, '__name__']);
}

export function setOperation(
  op: string,
  matching: Matching,
  left: readonly StepSeries[],
  right: readonly StepSeries[],
  grid: Grid,
): StepSeries[] {
  const { of, count } = signatures(matching, [left, right]);
  const [ofLeft = [], ofRight = []] = of;
  const present = (side: readonly StepSeries[], ids: readonly number[], i: number): Uint8Array => {
    const seen = new Uint8Array(count);
    side.forEach(({ values }, s) => {
      if (values[i] !== STALE) seen[ids[s] ?? 0] = 1;
    });
    return seen;
  };
  const filtered = (side: readonly StepSeries[]): StepSeries[] =>
    side.map(({ labels }) => ({ labels, values: emptySteps(grid) }));
  const [first, second] = op === 'or' ? [right, left] : [left, right];
  const [firstIds, secondIds] = op === 'or' ? [ofRight, ofLeft] : [ofLeft, ofRight];
  const wanted = op === 'and' ? 1 : 0;
  const out = filtered(first);
  for (let i = 0; i < grid.count; i++) {
    const seen = present(second, secondIds, i);
    first.forEach(({ values }, s) => {
      const target = out[s];
      if (target && seen[firstIds[s] ?? 0] === wanted) target.values[i] = values[i] ?? STALE;
    });
  }
  return mergeSteps(op === 'or' ? [...left, ...out] : out);
}

export function vectorVector(
  op: string,
  bool: boolean,
  matching: Matching,
  left: readonly StepSeries[],
  right: readonly StepSeries[],
  grid: Grid,
): StepSeries[] {
  const swapped = matching.card === 'one-to-many';
  const [many, one] = swapped ? [right, left] : [left, right];
  const { of, count } = signatures(matching, [many, one]);
  const [ofMany = [], ofOne = []] = of;
  const apply = operation(op, bool);
  const results = new Results(op, bool, matching, grid);
  const oneAt = new Int32Array(count);
  for (let i = 0; i < grid.count; i++) {
    // Nothing can match an empty side, so duplicates on the other are no error.
    if (!many.some(({ values }) => values[i] !== STALE)) continue;
    oneAt.fill(-1);
    one.forEach((sample, s) => {
      if (sample.values[i] === STALE) return;
      const id = ofOne[s] ?? 0;
      const before = one[oneAt[id] ?? -1];
      if (before) throw manyToMany(matching, sample.labels, before.labels);
      oneAt[id] = s;
    });
    const matched = new Set<number | string>();
    many.forEach((sample, s) => {
      const value = sample.values[i];
      const id = ofMany[s] ?? 0;
      const partner = oneAt[id] ?? -1;
      const other = one[partner]?.values[i];
      if (value === undefined || value === STALE || other === undefined) return;
      const result = swapped ? apply(other, value) : apply(value, other);
      if (result === STALE) return;
      const target = results.of(sample.labels, one[partner]?.labels ?? {}, s, partner);
      const mark = matching.card === 'one-to-one' ? id : `${id}:${target.id}`;
      if (matched.has(mark)) throw multipleMatches(matching);
      matched.add(mark);
      results.write(target, i, result);
    });
  }
  return results.series();
}

/** Result series by their labels; which labels a pair gives is worked out once. */
class Results {
  readonly #byPair = new Map<number, { id: number; series: StepSeries }>();
  readonly #byKey = new Map<string, { id: number; series: StepSeries }>();
  readonly #op: string;
  readonly #bool: boolean;
  readonly #matching: Matching;
  readonly #grid: Grid;

  constructor(op: string, bool: boolean, matching: Matching, grid: Grid) {
    this.#op = op;
    this.#bool = bool;
    this.#matching = matching;
    this.#grid = grid;
  }

  of(many: Labels, one: Labels, manyIndex: number, oneIndex: number): { id: number; series: StepSeries } {
    const pair = manyIndex * 2 ** 24 + oneIndex;
    const known = this.#byPair.get(pair);
    if (known) return known;
    const labels = this.#labels(many, one);
    const key = labelKey(labels);
    const target = this.#byKey.get(key) ?? { id: this.#byKey.size, series: { labels, values: emptySteps(this.#grid) } };
    this.#byKey.set(key, target);
    this.#byPair.set(pair, target);
    return target;
  }

  write({ series }: { series: StepSeries }, i: number, value: number): void {
    if (series.values[i] !== STALE) throw new ExecutionProblem('vector cannot contain metrics with the same labelset');
    series.values[i] = value;
  }

  series(): StepSeries[] {
    return [...this.#byKey.values()].map(({ series }) => series);
  }

  #labels(many: Labels, one: Labels): Labels {
    const { card, on, labels: names, include } = this.#matching;
    let labels = KEEPS_NAME.has(this.#op) ? many : withoutName(many);
    if (card === 'one-to-one') labels = on ? keep(labels, names) : omit(labels, names);
    for (const name of include) labels = withLabel(labels, name, one[name] ?? '');
    return this.#bool ? withoutName(labels) : labels;
  }
}

function manyToMany(matching: Matching, sample: Labels, before: Labels): ExecutionProblem {
  const side = matching.card === 'one-to-many' ? 'left' : 'right';
  const group = showLabels(matchLabels(matching, sample));
  const both = `[${showLabels(sample)}, ${showLabels(before)}]`;
  return new ExecutionProblem(
    `found duplicate series for the match group ${group} on the ${side} hand-side of the operation: ${both}` +
      ';many-to-many matching not allowed: matching labels must be unique on one side',
  );
}

function multipleMatches(matching: Matching): ExecutionProblem {
  return new ExecutionProblem(
    matching.card === 'one-to-one'
      ? 'multiple matches for labels: many-to-one matching must be explicit (group_left/group_right)'
      : 'multiple matches for labels: grouping labels must ensure unique matches',
  );
}
