import { describe, expect, test } from 'vitest';
import { compileRegex } from './regex.ts';

describe('RE2 on this engine', () => {
  test.each<[string, string, boolean]>([
    ['a.c', 'a\u2028c', true],
    ['a.c', 'a\nc', false],
    ['(?s)a.c', 'a\nc', true],
    ['(?i)Error', 'xERRORx', true],
    ['x(?i:err)y', 'xERRy', true],
    ['x(?i:err)y', 'XERRY', false],
    ['(?i)[a-f]+!', 'BEEF!', true],
    ['(?m)^b$', 'a\nb\nc', true],
    ['^b$', 'a\nb\nc', false],
    ['\\s', '\u00a0', false],
    ['\\S', '\u00a0', true],
    ['^\\W\\D$', '-x', true],
    ['[[:alpha:]]+[[:digit:]]', 'ab1', true],
    ['[^[:space:]]x', ' x', false],
    ['\\Qa.b\\E+', 'a.bb', true],
    ['\\Qa.b\\E', 'axb', false],
    ['\\x{65e5}\\x41', '日A', true],
    ['\\p{Greek}', 'λ', true],
    ['\\pL\\PL', 'a1', true],
    ['(?P<n>a)(?<m>b)', 'ab', true],
    ['a{2,3}?', 'aa', true],
    ['a{,3}', 'a{,3}', true],
    ['{x}', '{x}', true],
    ['[]a]', ']', true],
    ['[\\w.-]+@', 'a.b-c@', true],
    ['[&~]', '~', true],
    ['\\z', '', true],
    ['🚀?', '', true],
    ['^[^🚀]$', '日', true],
    ['(?U)a+b', 'aab', true],
  ])('%s on %j: %s', (pattern, text, expected) => {
    expect(compileRegex(pattern).test(text)).toBe(expected);
  });

  test('label matchers match all of the value, newlines included', () => {
    expect(compileRegex('a|b', { whole: true, dotAll: true }).test('ab')).toBe(false);
    expect(compileRegex('a.*', { whole: true, dotAll: true }).test('a\nb')).toBe(true);
  });

  test('names of groups by number', () => {
    expect(compileRegex('(a)(?P<x>b)(?:c)(?<y>d)').names).toEqual(['', '', 'x', 'y']);
  });

  test.each([
    ['(', 'missing closing ): `(`'],
    ['a)', 'unexpected ): `a)`'],
    ['a[b', 'missing closing ]: `[b`'],
    ['*a', 'missing argument to repetition operator: `*`'],
    ['a**', 'invalid nested repetition operator: `**`'],
    ['a{1001}', 'invalid repeat count: `{1001}`'],
    ['\\y', 'invalid escape sequence: `\\y`'],
    ['a\\', 'trailing backslash at end of expression: ``'],
    ['(?=a)', 'invalid or unsupported Perl syntax: `(?=`'],
    ['(?!a)', 'invalid or unsupported Perl syntax: `(?!`'],
    ['(?<!a)', 'invalid named capture: `(?<!a)`'],
    ['[z-a]', 'invalid character class range: `z-a`'],
    ['(?P<n', 'invalid named capture: `(?P<n`'],
  ])('%s is refused as Go does', (pattern, message) => {
    expect(() => compileRegex(pattern)).toThrow(`error parsing regexp: ${message}`);
  });
});

test.each(['([a-z_]+)+9', '(.*)*(.*)*_Z$', '^(a|a)*$', '(a*)*b', '(?i)(x+x+)+y', '(.*){1,30}[bc]'])(
  '%s takes no time on a long text',
  (pattern) => {
    const regex = compileRegex(pattern);
    const start = performance.now();
    for (const text of ['a_'.repeat(50_000), 'a'.repeat(100_000), 'x'.repeat(100_000)]) regex.exec(text);
    expect(performance.now() - start).toBeLessThan(2_000);
  },
);
