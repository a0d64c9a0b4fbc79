import type { Labels } from '../data/store.ts';
import { compileRegex, type GoRegex, RegexError } from '../regex.ts';
import type { Matcher } from './ast.ts';
import { semanticError } from './errors.ts';

/** A label that is not there has the value ''. Throws LogqlError for a bad regular expression. */
export function matcherTest(matcher: Matcher): (value: string) => boolean {
  const { op, value } = matcher;
  if (op === '=') return (text) => text === value;
  if (op === '!=') return (text) => text !== value;
  const regex = anchored(value);
  return op === '=~' ? (text) => regex.test(text) : (text) => !regex.test(text);
}

export function selectorTest(matchers: Matcher[]): (labels: Labels) => boolean {
  const tests = matchers.map((matcher) => ({ name: matcher.name, test: matcherTest(matcher) }));
  return (labels) => tests.every(({ name, test }) => test(labels[name] ?? ''));
}

function anchored(pattern: string): GoRegex {
  try {
    // Loki reads it by itself first, so that its faults name the pattern alone.
    compileRegex(pattern);
    return compileRegex(pattern, { whole: true, dotAll: true });
  } catch (error) {
    if (error instanceof RegexError) throw semanticError(error.message);
    throw error;
  }
}
