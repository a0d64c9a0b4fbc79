import { aggregate } from './aggregate.ts';
import type { Aggregate, Binary, Expr } from './ast.ts';
import { SET_OPERATORS } from './ast.ts';
import { scalarScalar, setOperation, vectorScalar, vectorVector } from './binary.ts';
import { evaluateCall } from './calls.ts';
import { stepInvariant } from './invariant.ts';
import { requireUnique, withoutName } from './labels.ts';
import { selectInstant } from './select.ts';
import { type Context, emptySteps, STALE, type StepSeries, type StepValue } from './values.ts';

/** The value of an expression at every step of the context's grid. Throws ExecutionProblem. */
export function evaluate(expr: Expr, context: Context): StepValue {
  const { grid } = context;
  if (grid.count === 1 || expr.kind === 'number' || expr.kind === 'string' || !stepInvariant(expr)) {
    return evaluateSteps(expr, context);
  }
  const once = evaluateSteps(expr, { ...context, grid: { ...grid, count: 1 } });
  const repeat = (values: Float64Array): Float64Array => emptySteps(grid).fill(Number(values[0]));
  if (once.type === 'scalar') return { type: 'scalar', values: repeat(once.values) };
  if (once.type === 'string') return once;
  return { type: 'vector', series: once.series.map(({ labels, values }) => ({ labels, values: repeat(values) })) };
}

function evaluateSteps(expr: Expr, context: Context): StepValue {
  switch (expr.kind) {
    case 'number':
      return { type: 'scalar', values: new Float64Array(context.grid.count).fill(expr.value) };
    case 'string':
      return { type: 'string', text: expr.value };
    case 'paren':
      return evaluate(expr.expr, context);
    case 'selector':
      return { type: 'vector', series: selectInstant(expr, context) };
    case 'call':
      return evaluateCall(expr, context);
    case 'aggregate':
      return { type: 'vector', series: evaluateAggregate(expr, context) };
    case 'binary':
      return evaluateBinary(expr, context);
    case 'unary':
      return negated(expr.op, evaluate(expr.expr, context));
    default:
      throw new Error(`a ${expr.kind} has no value of its own`);
  }
}

export function vectorOf(expr: Expr, context: Context): StepSeries[] {
  const value = evaluate(expr, context);
  return value.type === 'vector' ? value.series : [];
}

export function scalarsOf(expr: Expr, context: Context): Float64Array {
  const value = evaluate(expr, context);
  return value.type === 'scalar' ? value.values : new Float64Array(context.grid.count).fill(Number.NaN);
}

export function textOf(expr: Expr, context: Context): string {
  const value = evaluate(expr, context);
  return value.type === 'string' ? value.text : '';
}

function negated(op: '+' | '-', value: StepValue): StepValue {
  if (op === '+' || value.type === 'string') return value;
  if (value.type === 'scalar') return { type: 'scalar', values: value.values.map((one) => -one) };
  const series = value.series.map(({ labels, values }) => ({
    labels: withoutName(labels),
    values: values.map((one) => (one === STALE ? STALE : -one)),
  }));
  requireUnique(series);
  return { type: 'vector', series };
}

function evaluateAggregate({ op, param, expr, grouping, without }: Aggregate, context: Context): StepSeries[] {
  const isText = op === 'count_values';
  const text = param && isText ? { text: textOf(param, context) } : {};
  const numbers = param && !isText ? { numbers: scalarsOf(param, context) } : {};
  const series = expr ? vectorOf(expr, context) : [];
  return aggregate({ op, grouping, without, ...text, ...numbers }, series, context.grid);
}

function evaluateBinary({ op, bool, left, right, matching }: Binary, context: Context): StepValue {
  const a = evaluate(left, context);
  const b = evaluate(right, context);
  if (a.type === 'scalar' && b.type === 'scalar')
    return { type: 'scalar', values: scalarScalar(op, a.values, b.values) };
  if (a.type === 'vector' && b.type === 'scalar') {
    return { type: 'vector', series: vectorScalar(op, bool, a.series, b.values, false) };
  }
  if (a.type === 'scalar' && b.type === 'vector') {
    return { type: 'vector', series: vectorScalar(op, bool, b.series, a.values, true) };
  }
  if (a.type !== 'vector' || b.type !== 'vector') throw new Error('an operation on a string');
  const series = SET_OPERATORS.has(op)
    ? setOperation(op, matching, a.series, b.series, context.grid)
    : vectorVector(op, bool, matching, a.series, b.series, context.grid);
  return { type: 'vector', series };
}
