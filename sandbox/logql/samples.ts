import type { LabelSet } from './labels.ts';

export interface Sample {
  labels: LabelSet;
  value: number;
}
export type Vector = Sample[];

/** The instants of an evaluation: `start + n × step`, ns. */
export interface Steps {
  start: bigint;
  step: bigint;
  count: number;
}

/** A scalar stays a number through literals. */
export type Evaluator = (step: number) => Vector | number;
