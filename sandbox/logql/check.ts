import { compileRegex, RegexError } from '../regex.ts';
import type { LabelFilter, Matcher, MetricQuery, RangeAggregation, Stage } from './ast.ts';
import { semanticError } from './errors.ts';
import { matcherTest } from './matchers.ts';
import { parsePattern } from './pattern.ts';
import { showFloat } from './units.ts';

/** Refusals that Loki makes after its grammar, in its words. */
export function checkMatchers(matchers: Matcher[]): void {
  let selective = false;
  for (const matcher of matchers) if (!matcherTest(matcher)('')) selective = true;
  if (!selective) {
    throw semanticError(
      'queries require at least one regexp or equality matcher that does not have an empty-compatible value. ' +
        'For instance, app=~".*" does not meet this requirement, but app=~".+" will',
    );
  }
}

/** Parsers and matchers are built while Loki parses, so their faults do not wait for a line. */
export function checkStages(stages: Stage[]): void {
  for (const stage of stages) {
    if (stage.kind === 'pattern') parsePattern(stage.pattern);
    if (stage.kind === 'regexp') checkRegexpParser(stage.pattern);
    if (stage.kind === 'filter') checkFilter(stage.filter);
    if (stage.kind === 'drop' || stage.kind === 'keep')
      for (const { matcher } of stage.labels) if (matcher !== undefined) matcherTest(matcher);
  }
}

function checkFilter(filter: LabelFilter): void {
  if (filter.kind === 'matcher') matcherTest(filter.matcher);
  if (filter.kind !== 'and' && filter.kind !== 'or') return;
  checkFilter(filter.left);
  checkFilter(filter.right);
}

function checkRegexpParser(pattern: string): void {
  const names = attempt('invalid regexp parser: ', () => compileRegex(pattern).names).filter((name) => name !== '');
  if (names.length === 0) throw semanticError('invalid regexp parser: at least one named capture must be supplied');
  const seen = new Set<string>();
  for (const name of names) {
    if (!/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name))
      throw semanticError(`invalid regexp parser: invalid extracted label name '${name}'`);
    if (seen.has(name)) throw semanticError(`invalid regexp parser: duplicate extracted label name '${name}'`);
    seen.add(name);
  }
}

export function checkMetric(query: MetricQuery): void {
  switch (query.kind) {
    case 'range':
      checkMatchers(query.log.matchers);
      checkStages(query.log.stages);
      for (const filter of query.unwrap?.postFilters ?? []) checkFilter(filter);
      checkRange(query);
      return;
    case 'vector':
      checkVector(query.op, query.parameter, query.grouping !== undefined);
      checkMetric(query.inner);
      return;
    case 'binary':
      checkMetric(query.left);
      checkMetric(query.right);
      return;
    case 'label_replace':
      attempt('invalid regex in label_replace: ', () => compileRegex(query.regex, { whole: true }));
      if (!/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(query.dst))
        throw semanticError(`invalid destination label name in label_replace: ${query.dst}`);
      checkMetric(query.inner);
      return;
  }
}

const GROUPED = new Set(
  ['avg', 'stddev', 'stdvar', 'quantile', 'max', 'min', 'first', 'last'].map((name) => `${name}_over_time`),
);
const UNWRAPPED = new Set([...GROUPED, 'sum_over_time', 'rate', 'rate_counter', 'absent_over_time']);
const PLAIN = new Set(['bytes_over_time', 'bytes_rate', 'count_over_time', 'rate', 'absent_over_time']);

function checkRange(query: RangeAggregation): void {
  const { op, parameter } = query;
  if (parameter !== undefined && op !== 'quantile_over_time') {
    throw semanticError(`parameter ${showFloat(parameter)} not supported for operation ${op}`);
  }
  if (parameter === undefined && op === 'quantile_over_time')
    throw semanticError(`parameter required for operation ${op}`);
  if (query.grouping !== undefined && !GROUPED.has(op))
    throw semanticError(`grouping not allowed for ${op} aggregation`);
  if (query.unwrap !== undefined) {
    if (!UNWRAPPED.has(op)) throw semanticError(`invalid aggregation ${op} with unwrap`);
  } else if (!PLAIN.has(op)) throw semanticError(`invalid aggregation ${op} without unwrap`);
}

function checkVector(op: string, parameter: number | undefined, grouped: boolean): void {
  if (op === 'topk' || op === 'bottomk') {
    if (parameter === undefined) throw semanticError(`parameter required for operation ${op}`);
    if (!Number.isInteger(parameter)) throw semanticError(`invalid parameter ${op}(${showFloat(parameter)},`);
    if (parameter <= 0) throw semanticError(`invalid parameter (must be greater than 0) ${op}(${showFloat(parameter)}`);
    return;
  }
  if (parameter !== undefined)
    throw semanticError(`unsupported parameter for operation ${op}(${showFloat(parameter)},`);
  if (grouped && op.startsWith('sort')) throw semanticError("sort and sort_desc doesn't allow grouping by ");
}

function attempt<T>(prefix: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof RegexError) throw semanticError(prefix + error.message);
    throw error;
  }
}
