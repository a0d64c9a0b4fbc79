import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { readEnvelope, readStrings } from './envelope.ts';
import { readResult } from './result.ts';
import { LOKI, PROMETHEUS } from './testing/callers.ts';
import type { QueryResult } from './upstream.ts';

// Answers recorded from running servers; what the reader makes of them is written back and compared with the original.

const captured = z.object({
  id: z.string(),
  path: z.string(),
  params: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  status: z.number(),
  contentType: z.string(),
  body: z.unknown(),
});

const data = z.object({
  data: z.object({ resultType: z.string(), result: z.unknown(), encodingFlags: z.array(z.string()).optional() }),
});

function cases(folder: string) {
  const file = new URL(`../../test/fixtures/captures/${folder}/cases.jsonl`, import.meta.url);
  const all = readFileSync(file, 'utf8').trim().split('\n');
  return all.map((line) => captured.parse(JSON.parse(line))).filter((c) => c.status === 200);
}

describe.each([
  { folder: 'loki', ds: LOKI, queries: 151 },
  { folder: 'prometheus', ds: PROMETHEUS, queries: 155 },
])('$folder', ({ folder, ds, queries }) => {
  const read = cases(folder);
  const asked = read.filter((c) => /\/(query|query_range)$/.test(c.path));

  test('every result of a query is read without loss', () => {
    expect(asked).toHaveLength(queries);
    for (const c of asked) {
      const answer = { status: 200, contentType: c.contentType, text: JSON.stringify(c.body) };
      const { resultType, result, encodingFlags } = data.parse(c.body).data;
      expect(writeBack(readResult(answer, ds, 'matrix'), encodingFlags !== undefined), c.id).toEqual({
        resultType,
        result,
      });
    }
  });

  test('every list of names is read, the empty one without data too', () => {
    const lists = read.filter((c) => /\/(labels|label\/\w+\/values)$/.test(c.path));
    for (const c of lists) {
      const answer = { status: 200, contentType: c.contentType, text: JSON.stringify(c.body) };
      expect(readStrings(readEnvelope(answer, ds).data, ds), c.id).toEqual((c.body as { data?: string[] }).data ?? []);
    }
    expect(lists.length).toBeGreaterThan(5);
  });
});

/** The wire form again, from what was read. */
function writeBack(result: QueryResult, categorized: boolean): unknown {
  switch (result.type) {
    case 'streams':
      return {
        resultType: 'streams',
        result: result.streams.map(({ labels, entries }) => ({
          stream: labels,
          values: entries.map((e) => {
            const extra = {
              ...(Object.keys(e.metadata).length > 0 ? { structuredMetadata: e.metadata } : {}),
              ...(Object.keys(e.parsed).length > 0 ? { parsed: e.parsed } : {}),
            };
            return categorized ? [String(e.ts), e.line, extra] : [String(e.ts), e.line];
          }),
        })),
      };
    case 'matrix':
    case 'vector':
      return {
        resultType: result.type,
        result: result.series.map(({ labels, times, values }) => {
          const samples = times.map((time, i) => [time / 1000, goNumber(values[i] ?? 0)]);
          return result.type === 'matrix' ? { metric: labels, values: samples } : { metric: labels, value: samples[0] };
        }),
      };
    case 'scalar':
      return { resultType: 'scalar', result: [result.time / 1000, goNumber(result.value)] };
    case 'string':
      return { resultType: 'string', result: [result.time / 1000, result.text] };
  }
}

/** As Go's 'f' format writes a value; a text that reads as the same number is the same. */
function goNumber(value: number): unknown {
  return expect.toSatisfy((text: unknown) => {
    const number =
      text === '+Inf' ? Number.POSITIVE_INFINITY : text === '-Inf' ? Number.NEGATIVE_INFINITY : Number(text);
    return typeof text === 'string' && (Number.isNaN(value) ? text === 'NaN' : number === value);
  });
}
