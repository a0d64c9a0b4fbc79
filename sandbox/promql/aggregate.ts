import type { Labels } from '../data/store.ts';
import { keep, labelKey, mergeSteps, omit, withLabel } from './labels.ts';
import { nextMean, plainNumber, quantile, shownNumber } from './numbers.ts';
import { ExecutionProblem } from './problems.ts';
import { selectBest } from './topk.ts';
import { emptySteps, type Grid, STALE, type StepSeries } from './values.ts';

export interface Aggregation {
  op: string;
  grouping: readonly string[];
  without: boolean;
  /** topk, bottomk, quantile: at each step. */
  numbers?: Float64Array;
  /** count_values: the label to write. */
  text?: string;
}

/** What a group knows at a step. */
interface State {
  labels: Labels;
  value: Float64Array;
  mean: Float64Array;
  count: Float64Array;
}

export function aggregate(aggregation: Aggregation, series: readonly StepSeries[], grid: Grid): StepSeries[] {
  const { op } = aggregation;
  if (op === 'topk' || op === 'bottomk') return bestOf(aggregation, series, grid);
  if (op === 'count_values') return countValues(aggregation, series, grid);
  if (op === 'quantile') return quantiles(aggregation, series, grid);
  const groups = new Map<string, State>();
  for (const one of series) {
    const labels = groupLabels(aggregation, one.labels);
    const key = labelKey(labels);
    let state = groups.get(key);
    if (!state) {
      const [value, mean, count] = [emptySteps(grid), new Float64Array(grid.count), new Float64Array(grid.count)];
      state = { labels, value, mean, count };
      groups.set(key, state);
    }
    for (let i = 0; i < grid.count; i++) {
      const value = one.values[i];
      if (value === undefined || value === STALE) continue;
      add(op, state, i, value);
    }
  }
  return [...groups.values()].map((state) => ({ labels: state.labels, values: finish(op, state) }));
}

function groupLabels({ grouping, without }: Aggregation, labels: Labels): Labels {
  return without ? omit(labels, [...grouping, '__name__']) : keep(labels, grouping);
}

function add(op: string, { value: values, mean: means, count: counts }: State, i: number, value: number): void {
  const count = Number(counts[i]) + 1;
  counts[i] = count;
  const before = Number(values[i]);
  const mean = Number(means[i]);
  if (count === 1) {
    means[i] = value;
    // The spread of one sample is 0, even of NaN.
    values[i] = op === 'stddev' || op === 'stdvar' ? 0 : op === 'count' || op === 'group' ? 1 : value;
    return;
  }
  if (op === 'sum') values[i] = before + value;
  else if (op === 'count') values[i] = count;
  else if (op === 'avg') means[i] = nextMean(mean, value, count);
  else if (op === 'max' && (before < value || Number.isNaN(before))) values[i] = value;
  else if (op === 'min' && (before > value || Number.isNaN(before))) values[i] = value;
  else if (op === 'stddev' || op === 'stdvar') {
    const delta = value - mean;
    const next = mean + delta / count;
    means[i] = next;
    values[i] = before + delta * (value - next);
  }
}

function finish(op: string, { value, mean, count }: State): Float64Array {
  if (op !== 'avg' && op !== 'stddev' && op !== 'stdvar') return value;
  return value.map((spread, i) => {
    if (count[i] === 0) return STALE;
    if (op === 'avg') return mean[i] ?? STALE;
    const variance = spread / (count[i] ?? 1);
    return op === 'stddev' ? Math.sqrt(variance) : variance;
  });
}

/** Series by group, groups in the order in which they come up. */
function grouped(aggregation: Aggregation, series: readonly StepSeries[]): { labels: Labels; members: StepSeries[] }[] {
  const groups = new Map<string, { labels: Labels; members: StepSeries[] }>();
  for (const one of series) {
    const labels = groupLabels(aggregation, one.labels);
    const key = labelKey(labels);
    const group = groups.get(key);
    if (group) group.members.push(one);
    else groups.set(key, { labels, members: [one] });
  }
  return [...groups.values()];
}

function bestOf(aggregation: Aggregation, series: readonly StepSeries[], grid: Grid): StepSeries[] {
  const wanted = Array.from(aggregation.numbers ?? [], (k) => {
    if (!(Math.abs(k) <= 2 ** 63 - 1024)) throw new ExecutionProblem(`Scalar value ${shownNumber(k)} overflows int64`);
    return Math.trunc(k);
  });
  const out: StepSeries[] = [];
  for (const { members } of grouped(aggregation, series)) {
    const kept = new Map<number, StepSeries>();
    for (let i = 0; i < grid.count; i++) {
      for (const index of selectBest(members, i, wanted[i] ?? 0, aggregation.op === 'topk')) {
        const member = members[index];
        if (!member) continue;
        const target = kept.get(index) ?? { labels: member.labels, values: emptySteps(grid) };
        target.values[i] = member.values[i] ?? STALE;
        kept.set(index, target);
      }
    }
    out.push(...kept.values());
  }
  return out;
}

function quantiles(aggregation: Aggregation, series: readonly StepSeries[], grid: Grid): StepSeries[] {
  return grouped(aggregation, series).map(({ labels, members }) => {
    const values = emptySteps(grid).map((_, i) => {
      const present = members.map((member) => member.values[i] ?? STALE).filter((value) => value !== STALE);
      return present.length === 0 ? STALE : quantile(aggregation.numbers?.[i] ?? Number.NaN, present);
    });
    return { labels, values };
  });
}

function countValues(aggregation: Aggregation, series: readonly StepSeries[], grid: Grid): StepSeries[] {
  const label = aggregation.text ?? '';
  if (!/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(label))
    throw new ExecutionProblem(`invalid label name ${JSON.stringify(label)}`);
  const { without } = aggregation;
  const grouping = without ? aggregation.grouping : [...aggregation.grouping, label];
  const counts = new Map<string, StepSeries>();
  for (let i = 0; i < grid.count; i++) {
    for (const { labels, values } of series) {
      const value = values[i];
      if (value === undefined || value === STALE) continue;
      const counted = withLabel(labels, label, plainNumber(value));
      const target = groupLabels({ ...aggregation, grouping, without }, counted);
      const key = labelKey(target);
      const group = counts.get(key) ?? { labels: target, values: emptySteps(grid) };
      const before = group.values[i];
      group.values[i] = before === undefined || before === STALE ? 1 : before + 1;
      counts.set(key, group);
    }
  }
  return mergeSteps([...counts.values()]);
}
