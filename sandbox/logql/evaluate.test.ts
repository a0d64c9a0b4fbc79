import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoryLogStore } from '../data/memory-logs.ts';
import type { Labels, LogLine } from '../data/store.ts';
import { evaluateMetric } from './evaluate.ts';
import { parseQuery } from './parse.ts';
import type { Steps } from './samples.ts';

const START = 1_796_032_800_000_000_000n;
const second = (value: number): bigint => START + BigInt(Math.round(value * 1e9));
type Entry = LogLine & { labels: Labels };

/** Value by label text and step. */
function evaluate(text: string, lines: Entry[], steps: Partial<Steps> = {}): Record<string, Record<number, number>> {
  const query = parseQuery(text);
  if (query.kind === 'log') throw new Error('not a metric query');
  const matrix = evaluateMetric(query, memoryLogStore(lines), {
    start: second(60),
    step: 60_000_000_000n,
    count: 1,
    ...steps,
  });
  return Object.fromEntries(
    matrix.series.map(({ labels, points }) => [
      Object.entries(labels)
        .map(([name, value]) => `${name}=${value}`)
        .join(','),
      Object.fromEntries(points.map(({ step, value }) => [step, value])),
    ]),
  );
}

const entry = (at: number, line: string, labels: Labels = { app: 'a' }): Entry => ({ labels, ts: second(at), line });

describe('windows', () => {
  const lines = [0, 1, 30, 60, 60.5, 120].map((at) => entry(at, 'x'));
  test.each<[string, Record<number, number>]>([
    // (t - range, t]: the line at 0 s is outside, the one at 60 s inside.
    ['count_over_time({app="a"}[1m])', { 0: 3, 1: 2 }],
    ['count_over_time({app="a"}[1m] offset 1m)', { 0: 1, 1: 3 }],
    ['count_over_time({app="a"}[1m] offset -1m)', { 0: 2 }],
    ['rate({app="a"}[1m])', { 0: 0.05, 1: 2 / 60 }],
    ['bytes_over_time({app="a"} | line_format "日" [1m])', { 0: 9, 1: 6 }],
    ['absent_over_time({app="a"}[1s] offset 10s)', { 0: 1, 1: 1 }],
  ])('%s', (query, expected) => {
    expect(evaluate(query, lines, { count: 2 })).toEqual({ 'app=a': expected });
  });
});

describe('unwrapped values', () => {
  const lines = [4, 1, 3, 2].map((value, index) => entry(10 + index, `v=${value} d=${value}s b=${value}KB`));
  test.each<[string, number]>([
    ['sum_over_time', 10],
    ['avg_over_time', 2.5],
    ['min_over_time', 1],
    ['max_over_time', 4],
    ['first_over_time', 4],
    ['last_over_time', 2],
    ['stdvar_over_time', 1.25],
    ['stddev_over_time', Math.sqrt(1.25)],
    ['rate', 10 / 60],
  ])('%s', (op, expected) => {
    const found = evaluate(`${op}({app="a"} | logfmt | drop d, b | unwrap v [1m])`, lines);
    expect(found['app=a']?.[0]).toBeCloseTo(expected, 12);
  });
  test.each<[string, number]>([
    ['quantile_over_time(0.5, {app="a"} | logfmt | unwrap v [1m]) by (app)', 2.5],
    ['max_over_time({app="a"} | logfmt | unwrap duration(d) [1m]) by (app)', 4],
    ['max_over_time({app="a"} | logfmt | unwrap bytes(b) [1m]) by (app)', 4000],
    ['max_over_time({app="a"} | logfmt | unwrap v | v < 3 [1m]) by (app)', 2],
  ])('%s', (query, expected) => expect(evaluate(query, lines)).toEqual({ 'app=a': { 0: expected } }));

  test('a value that cannot be read fails the query, unless it is filtered out', () => {
    const bad = [...lines, entry(20, 'v=x')];
    expect(() => evaluate('avg_over_time({app="a"} | logfmt | unwrap v [1m]) by (app)', bad)).toThrow(
      'pipeline error: \'SampleExtractionErr\' for series: \'{__error__="SampleExtractionErr", __error_details__="strconv.ParseFloat: parsing \\"x\\": invalid syntax", app="a", v="x"}\'.\n',
    );
    expect(evaluate('avg_over_time({app="a"} | logfmt | unwrap v | __error__="" [1m]) by (app)', bad)).toEqual({
      'app=a': { 0: 2.5 },
    });
  });
});

describe('parser errors', () => {
  const lines = [entry(10, '{"a":1}'), entry(11, 'no')];
  test('fail a query that needs the labels', () => {
    expect(() => evaluate('sum by (a)(count_over_time({app="a"} | json [1m]))', lines)).toThrow(
      "pipeline error: 'JSONParserErr'",
    );
  });
  test('do not come up where no label is needed', () => {
    expect(evaluate('sum(count_over_time({app="a"} | json [1m]))', lines)).toEqual({ '': { 0: 2 } });
  });
  test('can be counted', () => {
    expect(evaluate('sum by (__error__)(count_over_time({app="a"} | json [1m]))', lines)).toEqual({
      '': { 0: 1 },
      '__error__=JSONParserErr': { 0: 1 },
    });
  });
});

