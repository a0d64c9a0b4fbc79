import type { LabelFilter, Stage } from './ast.ts';
import { LogqlError, stageError } from './errors.ts';
import { decolorize, dropLabels, keepLabels, labelFormat, lineFormat } from './formats.ts';
import { labelTest } from './label-filters.ts';
import { lineTest } from './line-filters.ts';
import type { LineState } from './line-state.ts';
import { lineParser } from './parsers.ts';
import { printFilter, printStage } from './print.ts';

/** Changes the line's state; false drops the line. */
export type Step = (state: LineState) => boolean;

export interface Pipeline {
  /** Tests on the raw line before anything else: cheap, and most lines end here. */
  before: (line: string) => boolean;
  steps: Step[];
}

/** Throws LogqlError, with the stage quoted, for a stage that cannot be built. */
export function compileStages(stages: Stage[]): Pipeline {
  const tests: ((line: string) => boolean)[] = [];
  const steps: Step[] = [];
  for (const stage of stages) {
    if (stage.kind === 'line' && steps.length === 0) tests.push(built(printStage(stage), () => lineTest(stage)));
    else steps.push(built(printStage(stage), () => compileStage(stage)));
  }
  return { before: allOf(tests), steps };
}

function allOf(tests: ((line: string) => boolean)[]): (line: string) => boolean {
  const [only] = tests;
  if (only === undefined) return () => true;
  if (tests.length === 1) return only;
  return (line) => {
    for (const test of tests) if (!test(line)) return false;
    return true;
  };
}

export function compileFilters(filters: LabelFilter[]): Step[] {
  return filters.map((filter) => built(`| ${printFilter(filter)}`, () => labelTest(filter)));
}

export function runSteps(steps: readonly Step[], state: LineState): boolean {
  for (const step of steps) if (!step(state)) return false;
  return true;
}

function compileStage(stage: Stage): Step {
  switch (stage.kind) {
    case 'line': {
      const test = lineTest(stage);
      return (state) => test(state.line);
    }
    case 'filter':
      return labelTest(stage.filter);
    case 'line_format':
      return always(lineFormat(stage.template));
    case 'label_format':
      return always(labelFormat(stage));
    case 'drop':
      return always(dropLabels(stage));
    case 'keep':
      return always(keepLabels(stage));
    case 'decolorize':
      return always(decolorize);
    default:
      return always(lineParser(stage));
  }
}

function always(change: (state: LineState) => void): Step {
  return (state) => {
    change(state);
    return true;
  };
}

function built<T>(text: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof LogqlError || !(error instanceof Error)) throw error;
    throw stageError(text, error.message);
  }
}
