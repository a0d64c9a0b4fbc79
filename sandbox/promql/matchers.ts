import type { Labels } from '../data/store.ts';
import { compileRegex } from '../regex.ts';

export type MatchOp = '=' | '!=' | '=~' | '!~';

export interface Matcher {
  name: string;
  op: MatchOp;
  value: string;
  /** A missing label is the empty string. */
  test(value: string): boolean;
}

/** Throws RegexError when the value of a regular expression matcher is none. */
export function createMatcher(name: string, op: MatchOp, value: string): Matcher {
  if (op === '=') return { name, op, value, test: (other) => other === value };
  if (op === '!=') return { name, op, value, test: (other) => other !== value };
  const regex = compileRegex(value, { whole: true });
  // A selector is tried on every series, and label values repeat: remember what a value gave.
  const known = new Map<string, boolean>();
  const wanted = op === '=~';
  const test = (other: string): boolean => {
    let result = known.get(other);
    if (result === undefined) {
      result = regex.test(other) === wanted;
      known.set(other, result);
    }
    return result;
  };
  return { name, op, value, test };
}

export function matchesAll(matchers: readonly Matcher[]): (labels: Labels) => boolean {
  return (labels) => matchers.every((matcher) => matcher.test(labels[matcher.name] ?? ''));
}

/** Whether a selector could match everything: no matcher refuses the empty string. */
export function allMatchEmpty(matchers: readonly Matcher[]): boolean {
  return matchers.every((matcher) => matcher.test(''));
}
