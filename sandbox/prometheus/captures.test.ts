import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { jsonDifference } from '../../test/json-difference.ts';
import { openMetricsStore } from '../data/memory-metrics.ts';
import type { ApiAnswer } from '../data/store.ts';
import { figureInReadme } from '../figures.ts';
import { prometheusApi } from './api.ts';

/** Cases in which the sandbox is known to differ, each with its reason. One that agrees again fails the test. */
const KNOWN_DIFFERENCES: Record<string, string> = {};
/** The share of cases that must agree. */
const SHARE = 0.95;

interface Case {
  id: string;
  path: string;
  params: Record<string, string | string[]>;
  status: number;
  contentType: string;
  body: unknown;
}

const folder = new URL('../../test/fixtures/captures/prometheus/', import.meta.url);
const cases = readFileSync(new URL('cases.jsonl', folder), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Case);
const store = openMetricsStore(readFileSync(new URL('dataset.om', folder), 'utf8'));

describe('answers recorded from Prometheus 2.42', () => {
  test.each(cases)('$id $path', (recorded) => {
    const difference = compare(recorded, ask(recorded));
    if (recorded.id in KNOWN_DIFFERENCES) expect(difference, 'agrees: take it off the list').toBeDefined();
    else expect(difference).toBeUndefined();
  });

  test('enough of them agree', () => {
    const agreeing = cases.filter((recorded) => compare(recorded, ask(recorded)) === undefined);
    expect(agreeing.length / cases.length).toBeGreaterThanOrEqual(SHARE);
    const figure = `${agreeing.length} of ${cases.length} agree`;
    expect(figureInReadme('Prometheus 2.42', figure)).toBe(figure);
  });
});

function ask({ path, params }: Case): ApiAnswer {
  const pairs = Object.entries(params).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  );
  return prometheusApi(store, { method: 'GET', path, params: new URLSearchParams(pairs), headers: {}, now: 0 });
}

/** What differs, or undefined. Of a syntax error the words after its position are free. */
function compare(recorded: Case, answer: ApiAnswer): string | undefined {
  if (answer.status !== recorded.status) return `status ${answer.status}, recorded ${recorded.status}: ${answer.body}`;
  if (answer.contentType !== recorded.contentType) return `content type ${answer.contentType}`;
  const isJson = answer.contentType === 'application/json';
  return jsonDifference(withFreeWords(recorded.body), withFreeWords(isJson ? JSON.parse(answer.body) : answer.body));
}

function withFreeWords(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('error' in body)) return body;
  return { ...body, error: String(body.error).replace(/(\d+:\d+: parse error: unexpected) .*/s, '$1') };
}
