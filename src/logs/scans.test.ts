import { expect, test } from 'vitest';
import { scaleRanges, scansOf } from './scans.ts';

const M = 60_000_000_000n;
const window = { start: 1000n * M, end: 1060n * M };

test.each([
  // A log query reads its window, whether or not it filters.
  ['{a="b"} |= "x" | json', false, [['{a="b"}', 1000n, 1060n]]],
  // Over a window, a range reaches back from its start; at an instant it is all that is read.
  ['rate({a="b"}[5m])', false, [['{a="b"}', 995n, 1060n]]],
  ['sum by (x) (rate({a="b"} |= "x" [1h30m]))', true, [['{a="b"}', 970n, 1060n]]],
  ['rate({a="b"}[5m] offset 10m)', true, [['{a="b"}', 1045n, 1050n]]],
  ['count_over_time({a="b"}[5m] offset -10m)', true, [['{a="b"}', 1065n, 1070n]]],
  [
    'rate({a="b"}[5m]) / rate({c=~"d|e"} | logfmt | unwrap x [1h])',
    true,
    [
      ['{a="b"}', 1055n, 1060n],
      ['{c=~"d|e"}', 1000n, 1060n],
    ],
  ],
  ['vector(1)', true, []],
] as const)('%s reads', (query, instant, expected) => {
  expect(scansOf(query, { ...window, instant })).toEqual(
    expected.map(([selector, from, to]) => ({ selector, start: from * M, end: to * M })),
  );
});

test('ranges are scaled, and nothing else', () => {
  const query = 'sum(rate({a="[1h]"}[6h])) / sum(rate({a="b"} |= "x"[90s] offset 1d))';
  expect(scaleRanges(query, 0.1)).toBe('sum(rate({a="[1h]"}[36m])) / sum(rate({a="b"} |= "x"[9s] offset 1d))');
  expect(scaleRanges('{a="b"}', 0.1)).toBe('{a="b"}');
});
