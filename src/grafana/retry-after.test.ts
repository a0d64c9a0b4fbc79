import { expect, test } from 'vitest';
import { retryAfterMs } from './retry-after.ts';

test('Retry-After in seconds, as a date, and unreadable', () => {
  const inAMinute = retryAfterMs(new Date(Date.now() + 60_000).toUTCString()) ?? 0;
  expect(inAMinute).toBeGreaterThan(58_000);
  expect(inAMinute).toBeLessThanOrEqual(60_000);
  expect(['7', ' 0 ', 'Thu, 01 Jan 1970 00:00:00 GMT', 'soon', '', undefined].map(retryAfterMs)).toEqual([
    7000,
    0,
    0,
    undefined,
    undefined,
    undefined,
  ]);
});
