import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { configurationMarkdown, SECTIONS } from './reference.ts';
import { SETTINGS } from './table.ts';

test('docs/configuration.md is what the schema says', () => {
  const doc = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
  expect(doc, 'run: npm run docs').toBe(configurationMarkdown());
});

test('every setting stands in it once', () => {
  const starts = SECTIONS.map(([, first]) => SETTINGS.findIndex((row) => row.key === first));
  expect(starts).toEqual([0, ...starts.slice(1).sort((a, b) => a - b)]);
  const text = configurationMarkdown();
  for (const row of SETTINGS.filter((r) => !r.derived)) {
    expect(text.split(`| \`${row.env[0]}\``), row.key).toHaveLength(2);
    expect(row.description, row.key).toMatch(/\.$/);
  }
});

test('every setting is used: a name that does nothing is refused as unknown', () => {
  const src = new URL('../', import.meta.url);
  const code = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('config/'))
    .map((file) => readFileSync(new URL(file, src), 'utf8'))
    .join('\n');
  const unused = SETTINGS.filter((row) => !new RegExp(`\\b${row.key}\\b`).test(code)).map((row) => row.key);
  expect(unused).toEqual([]);
});
