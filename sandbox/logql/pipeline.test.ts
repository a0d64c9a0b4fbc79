import { describe, expect, test } from 'vitest';
import { memoryLogStore } from '../data/memory-logs.ts';
import type { Labels } from '../data/store.ts';
import { evaluateLogs } from './logs.ts';
import { parseQuery } from './parse.ts';

/** Lines that are left, and the labels beside the stream's. */
function run(stages: string, line: string, metadata?: Labels): { line: string; labels: Labels } | undefined {
  const store = memoryLogStore([
    { labels: { app: 'a' }, ts: 1_796_032_800_123_456_789n, line, ...(metadata === undefined ? {} : { metadata }) },
  ]);
  const query = parseQuery(`{app="a"} ${stages}`);
  if (query.kind !== 'log') throw new Error('not a log query');
  const window = { start: 0n, end: 2n ** 62n, limit: 10, direction: 'forward', interval: 0n } as const;
  const stream = evaluateLogs(query, store, window).streams[0];
  if (stream === undefined) return undefined;
  const { app, ...labels } = stream.labels;
  return { line: stream.entries[0]?.line ?? '', labels: app === 'a' ? labels : { app: app ?? '(none)', ...labels } };
}
const labels = (stages: string, line: string, metadata?: Labels): Labels | undefined =>
  run(stages, line, metadata)?.labels;

describe('line filters', () => {
  test.each<[string, string, boolean]>([
    ['|= "b"', 'abc', true],
    ['!= "b"', 'abc', false],
    ['|= "x" or "b"', 'abc', true],
    ['!= "x" or "b"', 'abc', false],
    ['|~ "^a.c$"', 'abc', true],
    ['!~ "(?i)ABC"', 'abc', false],
    ['|> "<_>b<_>"', 'abc', true],
    ['|> "<_>b<_>"', 'bc', false],
    ['|> "a<_>"', 'ab', true],
    ['!> "a<_>"', 'ba', true],
    ['|= ip("10.0.0.0/8")', 'from 10.1.2.3:80 ok', true],
    ['|= ip("10.0.0.5-10.0.0.9")', 'from 10.0.0.10', false],
    ['|= ip("2001:db8::/32")', 'ip=2001:db8::1 x', true],
    ['!= ip("10.0.0.1")', 'no address', true],
    ['|= "B" | line_format "B" |= "B"', 'abc', false],
    ['| line_format "B" |= "B"', 'abc', true],
  ])('%s on %j: %s', (stages, line, kept) => expect(run(stages, line) !== undefined).toBe(kept));
});

describe('parsers', () => {
  test.each<[string, string, Labels]>([
    [
      '| logfmt',
      'a=1 b="x y" c= d e="q\\"r" app=z 2x=5 f.g=h',
      { a: '1', b: 'x y', e: 'q"r', app_extracted: 'z', _2x: '5', f_g: 'h' },
    ],
    ['| logfmt --keep-empty', 'a=1 b= c', { a: '1', b: '', c: '' }],
    ['| logfmt', 'a=1 b"x" c=2', { a: '1', c: '2' }],
    [
      '| logfmt --strict',
      'a=1 b="x',
      {
        a: '1',
        __error__: 'LogfmtParserErr',
        __error_details__: 'logfmt syntax error at pos 9 : unterminated quoted value',
      },
    ],
    ['| logfmt x="a", y="nope"', 'a=1', { x: '1', y: '' }],
    [
      '| json',
      '{"a":{"b-c":{"d":1}},"e":[1],"f":null,"g":true,"h":"\\u00e9\\n","app":"z"}',
      { a_b_c_d: '1', g: 'true', h: 'é\n', app_extracted: 'z' },
    ],
    [
      '| json x="a[1].b", y="a[0]", z="c[\\"d e\\"]"',
      '{"a":[1.50,{"b":"v"}],"c":{"d e":{"k":1}}}',
      { x: 'v', y: '1.50', z: '{"k":1}' },
    ],
    ['| json', '{"a":1,', { a: '1', __error__: 'JSONParserErr', __error_details__: 'Malformed JSON error' }],
    ['| pattern "<a> - <_> [<b>] <c>"', 'x - y [z w] rest of it', { a: 'x', b: 'z w', c: 'rest of it' }],
    ['| pattern "no <a>"', 'yes x', {}],
    ['| regexp "(?P<a>\\\\d+)(?P<b>x)?"', 'n 12', { a: '12', b: '' }],
    ['| unpack', '{"k":"v","n":1,"_entry":"the line"}', { k: 'v' }],
    ['| unpack', '{"k":"v"}', {}],
  ])('%s on %j', (stages, line, expected) => expect(labels(stages, line)).toEqual(expected));

  test('unpack gives the packed line', () => expect(run('| unpack', '{"_entry":"the line"}')?.line).toBe('the line'));
  test('metadata wins over a parsed label', () => {
    expect(labels('| logfmt', 'pod=x', { pod: 'p', app: 'm' })).toEqual({
      pod: 'p',
      pod_extracted: 'x',
      app_extracted: 'm',
    });
  });
});