describe('operators and aggregations', () => {
  const lines = [
    ...[1, 2, 3].map((at) => entry(at, 'x', { app: 'a', env: 'p' })),
    ...[1, 2].map((at) => entry(at, 'x', { app: 'a', env: 's' })),
    entry(1, 'x', { app: 'b', env: 'p' }),
  ];
  const c = 'count_over_time({app=~".+"}[1m])';
  const a = `sum by (app)(${c})`;
  test.each<[string, Record<string, number>]>([
    [`sum(${c})`, { '': 6 }],
    [`sum without (env)(${c})`, { 'app=a': 5, 'app=b': 1 }],
    [`avg by (app)(${c})`, { 'app=a': 2.5, 'app=b': 1 }],
    [`topk(1, ${c})`, { 'app=a,env=p': 3 }],
    [`bottomk by (app)(1, ${c})`, { 'app=a,env=s': 2, 'app=b,env=p': 1 }],
    [`count(${c}) + 1`, { '': 4 }],
    [`stdvar(${c})`, { '': 2 / 3 }],
    [`${a} > 1`, { 'app=a': 5 }],
    [`1 < ${a}`, { 'app=a': 5 }],
    [`${a} > bool 1`, { 'app=a': 1, 'app=b': 0 }],
    [`${a} / ${a} * 100`, { 'app=a': 100, 'app=b': 100 }],
    [`${a} / 0`, { 'app=a': Number.NaN, 'app=b': Number.NaN }],
    [`${c} / on (app) group_left () ${a}`, { 'app=a,env=p': 0.6, 'app=a,env=s': 0.4, 'app=b,env=p': 1 }],
    [`${a} - on (app) group_right () ${c}`, { 'app=a,env=p': 2, 'app=a,env=s': 3, 'app=b,env=p': 0 }],
    [`${a} and ignoring (app) vector(1)`, { 'app=a': 5, 'app=b': 1 }],
    [`${a} unless (${a} > 1)`, { 'app=b': 1 }],
    [`(${a} > 1) or ${a}`, { 'app=a': 5, 'app=b': 1 }],
    [`${a} or vector(7)`, { '': 7, 'app=a': 5, 'app=b': 1 }],
    [`label_replace(${a}, "x", "$1!", "app", "(a)")`, { 'app=a,x=a!': 5, 'app=b': 1 }],
    ['2 ^ 3 ^ 2 - 10 % 4', { '': 510 }],
    ['vector(2) * vector(3) + vector(1) > 6', { '': 7 }],
  ])('%s', (query, expected) => {
    const found = evaluate(query, lines);
    expect(Object.fromEntries(Object.entries(found).map(([labels, points]) => [labels, points[0]]))).toEqual(expected);
  });

  test('an instant result keeps the order of a sort', () => {
    expect(Object.keys(evaluate(`sort_desc(${c})`, lines))).toEqual(['app=a,env=p', 'app=a,env=s', 'app=b,env=p']);
    expect(Object.keys(evaluate(`sort(${c})`, lines))).toEqual(['app=b,env=p', 'app=a,env=s', 'app=a,env=p']);
  });

  test('many to many is refused', () => {
    expect(() => evaluate(`${c} / on (app) ${c}`, lines)).toThrow('found duplicate series on the right hand-side');
    expect(() => evaluate(`${c} / on (app) ${a}`, lines)).toThrow('many-to-one matching must be explicit');
  });
});

describe('properties', () => {
  const lines = fc.array(
    fc.record({
      at: fc.integer({ min: 0, max: 300_000 }),
      value: fc.integer({ min: -50, max: 50 }),
      app: fc.constantFrom('a', 'b'),
      env: fc.constantFrom('p', 's'),
    }),
    { maxLength: 40 },
  );
  type Drawn = { at: number; value: number; app: string; env: string };
  const asLines = (drawn: Drawn[]): Entry[] =>
    drawn.map(({ at, value, app, env }) => entry(at / 1000, `v=${value}`, { app, env }));
  const steps = { start: second(20), step: 20_000_000_000n, count: 14 };

  test('windows hold what a plain search finds', () => {
    fc.assert(
      fc.property(lines, fc.integer({ min: 1, max: 120 }), (drawn, range) => {
        const found = evaluate(
          `sum(sum_over_time({app=~".+"} | logfmt | unwrap v [${range}s]))`,
          asLines(drawn),
          steps,
        );
        const expected: Record<number, number> = {};
        for (let step = 0; step < steps.count; step++) {
          const end = 20_000 * (step + 1);
          const inside = drawn.filter(({ at }) => at > end - range * 1000 && at <= end);
          if (inside.length > 0) expected[step] = inside.reduce((sum, { value }) => sum + value, 0);
        }
        expect(found).toEqual(Object.keys(expected).length === 0 ? {} : { '': expected });
      }),
    );
  });

  test('the order in which lines came does not matter', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(
          fc.record({
            at: fc.integer({ min: 0, max: 300_000 }),
            value: fc.integer(),
            app: fc.constantFrom('a', 'b'),
            env: fc.constantFrom('p', 's'),
          }),
          { selector: ({ at }) => at, maxLength: 30 },
        ),
        (drawn) => {
          for (const query of [
            'last_over_time({app=~".+"} | logfmt | unwrap v [1m]) by (app)',
            'rate({app=~".+"}[45s])',
          ]) {
            expect(evaluate(query, asLines([...drawn].reverse()), steps)).toEqual(
              evaluate(query, asLines(drawn), steps),
            );
          }
        },
      ),
    );
  });

  test('grouping first by more and then by less gives the same sums', () => {
    fc.assert(
      fc.property(lines, (drawn) => {
        const c = 'count_over_time({app=~".+"}[1m])';
        expect(evaluate(`sum by (app)(sum by (app, env)(${c}))`, asLines(drawn), steps)).toEqual(
          evaluate(`sum by (app)(${c})`, asLines(drawn), steps),
        );
      }),
    );
  });
});
