import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { explainPromError } from '../metrics/problems.ts';
import { checkPromql } from '../metrics/promql.ts';
import { classifyLogql } from './logql.ts';
import { explainLokiError } from './problems.ts';

interface Case {
  id: string;
  status: number;
  query: string;
  text: string;
}

/** Every recorded query with the answer of the real server. */
function recorded(folder: string): Case[] {
  const file = new URL(`../../test/fixtures/captures/${folder}/cases.jsonl`, import.meta.url);
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map(
      (line) =>
        JSON.parse(line) as { id: string; path: string; params: Record<string, string>; status: number; body: unknown },
    )
    .filter(({ path, params }) => /\/query(?:_range)?$/.test(path) && typeof params.query === 'string')
    .map(({ id, params, status, body }) => ({
      id,
      status,
      query: params.query ?? '',
      text: typeof body === 'string' ? body : JSON.stringify(body),
    }));
}

it('refuses no query that Loki reads', () => {
  const read = recorded('loki').filter(({ status }) => status === 200);
  expect(read.length).toBeGreaterThan(100);
  expect(read.filter(({ query }) => classifyLogql(query).kind === 'invalid')).toEqual([]);
});

it('refuses no query that Prometheus reads', () => {
  const read = recorded('prometheus').filter(({ status }) => status === 200);
  expect(read.length).toBeGreaterThan(100);
  expect(read.filter(({ query }) => !checkPromql(query).valid)).toEqual([]);
});

it('explains every recorded refusal of Loki in one sentence, with a remedy that the grammar reads', () => {
  for (const { id, query, status, text } of recorded('loki').filter((c) => c.status >= 400)) {
    const { message, remedy } = explainLokiError(query, status, text);
    expect(message, id).toMatch(/^[A-Z][^\n]*\.$/);
    expect(remedy, id).toMatch(/^try[^:]*: [\s\S]+|^[^\n]{10,200}\.$/);
    const tried = /^try[^:]*: ([\s\S]+)$/.exec(remedy ?? '')?.[1];
    if (tried !== undefined) expect(classifyLogql(tried).kind, `${id} ${tried}`).not.toBe('invalid');
  }
});

it('explains every recorded refusal of Prometheus in one sentence, with a remedy that the grammar reads', () => {
  for (const { id, query, status, text } of recorded('prometheus').filter((c) => c.status >= 400)) {
    const { message, remedy } = explainPromError(query, status, text);
    expect(message, id).toMatch(/^[A-Z][^\n]*\.$/);
    expect(remedy, id).toMatch(/^try: [\s\S]+|^[^\n]{10,200}\.$/);
    const tried = /^try: ([\s\S]+)$/.exec(remedy ?? '')?.[1];
    if (tried !== undefined) expect(checkPromql(tried).valid, `${id} ${tried}`).toBe(true);
  }
});
