/** A class that stands for a set of characters: what to put between brackets, and how much of the pattern it took. */
interface NamedClass {
  source: string;
  length: number;
}

const PERL: Record<string, string> = {
  d: '0-9',
  D: '\\u{0}-\\u{2f}\\u{3a}-\\u{10ffff}',
  s: '\\t\\n\\f\\r ',
  S: '\\u{0}-\\u{8}\\u{b}\\u{e}-\\u{1f}\\u{21}-\\u{10ffff}',
  w: '0-9A-Za-z_',
  W: '\\u{0}-\\u{2f}\\u{3a}-\\u{40}\\u{5b}-\\u{5e}\\u{60}\\u{7b}-\\u{10ffff}',
};

const POSIX: Record<string, readonly (readonly [number, number])[]> = {
  alnum: [
    [0x30, 0x39],
    [0x41, 0x5a],
    [0x61, 0x7a],
  ],
  alpha: [
    [0x41, 0x5a],
    [0x61, 0x7a],
  ],
  ascii: [[0, 0x7f]],
  blank: [
    [9, 9],
    [0x20, 0x20],
  ],
  cntrl: [
    [0, 0x1f],
    [0x7f, 0x7f],
  ],
  digit: [[0x30, 0x39]],
  graph: [[0x21, 0x7e]],
  lower: [[0x61, 0x7a]],
  print: [[0x20, 0x7e]],
  punct: [
    [0x21, 0x2f],
    [0x3a, 0x40],
    [0x5b, 0x60],
    [0x7b, 0x7e],
  ],
  space: [
    [9, 13],
    [0x20, 0x20],
  ],
  upper: [[0x41, 0x5a]],
  word: [
    [0x30, 0x39],
    [0x41, 0x5a],
    [0x5f, 0x5f],
    [0x61, 0x7a],
  ],
  xdigit: [
    [0x30, 0x39],
    [0x41, 0x46],
    [0x61, 0x66],
  ],
};

/** `\d`, `\W` …: ASCII only, as RE2 has them. */
export function perlClass(text: string, at: number): NamedClass | undefined {
  if (text[at] !== '\\') return undefined;
  const source = PERL[text[at + 1] ?? ''];
  return source ? { source, length: 2 } : undefined;
}

/** `[:alpha:]` inside brackets; an unknown name goes to `invalid`. */
export function posixClass(text: string, at: number, invalid: (text: string) => never): NamedClass | undefined {
  const found = /^\[:(\^?)([^\]]*?):\]/.exec(text.slice(at));
  if (!found) return undefined;
  const ranges = POSIX[found[2] ?? ''];
  if (!ranges) return invalid(found[0]);
  return { source: rangesSource(found[1] ? inverted(ranges) : ranges), length: found[0].length };
}

/** `\pL`, `\p{Greek}`, `\P{^Lu}`: general categories and scripts. */
export function namedClass(text: string, at: number, invalid: (text: string) => never): NamedClass | undefined {
  const found = /^\\([pP])(?:\{(\^?)([^}]*)\}|(.))/u.exec(text.slice(at));
  if (!found) return undefined;
  const name = found[3] ?? found[4] ?? '';
  const negated = (found[1] === 'P') !== (found[2] === '^');
  for (const property of name === 'Any' ? ['Any'] : [`General_Category=${name}`, `Script=${name}`]) {
    const source = `\\${negated ? 'P' : 'p'}{${property}}`;
    try {
      new RegExp(source, 'u');
      return { source, length: found[0].length };
    } catch {
      // Not of this kind.
    }
  }
  return invalid(found[0]);
}

/** The range with the other cases of its letters. */
export function foldedRange(low: number, high: number): string {
  const ranges: [number, number][] = [[low, high]];
  for (const [from, to, shift] of [
    [0x41, 0x5a, 32],
    [0x61, 0x7a, -32],
  ] as const) {
    const start = Math.max(low, from);
    const end = Math.min(high, to);
    if (start <= end) ranges.push([start + shift, end + shift]);
  }
  // Beyond ASCII letter by letter, so only ranges of a sensible size.
  if (high > 0x7f && high - low <= 1024) {
    for (let point = Math.max(low, 0x80); point <= high; point++) {
      const char = String.fromCodePoint(point);
      for (const other of [char.toLowerCase(), char.toUpperCase()]) {
        const folded = other.codePointAt(0) ?? point;
        if ([...other].length === 1 && folded !== point) ranges.push([folded, folded]);
      }
    }
  }
  return rangesSource(ranges);
}

function rangesSource(ranges: readonly (readonly [number, number])[]): string {
  return ranges.map(([low, high]) => `\\u{${low.toString(16)}}-\\u{${high.toString(16)}}`).join('');
}

function inverted(ranges: readonly (readonly [number, number])[]): [number, number][] {
  const gaps: [number, number][] = [];
  let next = 0;
  for (const [low, high] of ranges) {
    if (low > next) gaps.push([next, low - 1]);
    next = high + 1;
  }
  gaps.push([next, 0x10ffff]);
  return gaps;
}
