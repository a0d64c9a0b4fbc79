import type { Labels } from '../data/store.ts';
import type { Matcher } from './ast.ts';
import { semanticError } from './errors.ts';
import { compileRegex } from './regex.ts';
import { RegexError } from './regex-error.ts';

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

function anchored(pattern: string): RegExp {
  try {
    return compileRegex(pattern, 'anchored').regex;
  } catch (error) {
    if (error instanceof RegexError) throw semanticError(error.message);
    throw error;
  }
}
