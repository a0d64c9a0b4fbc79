/** One way to correct a query: the corrected text, or undefined where it does not apply. `at`: offset of the first fault. */
export interface Fix {
  /** Why, as the end of a sentence: "matchers are separated by commas." */
  reason: string | ((query: string) => string);
  apply: (query: string, at: number) => string | undefined;
}

const ROUNDS = 5;

/** Correcting is for what people and models write: longer queries, and runs of blanks that nobody types, are not searched. */
const LONGEST = 2_000;
const BLANKS = /\s{33}/;

/**
 * Corrects step by step: a fix that makes the query readable wins; else the one that moves the first fault furthest on.
 * What comes back is read without fault. `faultAt`: offset of the first fault, undefined for none.
 */
export function repair(
  query: string,
  fixes: readonly Fix[],
  faultAt: (query: string) => number | undefined,
): { query: string; reason: string } | undefined {
  // The fixes look for blanks in many ways at once; what they cost grows with the longest run of them.
  if (query.length > LONGEST || BLANKS.test(query)) return undefined;
  let current = query;
  let reason: string | undefined;
  let at = faultAt(query);
  for (let round = 0; round < ROUNDS && at !== undefined; round++) {
    let best: { query: string; at: number; reason: string } | undefined;
    for (const fix of fixes) {
      const next = fix.apply(current, at);
      if (next === undefined || next === current) continue;
      const nextAt = faultAt(next);
      const why = typeof fix.reason === 'string' ? fix.reason : fix.reason(current);
      if (nextAt === undefined) return { query: next, reason: reason ?? why };
      if (nextAt > (best?.at ?? at)) best = { query: next, at: nextAt, reason: why };
    }
    if (best === undefined) return undefined;
    current = best.query;
    at = best.at;
    reason ??= best.reason;
  }
  return undefined;
}

const INVISIBLE = /[\u00a0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff]/;

/** Offset of the first character outside quotes that looks like a blank, or like nothing, and is neither. */
export function invisibleAt(query: string): number | undefined {
  const at = outsideQuotes(query).search(INVISIBLE);
  return at === -1 ? undefined : at;
}

/** Faults of typing that every query language shares. */
export const TYPING_FIXES: readonly Fix[] = [
  {
    reason: (query) => {
      const at = outsideQuotes(query).search(INVISIBLE);
      const code = (query.charCodeAt(at) || 0).toString(16).toUpperCase().padStart(4, '0');
      return `an invisible character (U+${code} at column ${Array.from(query.slice(query.lastIndexOf('\n', at) + 1, at)).length + 1}) stands where a blank belongs.`;
    },
    apply: (query) => {
      const plain = outsideQuotes(query);
      return [...plain.matchAll(new RegExp(INVISIBLE.source, 'g'))].reduceRight((text, found) => {
        const zero = /[\u200b-\u200f\u2060-\u2064\ufeff]/.test(found[0]);
        return text.slice(0, found.index) + (zero ? '' : ' ') + text.slice(found.index + 1);
      }, query);
    },
  },
  {
    reason: 'strings stand in plain double quotes, not in typographic ones.',
    apply: (query) => {
      if (!/[\u2018-\u201f\u00ab\u00bb]/.test(query)) return undefined;
      const plain = query
        .replace(/[\u201c\u201d\u201e\u201f\u00ab\u00bb]/g, '"')
        .replace(/[\u2018\u2019\u201a\u201b]/g, "'");
      return plain.replace(/([=~(,|]\s*)'([^'"\n]*)'/g, '$1"$2"');
    },
  },
];

/** The query with quoted parts blanked, offsets kept. */
export function outsideQuotes(query: string): string {
  return query.replace(
    /"(?:[^"\\\n]|\\.)*"|`[^`]*`|'(?:[^'\\\n]|\\.)*'/g,
    (quoted) => quoted[0] + ' '.repeat(quoted.length - 2) + quoted[0],
  );
}

/** Closing brackets that are missing, added at the end in the right order. */
export function closeBrackets(query: string): string {
  const open: string[] = [];
  for (const c of outsideQuotes(query)) {
    if (c === '(') open.push(')');
    else if (c === '{') open.push('}');
    else if (c === '[') open.push(']');
    else if (c === open.at(-1)) open.pop();
  }
  return query.trimEnd() + open.reverse().join('');
}
