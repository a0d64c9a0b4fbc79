import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  goQuote,
  parseBytes,
  parseGoDuration,
  parseGoFloat,
  parsePromDuration,
  showFloat,
  showGoDuration,
  showPromDuration,
} from './units.ts';

const ms = fc.integer({ min: 0, max: 10 ** 12 });

describe('durations', () => {
  test('what is written is read back', () => {
    fc.assert(
      fc.property(ms, (value) => {
        expect(parsePromDuration(showPromDuration(value * 1e6))).toBe(value * 1e6);
        expect(parseGoDuration(showGoDuration(value * 1e6))).toBeCloseTo(value * 1e6, 0);
      }),
    );
  });

  test.each<[string, number]>([
    ['1h2m3s', 3723e9],
    ['1.5ms', 1.5e6],
    ['-100µs', -1e5],
    ['0', 0],
    ['.5s', 5e8],
  ])('Go reads %s', (text, ns) => expect(parseGoDuration(text)).toBe(ns));

  test.each([
    ['x', 'time: invalid duration "x"'],
    ['1', 'time: missing unit in duration "1"'],
    ['1d', 'time: unknown unit "d" in duration "1d"'],
    ['', 'time: invalid duration ""'],
  ])('Go refuses %j', (text, message) => expect(() => parseGoDuration(text)).toThrow(message));

  test.each<[number, string]>([
    [721 * 3600e9, '30d1h'],
    [960.5 * 3600e9, '40d30m'],
    [14 * 86400e9, '2w'],
    [90e9, '1m30s'],
    [0, '0s'],
  ])('Prometheus writes %d ns as %s', (ns, text) => expect(showPromDuration(ns)).toBe(text));
});

describe('numbers', () => {
  test('Go never writes an exponent, and loses nothing', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = showFloat(value);
        expect(text).not.toContain('e');
        expect(Number(text)).toBe(value);
      }),
    );
  });

  test.each<[string, number]>([
    ['1.5GiB', 1.5 * 1024 ** 3],
    ['8KB', 8000],
    ['8 kb', 8000],
    ['512', 512],
    ['1,024B', 1024],
    ['2M', 2e6],
  ])('bytes %s', (text, bytes) => expect(parseBytes(text)).toBe(bytes));

  test.each([
    ['1e400', 'strconv.ParseFloat: parsing "1e400": value out of range'],
    ['1_000', 'strconv.ParseFloat: parsing "1_000": invalid syntax'],
    ['12ms', 'strconv.ParseFloat: parsing "12ms": invalid syntax'],
  ])('no float: %s', (text, message) => expect(() => parseGoFloat(text)).toThrow(message));
});

test('quotes as Go does', () => {
  expect(goQuote('a"b\\\n\u001b日🚀')).toBe('"a\\"b\\\\\\n\\x1b日🚀"');
});
