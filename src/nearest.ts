/** The candidate that was probably meant, or undefined when none is close. Case, `-` and `_` do not count. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = plain(name);
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    const other = plain(candidate);
    // Each letter that one has more is a step at least: among 50,000 names this leaves few to compare.
    if (Math.abs(other.length - wanted.length) >= bestDistance) continue;
    const d = distance(wanted, other);
    if (d < bestDistance) {
      best = candidate;
      bestDistance = d;
    }
  }
  return best;
}

/** The end of a sentence: `; did you mean X?`, or a full stop. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const near = nearest(name, candidates);
  return near === undefined ? '.' : `; did you mean ${near}?`;
}

const plain = (s: string) => s.toLowerCase().replace(/[-_]/g, '');

/** Damerau–Levenshtein with adjacent transpositions. */
function distance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (beforeLast[j - 2] ?? 0) + 1 : Infinity;
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1),
        swap,
      );
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
