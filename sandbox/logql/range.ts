import type { Labels, LogStore } from '../data/store.ts';
import type { Grouping, Matcher, RangeAggregation, Unwrap } from './ast.ts';
import { LogqlError } from './errors.ts';
import { isParser, type ParserHints, parserHints } from './hints.ts';
import { type Interner, type LabelSet, labelString } from './labels.ts';
import { ERROR, LineState, PRESERVE_ERROR } from './line-state.ts';
import { selectorTest } from './matchers.ts';
import { compileFilters, compileStages, runSteps } from './pipeline.ts';
import { RANGE_FUNCTIONS } from './range-functions.ts';
import type { Evaluator, Steps, Vector } from './samples.ts';
import { parseBytes, parseGoDuration, parseGoFloat, UnitError } from './units.ts';

interface Series {
  labels: LabelSet;
  /** ns after the first step, ascending */
  times: number[];
  values: number[];
  /** Window of the last step: samples from `lo` up to but not with `hi`. */
  lo: number;
  hi: number;
}

export interface Counters {
  lines: number;
  bytes: number;
}

export interface RangeContext {
  store: LogStore;
  interner: Interner;
  steps: Steps;
  counters: Counters;
}

/** Lines are read once; the windows `(t - range, t]` slide over the samples, so steps must be asked for in order. */
export function rangeEvaluator(query: RangeAggregation, context: RangeContext, outer?: Grouping): Evaluator {
  const series = collect(query, context, outer);
  const range = query.range;
  const step = Number(context.steps.step);
  if (query.op === 'absent_over_time') return absentEvaluator(query, context, series);
  const fn = RANGE_FUNCTIONS[query.op === 'rate' && query.unwrap !== undefined ? 'rate unwrap' : query.op];
  if (fn === undefined) throw new LogqlError(`not implemented in this sandbox: ${query.op}`);
  const seconds = range / 1e9;
  const parameter = query.parameter ?? Number.NaN;
  return (index) => {
    const vector: Vector = [];
    for (const one of series) {
      slide(one, index * step - query.offset, range);
      if (one.lo === one.hi) continue;
      if (ERROR in one.labels.labels && !(PRESERVE_ERROR in one.labels.labels)) throw pipelineError(one.labels.labels);
      vector.push({
        labels: one.labels,
        value: fn(one.values, one.lo, one.hi, { times: one.times, seconds, parameter }),
      });
    }
    return vector;
  };
}

function slide(series: Series, end: number, range: number): void {
  const { times } = series;
  while (series.hi < times.length && (times[series.hi] ?? 0) <= end) series.hi++;
  while (series.lo < series.hi && (times[series.lo] ?? 0) <= end - range) series.lo++;
}

function absentEvaluator(query: RangeAggregation, context: RangeContext, series: Series[]): Evaluator {
  const labels = context.interner.from(absentLabels(query.log.matchers));
  return (index) => {
    let present = false;
    for (const one of series) {
      slide(one, index * Number(context.steps.step) - query.offset, query.range);
      if (one.lo < one.hi) present = true;
    }
    return present ? [] : [{ labels, value: 1 }];
  };
}

/** Labels that one equality matcher, and nothing else, fixes. */
function absentLabels(matchers: Matcher[]): Labels {
  const labels: Labels = {};
  for (const { name, op, value } of matchers) {
    if (op === '=' && matchers.filter((other) => other.name === name).length === 1) labels[name] = value;
  }
  return labels;
}

