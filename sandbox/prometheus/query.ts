import type { ApiRequest, MetricStore } from '../data/store.ts';
import { bare, type Expr } from '../promql/ast.ts';
import { rangeVector } from '../promql/calls.ts';
import { typeName, typeOf } from '../promql/check.ts';
import { evaluate } from '../promql/evaluate.ts';
import { parseQuery } from '../promql/parse.ts';
import { ExecutionProblem, ParseProblem, parseErrorText } from '../promql/problems.ts';
import { aimAt } from '../promql/select.ts';
import type { Context, Grid } from '../promql/values.ts';
import { labelsJson, matrixJson, result, sample, seconds, vectorJson } from './answer.ts';
import { durationParam, timedOut, timeParam } from './params.ts';
import { ApiProblem, badData, badParameter } from './problem.ts';

const LOOKBACK = 5 * 60_000;
const EVALUATION_INTERVAL = 60_000;
const MAX_POINTS = 11_000;

/** `data` of /query. */
export function instantQuery(store: MetricStore, { params, now }: ApiRequest): string {
  const time = timeParam(params, 'time', now);
  const late = timedOut(params);
  const query = params.get('query') ?? '';
  const expr = parsed(query, (text) => badParameter('query', text));
  if (late) throw queryTimeout();
  const context = contextOf(store, { start: time, step: 1, count: 1 }, time);
  return execute(() => {
    if (typeOf(expr) === 'matrix') return result('matrix', rawSamples(expr, context));
    const value = evaluate(expr, context);
    if (value.type === 'scalar') return result('scalar', sample(time, Number(value.values[0])));
    if (value.type === 'string') return result('string', `[${seconds(time)},${JSON.stringify(value.text)}]`);
    return result('vector', vectorJson(value.series, time));
  });
}

/** `data` of /query_range. */
export function rangeQuery(store: MetricStore, { params }: ApiRequest): string {
  const start = timeParam(params, 'start');
  const end = timeParam(params, 'end');
  if (end < start) throw badParameter('end', 'end timestamp must not be before start time');
  const step = durationParam(params, 'step');
  if (step <= 0) {
    throw badParameter(
      'step',
      'zero or negative query resolution step widths are not accepted. Try a positive integer',
    );
  }
  if (Math.floor((end - start) / step) > MAX_POINTS) {
    throw badData(
      'exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query resolution (?step=XX)',
    );
  }
  const late = timedOut(params);
  const expr = parsed(params.get('query') ?? '', badData);
  const type = typeOf(expr);
  if (type !== 'scalar' && type !== 'vector') {
    throw badData(`invalid expression type "${typeName(type)}" for range query, must be Scalar or instant Vector`);
  }
  if (late) throw queryTimeout();
  // The engine counts in whole milliseconds; a shorter step never ends there.
  const wholeStep = Math.max(1, Math.trunc(step));
  const grid = { start, step: wholeStep, count: Math.floor((end - start) / wholeStep) + 1 };
  return execute(() => {
    const value = evaluate(expr, contextOf(store, grid, end));
    const series =
      value.type === 'vector'
        ? value.series
        : [{ labels: {}, values: value.type === 'scalar' ? value.values : new Float64Array() }];
    return result('matrix', matrixJson(series, grid));
  });
}

/** Parses, or throws what `refuse` makes of the message. */
export function parsed(query: string, refuse: (text: string) => ApiProblem): Expr {
  try {
    return parseQuery(query);
  } catch (error) {
    if (error instanceof ParseProblem) throw refuse(parseErrorText(query, error));
    throw error;
  }
}

function queryTimeout(): ApiProblem {
  return new ApiProblem(503, 'timeout', 'query timed out in query execution');
}

function contextOf(store: MetricStore, grid: Grid, queryEnd: number): Context {
  return { store, grid, queryStart: grid.start, queryEnd, lookback: LOOKBACK, defaultStep: EVALUATION_INTERVAL };
}

function execute(run: () => string): string {
  try {
    return run();
  } catch (error) {
    if (error instanceof ExecutionProblem) throw new ApiProblem(422, 'execution', error.message);
    throw error;
  }
}

/** A range vector by itself: its samples as they are stored. */
function rawSamples(expr: Expr, context: Context): string {
  const { points, aim, range } = rangeVector(bare(expr), context);
  const end = aimAt(aim, context.grid, 0);
  const items = points.flatMap(({ labels, times, values }) => {
    const shown = Array.from(times, (time, i) =>
      time >= end - range && time <= end ? sample(time, Number(values[i])) : '',
    );
    const kept = shown.filter((text) => text !== '');
    return kept.length === 0 ? [] : [`{"metric":${labelsJson(labels)},"values":[${kept.join(',')}]}`];
  });
  return `[${items.join(',')}]`;
}
