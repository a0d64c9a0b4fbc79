import { markPlace, offsetOf, quoteServer } from '../answer/problem.ts';
import { checkPromql, UNREADABLE } from './promql.ts';
import { promqlUsage } from './usage.ts';

export interface Explained {
  message: string;
  /** The query with the place marked, where one is known. */
  lines: string[];
  /** The server's own words, where the sentence does not hold them all. */
  said?: string[];
  /** `try: <query>`, which the grammar reads, or a sentence. */
  remedy?: string;
  kind: 'syntax' | 'limit' | 'other';
}

/** Prometheus's refusal in words. `text`: the body as it came, JSON or not, or the `error` out of it. */
export function explainPromError(query: string, status: number, text: string): Explained {
  const own = errorText(text).replace(/^(?:bad_data: )?(?:invalid parameter "(?:query|match\[\])": )?/, '');
  const syntax = /^(?:(\d+):(\d+): )?parse error: ([\s\S]*)$/.exec(own);
  if (syntax) return explainSyntax(query, syntax);
  for (const [pattern, message, remedy] of RULES) {
    if (pattern.test(own))
      return {
        message,
        lines: [],
        remedy,
        kind: /limit|resolution|many samples|timed out/.test(own) ? 'limit' : 'syntax',
      };
  }
  const { quoted, said } = quoteServer(own);
  const message = `Prometheus answered ${status} ${own.trim() === '' ? 'without a word' : quoted}.`;
  return { message, lines: [], ...(said === undefined ? {} : { said }), kind: 'other' };
}

function explainSyntax(query: string, found: RegExpExecArray): Explained {
  const checked = checkPromql(query).problem;
  const place = found[1] === undefined ? checked : { line: Number(found[1]), column: Number(found[2]) };
  const words = found[3] ?? '';
  const known =
    checked !== undefined &&
    (checked.remedy !== undefined || /^unexpected|empty/.test(words)) &&
    checked.message !== UNREADABLE
      ? checked.message
      : undefined;
  const theirs = quoteServer(words);
  const reason = known ?? `${theirs.quoted}.`;
  const at = place ? ` (line ${place.line}, column ${place.column})` : '';
  return {
    message: `Prometheus cannot read this query${at}: ${reason}`,
    lines: place && query.trim() !== '' ? markPlace(query, place.line, place.column) : [],
    ...(known !== undefined || theirs.said === undefined ? {} : { said: theirs.said }),
    remedy: checked?.remedy === undefined ? inWords(query, words, place) : `try: ${checked.remedy}`,
    kind: 'syntax',
  };
}

/** What to do where no correction was found. */
function inWords(query: string, said: string, place: { line: number; column: number } | undefined): string {
  for (const [pattern, words] of ADVICE) if (pattern.test(said)) return words;
  return promqlUsage(query, place === undefined ? query.length : offsetOf(query, place.line, place.column));
}

const ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /error parsing regexp/,
    'Regular expressions are RE2: a literal bracket or dot is written \\\\( or \\\\. (no look-around).',
  ],
  [/set operator/, 'and, or and unless take vectors on both sides; a number becomes one as vector(1).'],
  [/must not be set twice/, 'Name the metric once: metric{…}, or {__name__="metric"}.'],
  [/non-empty matcher/, 'Add a metric name, or a matcher with a value.'],
];

function errorText(text: string): string {
  if (!text.trimStart().startsWith('{')) return text.trim();
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string')
      return body.error;
  } catch {
    // Not JSON after all: shown as it is.
  }
  return text.trim();
}

const RULES: readonly (readonly [RegExp, string, string])[] = [
  [
    /query resolution step widths are not accepted/,
    'The step must be longer than nothing.',
    'Leave step out, or give one such as "30s".',
  ],
  [
    /cannot parse "[^"]{0,100}" to a valid duration/,
    'Prometheus cannot read a duration.',
    'Give it as "30s", "5m" or "1h".',
  ],
  [
    /invalid destination label name/,
    'The new label has a name that Prometheus does not allow.',
    'A name holds letters, digits and underscores and begins with no digit.',
  ],
  [
    /exceeded maximum resolution of 11,000 points/,
    'The step is too small for the window: more than 11,000 points a series.',
    'Use a larger step, or leave it out.',
  ],
  [
    /many-to-many matching not allowed/,
    'Both sides of the operator have several series for one set of labels.',
    'Match on more labels with on(…), or aggregate one side first with sum by (…).',
  ],
  [
    /many-to-one matching must be explicit/,
    'One side of the operator has several series for one of the other side.',
    'Add group_left or group_right behind on(…), or aggregate that side first.',
  ],
  [
    /invalid expression type "range vector" for range query/,
    'A range in brackets cannot be drawn over a window.',
    'Wrap it in a function of ranges, such as rate(… [5m]), or leave the brackets out.',
  ],
  [
    /query processing would load too many samples/,
    'The query would load more samples than Prometheus allows.',
    'Narrow the matchers, shorten the window or enlarge the step.',
  ],
  [
    /query timed out/,
    'Prometheus did not finish in its own time limit.',
    'Narrow the matchers, shorten the window or enlarge the step.',
  ],
  [
    /end timestamp must not be before start/,
    'The end of the window lies before its start.',
    'Give an earlier start or a later end.',
  ],
];