function collect(query: RangeAggregation, context: RangeContext, outer: Grouping | undefined): Series[] {
  const { steps, interner, counters } = context;
  const shift = BigInt(query.offset);
  const from = steps.start - shift - BigInt(query.range) + 1n;
  const to = steps.start + steps.step * BigInt(steps.count - 1) - shift + 1n;
  const chosen = context.store.select(selectorTest(query.log.matchers), from, to);
  if (chosen.length === 0) return [];
  const hints = parserHints(query, outer);
  const { before, steps: stages } = compileStages(
    hints.idle ? query.log.stages.filter((stage) => !isParser(stage)) : query.log.stages,
  );
  const after = compileFilters(query.unwrap?.postFilters ?? []);
  const state = new LineState(interner);
  state.preserveErrors = hints.preserveErrors;
  const labelsOf = seriesLabels(query, outer, hints);
  const read = valueReader(query);
  const series = new Map<LabelSet, Series>();
  let last: Series | undefined;
  for (const { labels, lines } of chosen) {
    const stream = interner.from(labels);
    for (const entry of lines) {
      counters.lines++;
      counters.bytes += entry.line.length;
      if (!before(entry.line)) continue;
      state.start(stream, entry);
      if (!runSteps(stages, state)) continue;
      const value = read(state);
      if (value === undefined || !runSteps(after, state)) continue;
      const set = labelsOf(state);
      if (last?.labels !== set) {
        last = series.get(set);
        if (last === undefined) {
          last = { labels: set, times: [], values: [], lo: 0, hi: 0 };
          series.set(set, last);
        }
      }
      last.times.push(Number(entry.ts - steps.start));
      last.values.push(value);
    }
  }
  const found = [...series.values()];
  for (const one of found) sortByTime(one);
  return found;
}

/** A series can hold several streams, one after the other. */
function sortByTime(series: Series): void {
  const { times, values } = series;
  if (times.every((time, index) => index === 0 || (times[index - 1] ?? 0) <= time)) return;
  const order = times.map((_, index) => index).sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0) || a - b);
  series.times = order.map((index) => times[index] ?? 0);
  series.values = order.map((index) => values[index] ?? 0);
}

/** The unwrapped label is no label of the series any more, unless it is grouped by. */
function seriesLabels(
  query: RangeAggregation,
  outer: Grouping | undefined,
  hints: ParserHints,
): (state: LineState) => LabelSet {
  const grouping = query.grouping ?? outer;
  const unwrapped = query.unwrap === undefined ? [] : [query.unwrap.label];
  if (grouping !== undefined && !grouping.without) {
    const required = grouping.labels.length === 0 ? undefined : hints.names;
    const names = [...new Set(grouping.labels)].sort();
    return (state) => state.only(names, required);
  }
  const dropped = new Set([...(grouping?.labels ?? []), ...unwrapped]);
  return dropped.size === 0 ? (state) => state.labels() : (state) => state.without(dropped);
}

/** Undefined: the line has no value and does not count. */
function valueReader(query: RangeAggregation): (state: LineState) => number | undefined {
  if (query.unwrap !== undefined) return unwrapReader(query.unwrap);
  if (query.op.startsWith('bytes_')) return (state) => Buffer.byteLength(state.line);
  return () => 1;
}

const CONVERSIONS: Record<Unwrap['conversion'], (text: string) => number> = {
  '': parseGoFloat,
  bytes: parseBytes,
  duration: (text) => parseGoDuration(text) / 1e9,
  duration_seconds: (text) => parseGoDuration(text) / 1e9,
};

function unwrapReader(unwrap: Unwrap): (state: LineState) => number | undefined {
  const convert = CONVERSIONS[unwrap.conversion];
  return (state) => {
    const text = state.get(unwrap.label);
    if (text === undefined) return undefined;
    try {
      return convert(text);
    } catch (error) {
      if (!(error instanceof UnitError)) throw error;
      state.fail('SampleExtractionErr', error.message);
      return 0;
    }
  };
}

/** Loki, `logqlmodel.PipelineError`. */
function pipelineError(labels: Labels): LogqlError {
  const error = labels[ERROR] ?? '';
  return new LogqlError(
    `pipeline error: '${error}' for series: '${labelString(labels)}'.\n` +
      `Use a label filter to intentionally skip this error. (e.g | __error__!="${error}").\n` +
      'To skip all potential errors you can match empty errors.(e.g __error__="")\n' +
      'The label filter can also be specified after unwrap. (e.g | unwrap latency | __error__="" )\n',
  );
}
