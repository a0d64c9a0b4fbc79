import { expect, test, vi } from 'vitest';
import { createCache } from './cache.ts';

const open = () => new AbortController().signal;
const flush = () => new Promise((resolve) => setTimeout(resolve, 0));

test('a value lives as long as its kind says, and its age is told', async () => {
  let now = 1_000_000;
  const cache = createCache(() => now);
  const load = vi.fn(async () => `loaded at ${now}`);
  const get = () => cache.get('labels', 'k', open(), load);
  expect(await get()).toEqual({ value: 'loaded at 1000000', ageMs: 0 });
  now += 59_999;
  expect(await get()).toEqual({ value: 'loaded at 1000000', ageMs: 59_999 });
  now += 1;
  expect(await get()).toEqual({ value: 'loaded at 1060000', ageMs: 0 });
  expect(cache.stats()).toEqual({ hits: 1, misses: 2, entries: 1 });
});

test('kinds and keys do not mix, and a failure is not kept', async () => {
  const cache = createCache();
  const load = vi.fn().mockRejectedValueOnce(new Error('no')).mockResolvedValue('yes');
  await expect(cache.get('labels', 'k', open(), load)).rejects.toThrow('no');
  expect((await cache.get('labels', 'k', open(), load)).value).toBe('yes');
  await cache.get('health', 'k', open(), load);
  await cache.get('labels', 'k2', open(), load);
  expect(load).toHaveBeenCalledTimes(4);
});

test('identical concurrent loads are one, and one who leaves does not end it for the others', async () => {
  const cache = createCache();
  let finish: (value: string) => void = () => {};
  let signal: AbortSignal | undefined;
  const load = vi.fn((s: AbortSignal) => {
    signal = s;
    return new Promise<string>((resolve) => {
      finish = resolve;
    });
  });
  const first = new AbortController();
  const one = cache.get('labels', 'k', first.signal, load);
  const two = cache.get('labels', 'k', open(), load);
  first.abort();
  await expect(one).rejects.toMatchObject({ code: 'cancelled' });
  expect(signal?.aborted).toBe(false);
  finish('done');
  expect((await two).value).toBe('done');
  expect(load).toHaveBeenCalledTimes(1);
});

test('when the last one leaves, the load is aborted, and a newcomer starts afresh', async () => {
  const cache = createCache();
  const signals: AbortSignal[] = [];
  const load = vi.fn((s: AbortSignal) => {
    signals.push(s);
    return new Promise<string>((resolve, reject) => {
      s.addEventListener('abort', () => setTimeout(() => reject(new Error('aborted')), 1));
      if (signals.length === 2) resolve('second');
    });
  });
  const leaver = new AbortController();
  const one = cache.get('labels', 'k', leaver.signal, load);
  leaver.abort();
  const two = cache.get('labels', 'k', open(), load);
  await expect(one).rejects.toMatchObject({ code: 'cancelled' });
  expect((await two).value).toBe('second');
  expect(signals.map((s) => s.aborted)).toEqual([true, false]);
  await flush();
});

test('a bound on what is kept: many values, or few heavy ones', async () => {
  const cache = createCache();
  for (let i = 0; i < 2100; i++) await cache.get('labels', `k${i}`, open(), async () => ['a']);
  expect(cache.stats().entries).toBe(2000);
  const heavy = createCache();
  for (let i = 0; i < 20; i++) await heavy.get('labels', `k${i}`, open(), async () => new Array(100_000).fill('x'));
  expect(heavy.stats().entries).toBe(4);
});
