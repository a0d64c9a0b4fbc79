import type { Labels, LogStore } from '../data/store.ts';
import { compileRegex, expand } from '../regex.ts';
import { aggregator, remembered } from './aggregate.ts';
import type { Grouping, MetricQuery } from './ast.ts';
import { binaryEvaluator } from './binary.ts';
import { LogqlError } from './errors.ts';
import { compareLabels, Interner, type LabelSet } from './labels.ts';
import { type Counters, type RangeContext, rangeEvaluator } from './range.ts';
import type { Evaluator, Steps, Vector } from './samples.ts';

/** Points by step number, ascending. */
interface MatrixSeries {
  labels: Labels;
  points: { step: number; value: number }[];
}
export interface Matrix {
  series: MatrixSeries[];
  scalar: boolean;
  counters: Counters;
}

const MAX_SERIES = 500;

/** Series in Prometheus' label order; of one step, in the order of a `sort`. Throws LogqlError, EvaluationError. */
export function evaluateMetric(query: MetricQuery, store: LogStore, steps: Steps): Matrix {
  const context: RangeContext = { store, interner: new Interner(), steps, counters: { lines: 0, bytes: 0 } };
  const evaluate = evaluator(query, context);
  const series = new Map<LabelSet, MatrixSeries>();
  let scalar = false;
  for (let step = 0; step < steps.count; step++) {
    const result = evaluate(step);
    scalar = typeof result === 'number';
    for (const { labels, value } of typeof result === 'number'
      ? [{ labels: context.interner.empty, value: result }]
      : result) {
      const known = series.get(labels);
      if (known === undefined) {
        if (series.size === MAX_SERIES) throw tooManySeries();
        series.set(labels, { labels: labels.labels, points: [{ step, value }] });
      } else known.points.push({ step, value });
    }
  }
  const list = [...series.values()];
  if (steps.count > 1 || !isSorted(query)) list.sort((a, b) => compareLabels(a.labels, b.labels));
  return { series: list, scalar, counters: context.counters };
}

function tooManySeries(): LogqlError {
  return new LogqlError(
    `maximum number of series (${MAX_SERIES}) reached for a single query; consider reducing query cardinality by adding more specific ` +
      'stream selectors, reducing the time range, or aggregating results with functions like sum(), count() or topk()',
  );
}

/** Whether a `sort` is anywhere in the query: then Loki leaves an instant result in the order it has. */
function isSorted(query: MetricQuery): boolean {
  switch (query.kind) {
    case 'vector':
      return query.op.startsWith('sort') || isSorted(query.inner);
    case 'binary':
      return isSorted(query.left) || isSorted(query.right);
    case 'label_replace':
      return isSorted(query.inner);
    default:
      return false;
  }
}

/** `outer`: the grouping of a `sum` around a range aggregation, which Loki applies while reading lines. */
function evaluator(query: MetricQuery, context: RangeContext, outer?: Grouping): Evaluator {
  switch (query.kind) {
    case 'range':
      return rangeEvaluator(query, context, outer);
    case 'vector': {
      const pushed =
        query.op === 'sum' && query.inner.kind === 'range' && PUSHED.has(query.inner.op)
          ? (query.grouping ?? NO_LABELS)
          : undefined;
      const inner = evaluator(query.inner, context, pushed);
      const aggregate = aggregator(query.op, query.parameter ?? 0, query.grouping, context.interner);
      return (step) => aggregate(asVector(inner(step), context));
    }
    case 'binary':
      return binaryEvaluator(query, evaluator(query.left, context), evaluator(query.right, context), context.interner);
    case 'number':
      return () => query.value;
    case 'vectorOf':
      return () => [{ labels: context.interner.empty, value: query.value }];
    case 'label_replace':
      return replaceEvaluator(query, evaluator(query.inner, context), context);
  }
}

const NO_LABELS: Grouping = { without: false, labels: [] };
const PUSHED = new Set(['bytes_over_time', 'bytes_rate', 'sum_over_time', 'rate', 'count_over_time']);

function asVector(result: Vector | number, context: RangeContext): Vector {
  return typeof result === 'number' ? [{ labels: context.interner.empty, value: result }] : result;
}

function replaceEvaluator(
  query: Extract<MetricQuery, { kind: 'label_replace' }>,
  inner: Evaluator,
  context: RangeContext,
): Evaluator {
  const regex = compileRegex(query.regex, { whole: true, dotAll: true });
  const replace = remembered((set) => {
    const match = regex.exec(set.labels[query.src] ?? '');
    if (match === undefined) return set;
    const value = expand(query.replacement, match, regex.names);
    const labels = { ...set.labels };
    delete labels[query.dst];
    return context.interner.from(value === '' ? labels : { ...labels, [query.dst]: value });
  });
  return (step) => asVector(inner(step), context).map(({ labels, value }) => ({ labels: replace(labels), value }));
}
