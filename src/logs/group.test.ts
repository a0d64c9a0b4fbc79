import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupLines, OTHER } from './group.ts';

/** Groups as sets of line numbers, whatever the groups are called. */
function partition(lines: readonly string[]): string[] {
  const sets = new Map<number, number[]>();
  for (const [i, id] of groupLines(lines).ids.entries()) sets.set(id, [...(sets.get(id) ?? []), i]);
  return [...sets.values()].map((set) => set.join(',')).sort();
}
const together = (...lines: string[]) => new Set(groupLines(lines).ids).size === 1;

const WORDS = ['connection', 'closed', 'opened', 'to', 'from', 'user', 'failed', 'for', 'pool', 'is', 'full', 'retry'];
const line = fc
  .array(
    fc.oneof(fc.constantFrom(...WORDS), fc.nat(9999).map(String), fc.constantFrom('10.1.2.3:80', 'blk_-17', '[7]')),
    {
      minLength: 1,
      maxLength: 8,
    },
  )
  .map((tokens) => tokens.join(' '));
const lines = fc.array(line, { minLength: 1, maxLength: 60 });

describe('grouping does not depend on', () => {
  it('the order of the lines', () =>
    fc.assert(
      fc.property(lines, fc.infiniteStream(fc.nat()), (given, keys) => {
        const order = given
          .map((_, i) => ({ i, key: keys.next().value ?? 0 }))
          .sort((a, b) => a.key - b.key || a.i - b.i);
        const back = new Map(order.map(({ i }, place) => [place, i]));
        const renamed = partition(order.map(({ i }) => given[i] ?? '')).map((set) =>
          set
            .split(',')
            .map((place) => back.get(Number(place)) ?? -1)
            .sort((a, b) => a - b)
            .join(','),
        );
        expect(renamed.sort()).toEqual(partition(given));
      }),
    ));
  it('numbers, ids and addresses', () =>
    fc.assert(
      fc.property(lines, fc.integer({ min: 1, max: 8 }), (given, by) => {
        const renamed = given.map((text) => text.replace(/\d/g, (d) => String((Number(d) + by) % 10)));
        expect(partition(renamed)).toEqual(partition(given));
      }),
    ));
  it('words that stand before every line', () =>
    fc.assert(
      fc.property(lines, (given) => {
        expect(partition(given.map((text) => `node alpha ${text}`))).toEqual(partition(given));
      }),
    ));
});

describe('lines', () => {
  it.each([
    ['Received block blk_-16 of size 911 from /10.250.1.2', 'Received block blk_38 of size 67 from /10.1.9.2'],
    [
      'level=error msg="pool exhausted" in_use=50',
      'time=2026-11-30T10:00:00Z level=error msg="pool exhausted" in_use=7',
    ],
    ['{"level":"info","msg":"charge ok","amount":1.5}', '{"msg":"charge ok","level":"INFO","amount":2,"x":{"y":1}}'],
    ['2026-11-30 10:00:00,123 INFO took 35ms', '2026-12-01 11:30:09,001 INFO took 4s'],
    ['Dec 10 06:55:46 host sshd[24200]: closed by 1.2.3.4', 'Dec  9 16:05:06 host sshd[1]: closed by 5.6.7.8'],
    ['ids: 1, 2, 3', 'ids: 4'],
    ['at fe80::1ff:fe23:4567:890a%eth2', 'at fe80::9ff:fe23:1:2%eth2'],
    [
      'java.lang.IllegalState: no stock 7\n\tat a.B.c(B.java:1)',
      'java.lang.IllegalState: no stock 9\n\tat x.Y.z(Y.java:2)',
    ],
    ['open file /var/log/app/one.log failed', 'open file /srv/two/three.txt failed'],
  ])('%s | %s fall together', (a, b) => expect(together(a, b)).toBe(true));

  it.each([
    ['connection 7 opened', 'connection 7 closed'],
    ['login success for 7', 'login failure for 7'],
    ['exit(1)', 'open(3)'],
    ['level=error msg="pool exhausted"', 'level=error msg="charge declined"'],
    ['{"level":"info","msg":"done"}', '{"level":"error","msg":"done"}'],
    ['failed: x\nCaused by: java.sql.SQLException', 'failed: x\nCaused by: java.io.IOException'],
  ])('%s | %s stay apart', (a, b) =>
    expect(together(...Array.from({ length: 50 }, () => a), ...Array.from({ length: 50 }, () => b))).toBe(false),
  );

  it('with many names at one place fall together, with few states there they do not', () => {
    const names = ['anna', 'bob', 'carol', 'dave', 'erin', 'frank'].map(
      (name) => `session opened for user ${name} by root`,
    );
    expect(together(...names)).toBe(true);
    const states = ['up', 'down'].flatMap((state) => Array.from({ length: 9 }, () => `link of port is ${state} now`));
    expect(groupLines(states).templates.map(({ count }) => count)).toEqual([9, 9]);
  });
});

describe('bounds', () => {
  it('groups beyond the cap are one more', () => {
    const many = Array.from({ length: 30 }, (_, i) => `${'ab'.repeat(i + 1)} ${'x '.repeat(i)}`);
    const { templates, ids } = groupLines(many, { most: 10 });
    expect(templates.at(-1)).toEqual({ template: OTHER, count: 20 });
    expect(Math.max(...ids)).toBe(10);
  });
  it.each([
    ['one long line', ['a'.repeat(1_000_000)]],
    ['a long line of numbers', ['1 '.repeat(500_000)]],
    ['quotes', ['"'.repeat(1_000_000), '{"'.repeat(300_000)]],
    ['pairs', ['a=b '.repeat(250_000)]],
    [
      'lines without a pattern',
      Array.from({ length: 50_000 }, (_, i) => i.toString(2).replace(/0/g, 'a ').replace(/1/g, 'b ')),
    ],
  ])('%s take little time', (_what, given) => {
    const start = performance.now();
    groupLines(given);
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});
