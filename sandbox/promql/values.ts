import type { Labels, MetricStore } from '../data/store.ts';

/**
 * A number that is none: in stored samples the stale marker, in results a step without a sample. JavaScript cannot
 * keep Prometheus's marker, a NaN with a payload, apart from other NaNs; no real sample is this close to the edge.
 */
export const STALE = -Number.MAX_VALUE;

/** Evaluation times: start, start + step, …; ms. */
export interface Grid {
  start: number;
  step: number;
  count: number;
}

/** One series over all steps of a grid; STALE where it has no sample. */
export interface StepSeries {
  labels: Labels;
  values: Float64Array;
}

/** One series of raw samples, stale markers left out. */
export interface Points {
  labels: Labels;
  times: ArrayLike<number>;
  values: ArrayLike<number>;
}

export type StepValue =
  | { type: 'scalar'; values: Float64Array }
  | { type: 'vector'; series: StepSeries[] }
  | { type: 'string'; text: string };

export interface Context {
  store: MetricStore;
  grid: Grid;
  /** What `@ start()` and `@ end()` mean, also inside subqueries. */
  queryStart: number;
  queryEnd: number;
  lookback: number;
  /** Step of a subquery that names none: the server's evaluation interval. */
  defaultStep: number;
}

export function timeAt(grid: Grid, i: number): number {
  return grid.start + i * grid.step;
}

export function emptySteps(grid: Grid): Float64Array {
  return new Float64Array(grid.count).fill(STALE);
}
