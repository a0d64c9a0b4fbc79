import { expect, test } from 'vitest';
import { classifyLogql } from './logql.ts';
import { explainLokiError } from './problems.ts';

// What reads a query runs in one piece: while it does, nobody is served. Each of these took seconds to minutes once.
const HOSTILE: Record<string, string> = {
  newlines: `${'\n'.repeat(5000)}x`,
  blanks: `${' '.repeat(30_000)}x y`,
  'blanks, few at a time': `{x=${' '.repeat(30)}`.repeat(60),
  pipes: '| '.repeat(1000),
  braces: '{'.repeat(5000),
  parentheses: '('.repeat(5000),
  quotes: '{a="'.repeat(1000),
  backslashes: `"${'\\'.repeat(1990)}`,
  words: 'where a like '.repeat(150),
  CJK: '日'.repeat(28_000),
};

test.each(Object.entries(HOSTILE))('%s are read in no time', (_name, query) => {
  const began = performance.now();
  classifyLogql(query);
  explainLokiError(query, 400, 'parse error at line 1, col 1: syntax error: unexpected IDENTIFIER');
  expect(performance.now() - began).toBeLessThan(1_000);
});
