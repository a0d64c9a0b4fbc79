import type { Stage } from './ast.ts';
import { ERROR, ERROR_DETAILS, type LineState } from './line-state.ts';
import { matcherTest } from './matchers.ts';
import { compileTemplate, TemplateError } from './template.ts';

const TEMPLATE_ERROR = 'TemplateFormatErr';
const ANSI =
  /[\u001b\u009b][[\]()#;?]*(?:(?:(?:[a-zA-Z\d]*(?:;[a-zA-Z\d]*)*)?\u0007)|(?:(?:\d{1,4}(?:;\d{0,4})*)?[\dA-PRZcf-ntqry=><~]))/g;

/** Throws TemplateError with Go's text. */
export function lineFormat(text: string): (state: LineState) => void {
  const run = prefixed('invalid line template: ', () => compileTemplate('line', text));
  return (state) =>
    guarded(state, () => {
      state.line = run(state);
    });
}

/** In order: a later format sees what an earlier one made. */
export function labelFormat(stage: Extract<Stage, { kind: 'label_format' }>): (state: LineState) => void {
  const seen = new Set<string>();
  for (const { name } of stage.labels) {
    if (name === ERROR) throw new TemplateError(`${name} cannot be formatted`);
    if (seen.has(name))
      throw new TemplateError(`multiple label name '${name}' not allowed in a single format operation`);
    seen.add(name);
  }
  const steps = stage.labels.map(({ name, rename, value }) => {
    if (rename) {
      return (state: LineState): void => {
        const old = state.get(value);
        if (old === undefined) return;
        state.set(name, old, state.categoryOf(value));
        if (name !== value) state.delete(value);
      };
    }
    const run = prefixed(`invalid template for label '${name}': `, () => compileTemplate('label', value));
    return (state: LineState): void => guarded(state, () => state.set(name, run(state)));
  });
  return (state) => {
    for (const step of steps) step(state);
  };
}

function prefixed<T>(prefix: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof TemplateError) throw new TemplateError(prefix + error.message);
    throw error;
  }
}

function guarded(state: LineState, run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    state.fail(TEMPLATE_ERROR, error.message);
  }
}

export function dropLabels(stage: Extract<Stage, { kind: 'drop' | 'keep' }>): (state: LineState) => void {
  const rules = stage.labels.map(({ name, matcher }) => ({
    name,
    test: matcher === undefined ? undefined : matcherTest(matcher),
  }));
  return (state) => {
    for (const { name, test } of rules) {
      if (test !== undefined && !test(state.get(name) ?? '')) continue;
      if (name === ERROR) state.error = '';
      else if (name === ERROR_DETAILS) state.details = '';
      else state.delete(name);
    }
  };
}

export function keepLabels(stage: Extract<Stage, { kind: 'drop' | 'keep' }>): (state: LineState) => void {
  const rules = stage.labels.map(({ name, matcher }) => ({
    name,
    test: matcher === undefined ? undefined : matcherTest(matcher),
  }));
  return (state) => {
    for (const name of state.names()) {
      if (!rules.some((rule) => rule.name === name && (rule.test === undefined || rule.test(state.get(name) ?? ''))))
        state.delete(name);
    }
  };
}

export function decolorize(state: LineState): void {
  state.line = state.line.replace(ANSI, '');
}
