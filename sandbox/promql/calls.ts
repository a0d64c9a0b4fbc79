import { bare, type Call, type Expr, type Subquery } from './ast.ts';
import { evaluate, scalarsOf, textOf, vectorOf } from './evaluate.ts';
import { sampleFunction, scalarOf, sorted, stepTimes } from './functions.ts';
import { histogramQuantile } from './histogram.ts';
import { absentLabels, labelJoin, labelReplace } from './label-functions.ts';
import { requireUnique, withoutName } from './labels.ts';
import { ExecutionProblem } from './problems.ts';
import { type Aim, aimAt, aimOf, selectInstant, selectRange } from './select.ts';
import { SIGNATURES } from './signatures.ts';
import { type Context, emptySteps, type Points, STALE, type StepSeries, type StepValue, timeAt } from './values.ts';
import { WINDOW_FUNCTIONS, type Window } from './windows.ts';

/** The value of a function call at every step. */
export function evaluateCall(call: Call, context: Context): StepValue {
  const { name, args } = call;
  const { grid } = context;
  const windowAt = SIGNATURES.get(name)?.args.indexOf('matrix') ?? -1;
  const ranged = args[windowAt];
  if (ranged) return vector(overWindows(name, ranged, args.toSpliced(windowAt, 1), context));
  if (name === 'time') return { type: 'scalar', values: stepTimes(grid) };
  if (name === 'pi') return { type: 'scalar', values: emptySteps(grid).fill(Math.PI) };
  const [first, second] = args;
  if (!first) {
    // The date functions without an argument: of the evaluation time.
    return vector(sampleFunction(name, [{ labels: {}, values: stepTimes(grid) }], []) ?? []);
  }
  switch (name) {
    case 'vector':
      return vector([{ labels: {}, values: scalarsOf(first, context) }]);
    case 'scalar':
      return { type: 'scalar', values: scalarOf(vectorOf(first, context), grid) };
    case 'absent':
      return vector(absent(first, vectorOf(first, context), context));
    case 'timestamp':
      return vector(timestamps(first, context));
    case 'sort':
    case 'sort_desc': {
      const series = vectorOf(first, context);
      return vector(grid.count === 1 ? sorted(series, name === 'sort_desc') : series);
    }
    case 'label_replace':
    case 'label_join': {
      const texts = args.slice(1).map((arg) => textOf(arg, context));
      return vector((name === 'label_join' ? labelJoin : labelReplace)(vectorOf(first, context), texts));
    }
    case 'histogram_quantile':
      return vector(second ? histogramQuantile(scalarsOf(first, context), vectorOf(second, context), grid) : []);
    case 'histogram_count':
    case 'histogram_sum':
    case 'histogram_fraction':
      // Of native histograms only, and there are none here: the server leaves every float out.
      for (const arg of args) evaluate(arg, context);
      return vector([]);
    default: {
      const samples = vectorOf(first, context);
      const scalars = args.slice(1).map((arg) => scalarsOf(arg, context));
      const series = sampleFunction(name, samples, scalars);
      if (!series) throw new Error(`function ${name} is not implemented`);
      return vector(series);
    }
  }
}

function vector(series: StepSeries[]): StepValue {
  return { type: 'vector', series };
}

function overWindows(name: string, ranged: Expr, others: readonly Expr[], context: Context): StepSeries[] {
  const { grid } = context;
  const compute = WINDOW_FUNCTIONS.get(name);
  if (!compute) throw new Error(`function ${name} is not implemented`);
  const { points, aim, range } = rangeVector(ranged, context);
  // A range pinned by `@` in a call that is not: the server moves the range with the steps and still reads up to `@` only.
  const pinned = grid.count > 1 && aim.fixed !== undefined;
  if (pinned && bare(ranged).kind === 'subquery') {
    throw new ExecutionProblem(`the sandbox does not implement ${name}() of a subquery with @ over several steps`);
  }
  const scalars = others.map((arg) => scalarsOf(arg, context));
  const found: StepSeries[] = [];
  for (const { labels, times, values } of points) {
    const out = emptySteps(grid);
    const params: number[] = [];
    const window: Window = { labels, times, values, lo: 0, hi: 0, rangeStart: 0, rangeEnd: 0, now: 0, params };
    let any = false;
    for (let i = 0; i < grid.count; i++) {
      window.now = timeAt(grid, i);
      window.rangeEnd = aimAt(aim, grid, i) + (pinned ? i * grid.step : 0);
      window.rangeStart = window.rangeEnd - range;
      while (window.hi < times.length && Number(times[window.hi]) <= window.rangeEnd) window.hi++;
      while (window.lo < window.hi && Number(times[window.lo]) < window.rangeStart) window.lo++;
      if (window.lo === window.hi) continue;
      scalars.forEach((steps, s) => {
        params[s] = steps[i] ?? Number.NaN;
      });
      const result = compute(window);
      if (result === undefined) continue;
      out[i] = result;
      any = true;
    }
    if (any) found.push({ labels: name === 'last_over_time' ? labels : withoutName(labels), values: out });
  }
  if (name === 'absent_over_time') return absent(ranged, found, context);
  requireUnique(found);
  return found;
}

/** The samples of a range selector or subquery, and where each step looks at them. */
export function rangeVector(expr: Expr, context: Context): { points: Points[]; aim: Aim; range: number } {
  const inner = bare(expr);
  if (inner.kind === 'range') return { ...selectRange(inner, context), range: inner.range };
  if (inner.kind === 'subquery') return subquery(inner, context);
  throw new Error(`a ${inner.kind} is no range vector`);
}

/** The inner expression on its own grid: multiples of its step, from the first range's start to the last one's end. */
function subquery(expr: Subquery, context: Context): { points: Points[]; aim: Aim; range: number } {
  const { grid, defaultStep } = context;
  const { range } = expr;
  const aim = aimOf(expr, context);
  const step = expr.step || defaultStep;
  const from = aimAt(aim, grid, 0) - range;
  const start = Math.ceil(from / step) * step;
  const count = Math.floor((aimAt(aim, grid, grid.count - 1) - start) / step) + 1;
  if (count < 1) return { points: [], aim, range };
  const inner = { ...context, grid: { start, step, count } };
  const points = vectorOf(expr.expr, inner).map(({ labels, values }) => {
    const present = Array.from(values, (value, i) => (value === STALE ? -1 : i)).filter((i) => i >= 0);
    return { labels, times: present.map((i) => timeAt(inner.grid, i)), values: present.map((i) => Number(values[i])) };
  });
  return { points, aim, range };
}

/** 1 at the steps where no series has a sample. */
function absent(expr: Expr, series: readonly StepSeries[], { grid }: Context): StepSeries[] {
  const values = emptySteps(grid).map((_, i) => (series.some((one) => one.values[i] !== STALE) ? STALE : 1));
  return values.includes(1) ? [{ labels: absentLabels(expr), values }] : [];
}

/** Of a selector the times of its samples, of anything else the evaluation time. */
function timestamps(expr: Expr, context: Context): StepSeries[] {
  const inner = bare(expr);
  const series = inner.kind === 'selector' ? selectInstant(inner, context, 'time') : vectorOf(inner, context);
  const times = stepTimes(context.grid);
  const out = series.map(({ labels, values }) => ({
    labels: withoutName(labels),
    values: inner.kind === 'selector' ? values : values.map((value, i) => (value === STALE ? STALE : Number(times[i]))),
  }));
  requireUnique(out);
  return out;
}
