import { expect, it } from 'vitest';
import { classifyLogql } from './logql.ts';
import { explainLokiError } from './problems.ts';

it.each([
  ['{app="a"}', 'log', ['{app="a"}']],
  ['{app="a"} |= "x" | json | status >= 500', 'log', ['{app="a"}']],
  ['sum by (level) (count_over_time({a="b"}[5m])) / sum(rate({c="d"}[5m]))', 'metric', ['{a="b"}', '{c="d"}']],
  ['vector(1)', 'metric', []],
])('%s is a %s query', (query, kind, selectors) => expect(classifyLogql(query)).toEqual({ kind, selectors }));

// Query, line and column of the fault, the correction. Each correction is read once more.
it.each([
  ['{app="foo" env="dev"}', 1, 12, '{app="foo", env="dev"}'],
  ['{app="foo",\n env="dev" pod="x"}', 2, 12, '{app="foo",\n env="dev", pod="x"}'],
  ['{app=foo}', 1, 6, '{app="foo"}'],
  ['{app="foo', 1, 6, '{app="foo"}'],
  ['{app="foo"', 1, 11, '{app="foo"}'],
  ["{app='foo'}", 1, 6, '{app="foo"}'],
  ['{app="foo",}', 1, 12, '{app="foo"}'],
  ['{app=="foo"}', 1, 5, '{app="foo"}'],
  ['{app=~".*"}', 1, 2, '{app=~".+"}'],
  ['{app="foo"}}', 1, 12, '{app="foo"}'],
  ['app="foo"', 1, 1, '{app="foo"}'],
  ['app="foo", env="dev" |= "x"', 1, 1, '{app="foo", env="dev"} |= "x"'],
  ['{app="foo"} |= error', 1, 16, '{app="foo"} |= "error"'],
  ['{app="foo"} "error"', 1, 13, '{app="foo"} |= "error"'],
  ['{app="foo"} | json | level=error', 1, 28, '{app="foo"} | json | level="error"'],
  ['{app="foo"} | limit 10', 1, 21, '{app="foo"}'],
  ['{app="foo"} | status >= "500"', 1, 25, '{app="foo"} | status >= 500'],
  ['{app="foo"} | line_format {{.msg}}', 1, 27, '{app="foo"} | line_format "{{.msg}}"'],
  ['{app="a"} | msg LIKE "%x%"', 1, 17, '{app="a"} |= "x"'],
  ['rate({app="foo"})', 1, 17, 'rate({app="foo"}[5m])'],
  ['rate({app="foo"}[5min])', 1, 20, 'rate({app="foo"}[5m])'],
  ['rate({app="foo"}[5m]', 1, 21, 'rate({app="foo"}[5m])'],
  ['sum by app (rate({app="foo"}[5m]))', 1, 8, 'sum by (app) (rate({app="foo"}[5m]))'],
  ['sum({app="foo"})', 1, 16, 'sum(count_over_time({app="foo"}[5m]))'],
  ['{app="foo"} | json | unwrap x', 1, 22, 'sum_over_time({app="foo"} | json | unwrap x [5m])'],
  ['{app=\u201cfoo\u201d, env=\u2018dev\u2019}', 1, 6, '{app="foo", env="dev"}'],
  ['{app="foo",\u00a0env="a\u00a0b"}', 1, 12, '{app="foo", env="a\u00a0b"}'],
  ['{app="a" env=b} |= \u201cx\u201d', 1, 10, '{app="a", env="b"} |= "x"'],
  ['{}', 1, 2, undefined],
  ['', 1, 1, undefined],
])('%s is corrected', (query, line, column, remedy) => {
  const { kind, problem } = classifyLogql(query);
  expect({ kind, line: problem?.line, column: problem?.column, remedy: problem?.remedy }).toEqual({
    kind: 'invalid',
    line,
    column,
    remedy,
  });
  if (remedy !== undefined) expect(classifyLogql(remedy).kind).not.toBe('invalid');
});

it('names the invisible character', () =>
  expect(classifyLogql('{app="foo",\u00a0env="x"}').problem?.message).toContain('U+00A0 at column 12'));

it.each([
  [
    '{app="a" env="prod"} |= "error"',
    'parse error at line 1, col 10: syntax error: unexpected IDENTIFIER, expecting } or ,',
    {
      message: 'Loki cannot read this query (line 1, column 10): matchers are separated by commas.',
      lines: ['  {app="a" env="prod"} |= "error"', '           ^'],
      remedy: 'try: {app="a", env="prod"} |= "error"',
      kind: 'syntax',
    },
  ],
  [
    'rate({app="a"}[5x])',
    'parse error at line 0, col 15: unknown unit "x" in duration "5x"',
    {
      message:
        'Loki cannot read this query (line 1, column 15): the range needs a number with a unit: ms, s, m, h, d, w.',
      lines: ['  rate({app="a"}[5x])', '                ^'],
      remedy: 'try: rate({app="a"}[5m])',
      kind: 'syntax',
    },
  ],
  [
    'sum_over_time({app="a"} | unwrap x [5m])',
    `pipeline error: 'SampleExtractionErr' for series: '{__error__="SampleExtractionErr", app="a"}'.\nUse a label filter`,
    {
      message: 'Some lines could not be read by a stage of the query (SampleExtractionErr).',
      lines: [],
      remedy: 'try, to leave those lines out: sum_over_time({app="a"} | unwrap x | __error__="" [5m])',
      kind: 'syntax',
    },
  ],
  [
    'rate({app="a"}[7h])',
    'the query time range exceeds the limit (query length: 175h0m0s, limit: 30d1h)',
    {
      message: 'The query reaches over 175h0m0s, and Loki allows 30d1h; the range [7h] is added to the window.',
      lines: [],
      remedy: 'Shorten the window or the range.',
      kind: 'limit',
    },
  ],
  [
    '{app="a"}',
    'no org id\n',
    {
      message: 'This Loki has several tenants, and the datasource names none.',
      lines: [],
      remedy: 'Add the header X-Scope-OrgID to the datasource in Grafana; the token is not at fault.',
      kind: 'other',
    },
  ],
  ['{app="a"}', 'what\never', { message: 'Loki answered 400 "what ever".', lines: [], kind: 'other' }],
])('explains %s: %s', (query, text, expected) => expect(explainLokiError(query, 400, text)).toEqual(expected));

it('shows a long query around its place', () => {
  const query = `{app="${'x'.repeat(300)}" env="y", ${'z="1", '.repeat(40)}q="2"}`;
  const { lines } = explainLokiError(query, 400, 'parse error at line 1, col 309: syntax error: unexpected IDENTIFIER');
  expect(lines[0]?.length).toBeLessThan(110);
  expect(lines[0]?.slice(lines[1]?.indexOf('^'))).toMatch(/^env="y"/);
});

it("keeps a server's words short and between quotes, and the rest for the fence", () => {
  const words = `syntax error: x"\nIGNORE ALL\u001b[2J ${'y'.repeat(300)}`;
  const { message, said } = explainLokiError('{app="a"}', 400, `parse error at line 1, col 2: ${words}`);
  expect(message).toMatch(/^Loki cannot read this query \(line 1, column 2\): "x\\" IGNORE ALL\\\\x1b\[2J y+"\.$/);
  expect(message.length).toBeLessThan(280);
  expect(said?.[0]).toContain('y'.repeat(300));
});
