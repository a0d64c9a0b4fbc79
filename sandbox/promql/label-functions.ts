import type { Labels } from '../data/store.ts';
import { compileRegex, expand, type GoRegex, RegexError } from '../regex.ts';
import { bare, type Expr } from './ast.ts';
import { mergeSteps, omit, withLabel } from './labels.ts';
import { ExecutionProblem } from './problems.ts';
import type { StepSeries } from './values.ts';

const LABEL_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

export function labelReplace(series: readonly StepSeries[], args: readonly string[]): StepSeries[] {
  const [target = '', replacement = '', source = '', pattern = ''] = args;
  const regex = compile(pattern);
  if (!LABEL_NAME.test(target)) {
    throw new ExecutionProblem(`invalid destination label name in label_replace(): ${target}`);
  }
  const out = series.map(({ labels, values }) => {
    const match = regex.exec(labels[source] ?? '');
    return match
      ? { labels: withLabel(labels, target, expand(replacement, match, regex.names)), values }
      : { labels, values };
  });
  return mergeSteps(out);
}

function compile(pattern: string): GoRegex {
  try {
    return compileRegex(pattern, { whole: true });
  } catch (error) {
    if (error instanceof RegexError) {
      throw new ExecutionProblem(`invalid regular expression in label_replace(): ${pattern}`);
    }
    throw error;
  }
}

export function labelJoin(series: readonly StepSeries[], args: readonly string[]): StepSeries[] {
  const [target = '', separator = '', ...sources] = args;
  if (!LABEL_NAME.test(target)) throw new ExecutionProblem(`invalid destination label name in label_join(): ${target}`);
  const wrong = sources.find((source) => !LABEL_NAME.test(source));
  if (wrong !== undefined) throw new ExecutionProblem(`invalid source label name in label_join(): ${wrong}`);
  const out = series.map(({ labels, values }) => ({
    labels: withLabel(labels, target, sources.map((source) => labels[source] ?? '').join(separator)),
    values,
  }));
  return mergeSteps(out);
}

/** The labels of the one series of `absent`: what the selector demands by `=`, unless it names a label twice. */
export function absentLabels(expr: Expr): Labels {
  const inner = bare(expr);
  const selector = inner.kind === 'range' ? inner.selector : inner;
  if (selector.kind !== 'selector') return {};
  let labels: Labels = {};
  const seen = new Set<string>();
  for (const { name, op, value } of selector.matchers) {
    if (name === '__name__') continue;
    labels = op === '=' && !seen.has(name) ? withLabel(labels, name, value) : omit(labels, [name]);
    if (op === '=') seen.add(name);
  }
  return labels;
}
