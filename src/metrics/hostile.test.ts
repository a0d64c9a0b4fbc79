import { expect, test } from 'vitest';
import { explainPromError } from './problems.ts';
import { checkPromql } from './promql.ts';

// As src/logs/hostile.test.ts, for PromQL.
const HOSTILE: Record<string, string> = {
  newlines: `${'\n'.repeat(4000)}x`,
  blanks: `${' '.repeat(30_000)}x y`,
  calls: 'sum('.repeat(490),
  parentheses: '('.repeat(5000),
  quotes: '{a="'.repeat(1000),
  words: 'x '.repeat(1000),
  CJK: '日'.repeat(28_000),
};

test.each(Object.entries(HOSTILE))('%s are read in no time', (_name, query) => {
  const began = performance.now();
  checkPromql(query);
  explainPromError(query, 400, 'invalid parameter "query": 1:1: parse error: unexpected');
  expect(performance.now() - began).toBeLessThan(2_000);
});
