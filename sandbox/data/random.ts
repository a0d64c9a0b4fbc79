/** A number in [0, 1) each call; the same sequence for the same parts. */
export type Random = () => number;

/** mulberry32 over a hash of the parts: fast, good enough for a stand-in, and the same on every machine. */
export function random(...parts: (number | string)[]): Random {
  let state = hash(...parts);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** FNV-1a with a final mix; unsigned 32 bit. Numbers are mixed as their low and high halves. */
export function hash(...parts: (number | string)[]): number {
  let h = 0x811c9dc5;
  for (const part of parts) {
    if (typeof part === 'number') {
      h = Math.imul(h ^ (part | 0), 0x01000193);
      h = Math.imul(h ^ Math.floor(part / 4_294_967_296), 0x01000193);
    } else {
      for (let i = 0; i < part.length; i++) h = Math.imul(h ^ part.charCodeAt(i), 0x01000193);
    }
    h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  }
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Noise in [0, 1) for closed forms, where a sequence would be too slow. */
export function noise(a: number, b: number): number {
  let h = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b + 0x7f4a7c15, 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  return ((h ^ (h >>> 13)) >>> 0) / 4_294_967_296;
}

/** About normal: mean 0, deviation 1. */
export function gauss(next: Random): number {
  return (next() + next() + next() + next() - 2) * 1.732;
}

export function pick<T>(list: readonly T[], index: number): T {
  const item = list[((Math.trunc(index) % list.length) + list.length) % list.length];
  if (item === undefined) throw new RangeError('pick from an empty list');
  return item;
}

/** `digits` is a multiple of 4. */
export function hex(next: Random, digits: number): string {
  let text = '';
  while (text.length < digits) text += HEX4[Math.floor(next() * 65_536)];
  return text;
}
// A table: Number.toString(16) is slow enough to show in a scan of all lines.
const HEX4 = Array.from({ length: 65_536 }, (_, i) => i.toString(16).padStart(4, '0'));
