import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseQuery, parseSelector } from './parse.ts';
import { prettyQuery } from './pretty.ts';
import { printQuery } from './print.ts';

function refusal(query: string): string {
  try {
    parseQuery(query);
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const EMPTY =
  'parse error : queries require at least one regexp or equality matcher that does not have an empty-compatible value. ' +
  'For instance, app=~".*" does not meet this requirement, but app=~".+" will';

describe('refusals', () => {
  // Loki's own positions; the words of a syntax error are free.
  test.each([
    ['', 'parse error : syntax error'],
    ['{}', EMPTY],
    ['{app=~".*"}', EMPTY],
    ['{app="foo', 'parse error at line 1, col 6: literal not terminated'],
    ["{app='foo'}", 'parse error at line 1, col 6: invalid char literal'],
    ['{app="foo",}', 'parse error at line 1, col 12: syntax error'],
    ['{app=="foo"}', 'parse error at line 0, col 5: syntax error'],
    ['{app="foo"} |= "path\\d"', 'parse error at line 1, col 16: invalid char escape'],
    ['{app="日本"}\n  | json\n  | status >= "500"', 'parse error at line 3, col 15: syntax error'],
    ['{a="日本"} |= x', 'parse error at line 1, col 13: syntax error'],
    ['{app="foo"} | json | unwrap x', 'parse error at line 1, col 22: syntax error'],
    ['rate({app="foo"}[5min])', 'parse error at line 0, col 17: unknown unit "min" in duration "5min"'],
    ['rate({app="foo"}[5m)', "parse error at line 0, col 17: missing closing ']' in duration"],
    ['sum by app (rate({app="foo"}[5m]))', 'parse error at line 1, col 1: syntax error'],
    ['sum by (rate({app="foo"}[5m]))', 'parse error at line 1, col 9: syntax error'],
    ['{app="a"} | json AND x="y"', 'parse error at line 1, col 22: syntax error'],
    ['{app="a"} | json or', 'parse error at line 1, col 20: syntax error'],
    ['{or="a"}', 'parse error at line 1, col 2: syntax error'],
    ['{app="a"} | drop and', 'parse error at line 1, col 18: syntax error'],
    [
      '{app="a"} or {app="b"}',
      'parse error : unexpected type for left leg of binary operation (or): *syntax.MatchersExpr',
    ],
    [
      'vector(1) + {app="b"} | json',
      'parse error : unexpected type for right leg of binary operation (+): *syntax.PipelineExpr',
    ],
    ['vector(1) or 1', 'parse error : unexpected literal for right leg of logical/set binary operation (or): 1.000000'],
    ['{app=~"["}', 'parse error : error parsing regexp: missing closing ]: `[`'],
    ['{app="a"} | x=~"("', 'parse error : error parsing regexp: missing closing ): `(`'],
    ['sum_over_time({app="foo"}[5m])', 'parse error : invalid aggregation sum_over_time without unwrap'],
    ['count_over_time({app="foo"} | unwrap x [5m])', 'parse error : invalid aggregation count_over_time with unwrap'],
    [
      'quantile_over_time({app="foo"} | unwrap x [5m])',
      'parse error : parameter required for operation quantile_over_time',
    ],
    ['rate(0.5, {app="foo"}[5m])', 'parse error : parameter 0.5 not supported for operation rate'],
    [
      'sum_over_time({app="foo"} | unwrap x [5m]) by (a)',
      'parse error : grouping not allowed for sum_over_time aggregation',
    ],
    ['topk(rate({app="foo"}[5m]))', 'parse error : parameter required for operation topk'],
    ['topk(0, rate({app="foo"}[5m]))', 'parse error : invalid parameter (must be greater than 0) topk(0'],
    ['sum(2, rate({app="foo"}[5m]))', 'parse error : unsupported parameter for operation sum(2,'],
    [
      'label_replace(vector(1), "a", "b", "c", "(")',
      'parse error : invalid regex in label_replace: error parsing regexp: missing closing ): `^(?:()$`',
    ],
    ['{app="a"} | pattern "<_>"', 'parse error : invalid pattern parser: at least one capture is required'],
    ['{app="a"} | regexp "x"', 'parse error : invalid regexp parser: at least one named capture must be supplied'],
    ['approx_topk(3, rate({app="foo"}[5m]))', 'not implemented in this sandbox: approx_topk'],
  ])('%s', (query, message) => {
    expect(refusal(query).replace(/(syntax error).*/s, '$1')).toBe(message);
  });

  test('metadata endpoints take a selector only', () => {
    expect(() => parseSelector('{a="b"} | json')).toThrow('only label matchers are supported');
    expect(parseSelector(' { } ', true)).toEqual([]);
  });
});

describe('reading and writing', () => {
  test.each([
    ['{a="b",c=~"d.+"}|="x"or"y"!~`z\\d`', '{a="b", c=~"d.+"} |= "x" or "y" !~ "z\\\\d"'],
    ['SUM BY(a)(RATE({a="b"}[90s] OFFSET 1m))', 'sum by (a)(rate({a="b"}[1m30s] offset 1m))'],
    ['1 + 2 * 3 ^ 2 ^ 0.5 - 4', showSum()],
    ['vector(1) + vector(2) * vector(3)', '(vector(1.000000) + (vector(2.000000) * vector(3.000000)))'],
    ['vector(1) - vector(2) - vector(3)', '((vector(1.000000) - vector(2.000000)) - vector(3.000000))'],
    ['(vector(1) + vector(2)) * vector(3)', '((vector(1.000000) + vector(2.000000)) * vector(3.000000))'],
    ['vector(1) > bool vector(2) or vector(3)', '((vector(1.000000) > bool vector(2.000000)) or vector(3.000000))'],
    ['vector(1) / on (a) group_left (b,c) vector(2)', '(vector(1.000000) / on (a) group_left (b,c) vector(2.000000))'],
    [
      'quantile_over_time(0.9,{a="b"}|json x="y[0]"|unwrap bytes(x)|__error__="" [5m] offset 1h) by (c)',
      'quantile_over_time(0.9,{a="b"} | json x="y[0]" | unwrap bytes(x) | __error__=""[5m] offset 1h) by (c)',
    ],
    ['{a="b"} # comment\n| logfmt --strict k | drop k,l="m"', '{a="b"} | logfmt --strict k="k" | drop k,l="m"'],
    ['{a="b"} | x>5 or y<1h and z="q"', '{a="b"} | ( x>5 or ( y<1h , z="q" ) )'],
    [
      '{a="b"} | label_format c=d,e="{{.f}}" | line_format "x"',
      '{a="b"} | label_format c=d,e="{{.f}}" | line_format "x"',
    ],
  ])('%s', (query, text) => {
    expect(printQuery(parseQuery(query))).toBe(text);
    // What is written is the same query.
    expect(printQuery(parseQuery(text))).toBe(text);
  });

  test('long queries are split', () => {
    const long = `sum by (app)(rate({app="${'x'.repeat(60)}"} |= "error" | json | level="error"[5m]))`;
    expect(prettyQuery(parseQuery(long))).toBe(
      [
        'sum by (app)(',
        '  rate(',
        `    {app="${'x'.repeat(60)}"}`,
        '      |= "error"',
        '      | json',
        '      | level="error" [5m]',
        '  )',
        ')',
      ].join('\n'),
    );
  });

  test('any text is either read or refused with a position', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '(',
      ')',
      'a',
      '"b"',
      '=',
      '=~',
      '|=',
      '|',
      'json',
      'sum',
      'rate',
      '[5m]',
      '5',
      'by',
      'or',
      ',',
      ' ',
      '\n',
      "'",
      '[',
      '#',
      '日',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        expect(refusal(pieces.join(''))).toMatch(/^$|^parse error( at line \d+, col \d+| ): ?|^not implemented/);
      }),
      { numRuns: 2000 },
    );
  });
});

function showSum(): string {
  return String(1 + 2 * 3 ** (2 ** 0.5) - 4);
}
