import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bytes, duration, flag, list, rate, showValue } from './values.ts';

test('what is shown is read as the same value', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10 ** 12 }), (n) => {
      expect(duration.parse(showValue(n, 'duration'))).toBe(n);
      expect(bytes.parse(showValue(n, 'size'))).toBe(n);
    }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10 ** 6 }), fc.constantFrom(1000, 60_000, 3_600_000), (count, per) => {
      const read = rate.parse(showValue({ count, per }, 'rate'));
      expect(count === 0 ? read.count : read).toEqual(count === 0 ? 0 : { count, per });
    }),
  );
});

test.each<[string, { parse: (value: unknown) => unknown }, unknown, unknown]>([
  ['a bare number is seconds', duration, 45, 45_000],
  ['also as text', duration, '45', 45_000],
  ['ms', duration, '500ms', 500],
  ['parts of an hour', duration, '1.5h', 5_400_000],
  ['sizes are powers of 1024', bytes, '32MB', 33_554_432],
  ['without regard to case', bytes, '5 gb', 5_368_709_120],
  ['no rate', rate, '0', { count: 0, per: 60_000 }],
  ['per minute unless said', rate, 30, { count: 30, per: 60_000 }],
  ['yes', flag, 'Yes', true],
  ['false', flag, false, false],
  ['a list loses its empty places', list, ' a ,,b', ['a', 'b']],
])('%s', (_, reader, given, value) => {
  expect(reader.parse(given)).toEqual(value);
});

test.each([
  [duration, '-1s'],
  [duration, -1],
  [duration, '1 week'],
  [bytes, '5PB'],
  [rate, '5/day'],
  [flag, 'maybe'],
])('%# is refused', (reader, given) => {
  expect(reader.safeParse(given).success).toBe(false);
});
