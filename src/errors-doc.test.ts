import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ERRORS } from './errors.ts';
import { errorsMarkdown } from './errors-doc.ts';

test('docs/errors.md is what the table of errors says', () => {
  expect(readFileSync(new URL('../docs/errors.md', import.meta.url), 'utf8')).toBe(errorsMarkdown());
});

test('every code stands in it once, with whole sentences', () => {
  const text = errorsMarkdown();
  for (const [code, kind] of Object.entries(ERRORS)) {
    expect(text.split(`| \`${code}\` |`), code).toHaveLength(2);
    expect(kind.meaning, code).toMatch(/\.$/);
    expect(kind.remedy, code).toMatch(/\.$/);
  }
});
