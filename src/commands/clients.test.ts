import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { clientSnippets } from './clients.ts';

const snippets = clientSnippets('https://gateway.example', 'YOUR_TOKEN');

test('docs/clients.md shows what the demo prints', () => {
  const doc = readFileSync(new URL('../../docs/clients.md', import.meta.url), 'utf8');
  for (const { client, text } of snippets) expect(doc, client).toContain(`\n${text}\n`);
});

test('what is JSON can be pasted', () => {
  for (const { text } of snippets.filter((s) => s.where.endsWith('.json'))) {
    expect(JSON.stringify(JSON.parse(text))).toContain('"Authorization":"Bearer YOUR_TOKEN"');
  }
});