describe('label filters', () => {
  const line = 'status=503 took=1.5s size=2KiB ip=10.0.0.7 level=error';
  test.each<[string, boolean]>([
    ['status>=500', true],
    ['status=503', true],
    ['status!="503"', false],
    ['took>1s500ms', false],
    ['took>=1s500ms', true],
    ['size==2048B', true],
    ['size>2KB', true],
    ['ip=ip("10.0.0.0/24")', true],
    ['ip!=ip("10.0.0.0/24")', false],
    ['nope>1', false],
    ['nope=""', true],
    ['level="x" or status>500 and took<1s', false],
    ['(level="x" or status>500) and took<2s', true],
    ['level=~"err"', false],
    ['level="error", status<500', false],
  ])('%s: %s', (filter, kept) => expect(labels(`| logfmt | ${filter}`, line) !== undefined).toBe(kept));

  test.each([
    ['status > 5ms', 'time: missing unit in duration "503"'],
    ['level > 5', 'strconv.ParseFloat: parsing "error": invalid syntax'],
    ['level > 5KB', 'strconv.ParseFloat: parsing "": invalid syntax'],
  ])('%s marks the line instead of dropping it', (filter, details) => {
    expect(labels(`| logfmt | ${filter}`, line)).toMatchObject({
      __error__: 'LabelFilterErr',
      __error_details__: details,
    });
    expect(labels(`| logfmt | ${filter} | __error__=""`, line)).toBeUndefined();
    expect(labels(`| logfmt | ${filter} | drop __error__, __error_details__`, line)).not.toHaveProperty('__error__');
  });
});

describe('formats', () => {
  test.each<[string, Labels]>([
    ['label_format b=a', { b: '1' }],
    ['label_format b="{{.a}}-{{.c}}"', { a: '1', b: '1-' }],
    ['label_format b="{{.a}}", c=b', { a: '1', c: '1' }],
    ['label_format app="x"', { app: 'x', a: '1' }],
    ['drop app', { app: '(none)', a: '1' }],
    ['drop a="2"', { a: '1' }],
    ['keep a', { app: '(none)', a: '1' }],
    ['keep app, a=~"2"', {}],
  ])('%s', (stage, expected) => expect(labels(`| logfmt | ${stage}`, 'a=1')).toEqual(expected));

  test('decolorize', () => expect(run('| decolorize', '\u001b[1;31mERR\u001b[0m x')?.line).toBe('ERR x'));

  const line = 'level=error msg="Hello, World" took=1500ms size=2KB n=7 path=/a/b';
  test.each<[string, string]>([
    ['{{.level}} {{ .nope }}|', 'error |'],
    ['{{ .level | ToUpper | printf "%-7s|" }}', 'ERROR  |'],
    ['{{ if and (eq .level "error") (hasPrefix "Hello" .msg) }}E{{ else if .nope }}N{{ else }}-{{ end }}', 'E'],
    ['{{ if .nope }}N{{ else if .level }}L{{ end }}', 'L'],
    ['{{ with .level }}[{{ . }}]{{ end }}', '[error]'],
    ['{{ $x := .n }}{{ range $i, $e := fromJson "[1,2]" }}{{ $i }}:{{ $e }},{{ end }}{{ $x }}', '0:1,1:2,7'],
    ['a  {{- .n -}}  b', 'a7b'],
    ['{{/* nothing */}}{{ trunc 3 .level }}{{ trunc -3 .level }}', 'errror'],
    ['{{ add .n 1 }} {{ mul 2 .n }} {{ mod 7 4 }} {{ divf 1 4 }} {{ round 3.14159 2 }}', '8 14 3 0.25 3.14'],
    ['{{ duration .took }} {{ bytes .size }} {{ int "12" }} {{ float64 "1.5" }}', '1.5 2000 12 1.5'],
    ['{{ regexReplaceAll "(l+)o" .msg "<$1>" }}', 'He<ll>, World'],
    ['{{ regexReplaceAllLiteral "l+" .msg "$1" }}', 'He$1o, Wor$1d'],
    ['{{ .path | trimPrefix "/a" | replace "b" "c" }} {{ substr 0 2 .path }} {{ repeat 2 "x" }}', '/c /a xx'],
    ['{{ alignLeft 3 .n }}|{{ alignRight 3 .n }}|{{ alignRight 2 .level }}', '7  |  7|or'],
    ['{{ default "d" .nope }} {{ count "l" .msg }} {{ len .level }} {{ title "ab cd" }}', 'd 3 5 Ab Cd'],
    ['{{ urlencode "a b&c" }} {{ urldecode "a+b%26c" }} {{ b64enc "x" }} {{ b64dec "eA==" }}', 'a+b%26c a b&c eA== x'],
    [
      '{{ __timestamp__ | date "2006-01-02T15:04:05.000Z07:00" }} {{ unixEpoch __timestamp__ }}',
      '2026-11-30T10:00:00.123Z 1796032800',
    ],
    ['{{ __line__ | lower | trunc 5 }} {{ printf "%05d|%.2f|%q" 42 1.0 "x" }}', 'level 00042|1.00|"x"'],
    ['{{ .level | contains "rr" }} {{ not .nope }} {{ or .nope .n }} {{ ne .n "7" }}', 'true true 7 false'],
  ])('line_format %s', (template, expected) => {
    expect(run(`| logfmt | line_format \`${template}\``, line)?.line).toBe(expected);
  });

  test.each([
    ['{{.a', 'invalid line template: template: line:1: unclosed action'],
    ['{{ nosuch .a }}', 'invalid line template: template: line:1: function "nosuch" not defined'],
    ['{{ if .a }}x', 'invalid line template: template: line:1: unexpected EOF'],
    ['{{ end }}', 'invalid line template: template: line:1: unexpected {{end}}'],
    ['{{ }}', 'invalid line template: template: line:1: missing value for command'],
  ])('line_format %s is refused', (template, message) => {
    expect(() => run(`| line_format \`${template}\``, 'x')).toThrow(
      `parse error : stage '| line_format ${JSON.stringify(template)}' : ${message}`,
    );
  });
});
