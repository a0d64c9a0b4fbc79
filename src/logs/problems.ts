import { markPlace, offsetOf, quoteServer } from '../answer/problem.ts';
import { outsideQuotes } from '../answer/repair.ts';
import { classifyLogql, readLogql, UNREADABLE } from './logql.ts';
import { logqlUsage } from './usage.ts';

export interface Explained {
  /** One plain sentence. */
  message: string;
  /** The query with the place marked, where one is known. */
  lines: string[];
  /** The server's own words, where the sentence does not hold them all. */
  said?: string[];
  /** `try: <query>`, which the grammar reads, or a sentence. */
  remedy?: string;
  /** What kind of refusal it is, for the code of the error. */
  kind: 'syntax' | 'limit' | 'other';
}

/** Loki's refusal in words: its place under the query, and one remedy that the grammar has read. */
export function explainLokiError(query: string, status: number, text: string): Explained {
  const own = text.trim();
  const syntax = /^parse error(?: at line (\d+), col (\d+))?\s?: ?([\s\S]*)$/.exec(own);
  if (syntax) return explainSyntax(query, Number(syntax[1] ?? 0), Number(syntax[2] ?? 0), syntax[3] ?? '');
  for (const [pattern, explain] of OTHERS) {
    const found = pattern.exec(own);
    if (found) return explain(query, found);
  }
  const { quoted, said } = quoteServer(own);
  const message = `Loki answered ${status} ${own === '' ? 'without a word' : quoted}.`;
  return { message, lines: [], ...(said === undefined ? {} : { said }), kind: 'other' };
}

function explainSyntax(query: string, line: number, column: number, said: string): Explained {
  const checked = classifyLogql(query).problem;
  const rule = RULES.find(([pattern]) => pattern.test(said));
  const remedy = checked?.remedy ?? checkedRemedy(rule?.[2]?.(query));
  // The grammar's own place serves where Loki gives none, and where its line 0 says nothing of several lines.
  const own = column === 0 || (line === 0 && query.includes('\n'));
  const place = own ? checked : { line: Math.max(1, line), column };
  // A reason is only ours when the correction for it was read; else Loki's own words are the truth.
  const known =
    checked !== undefined &&
    (checked.remedy !== undefined || (rule?.[1] === undefined && checked.message !== UNREADABLE))
      ? checked.message
      : rule?.[1];
  const theirs = quoteServer(plainReason(said));
  const reason = known ?? `${theirs.quoted}.`;
  const at = place ? ` (line ${place.line}, column ${place.column})` : '';
  return {
    message: `Loki cannot read this query${at}: ${reason}`,
    lines: place && query.trim() !== '' ? markPlace(query, place.line, place.column) : [],
    ...(known !== undefined || theirs.said === undefined ? {} : { said: theirs.said }),
    remedy: remedy === undefined ? inWords(query, said, place) : `try: ${remedy}`,
    kind: 'syntax',
  };
}

/** What to do where no correction was found. */
function inWords(query: string, said: string, place: { line: number; column: number } | undefined): string {
  for (const [pattern, words] of ADVICE) if (pattern.test(said)) return words;
  // Loki names the stage where it gives no place.
  const stage = /^stage '(\|[^']*)'/.exec(said)?.[1];
  if (stage !== undefined) return logqlUsage(stage, stage.length);
  const parser = /^invalid (\w+) parser/.exec(said)?.[1];
  if (parser !== undefined) return logqlUsage(`| ${parser} `, parser.length + 3);
  return logqlUsage(query, place === undefined ? query.length : offsetOf(query, place.line, place.column));
}

const ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /error parsing regexp/,
    'Regular expressions are RE2: a literal bracket or dot is written \\( or \\. (no look-around).',
  ],
  [/empty-compatible/, 'Add a matcher with a value, such as app="name"; list_loki_labels shows labels and values.'],
  [/input size too long/, 'Shorten it: fewer alternatives in a regular expression, or two queries.'],
];

function plainReason(said: string): string {
  return said.replace(/^syntax error: /, '').replace(/\$end/g, 'the end of the query');
}

type Rule = readonly [RegExp, string | undefined, ((query: string) => string | undefined)?];

// Loki's own rules behind "parse error :" where the grammar sees no fault.
const RULES: readonly Rule[] = [
  [
    /empty-compatible/,
    'one matcher at least must be = with a value, or =~ with a pattern that does not match the empty string.',
  ],
  [/grouping not allowed for/, 'this range aggregation takes no grouping; group around it.', groupAround],
  [
    /without unwrap/,
    'this range aggregation needs a number to work on: "| unwrap <field>" at the end of the pipeline.',
  ],
  [/input size too long/, 'the query is longer than Loki accepts.'],
  [/error parsing regexp/, undefined],
];

/** `sum_over_time(…) by (a)` → `sum by (a) (sum_over_time(…))` */
function groupAround(query: string): string | undefined {
  const found = /^([\s\S]*\))\s*(by|without)\s*(\([^)]*\))\s*$/.exec(query.trim());
  return found ? `sum ${found[2]} ${found[3]} (${found[1]})` : undefined;
}

function checkedRemedy(query: string | undefined): string | undefined {
  return query !== undefined && readLogql(query).fault === undefined ? query : undefined;
}

type Explain = (query: string, found: RegExpExecArray) => Explained;
const limit = (message: string, remedy: string): Explained => ({ message, lines: [], remedy, kind: 'limit' });

// Arguments that the gateway checks before it sends; a datasource may still be stricter.
const argument =
  (message: string, remedy: string): Explain =>
  () => ({ message, lines: [], remedy, kind: 'syntax' });

const OTHERS: readonly (readonly [RegExp, Explain])[] = [
  [/limit must be a positive value/, argument('The limit must be at least 1.', 'Call with limit=50, or leave it out.')],
  [
    /query resolution step widths are not accepted/,
    argument('The step must be longer than nothing.', 'Leave step out, or give one such as "30s".'),
  ],
  [
    /cannot parse "[^"]{0,100}" to a valid duration/,
    argument('Loki cannot read the step as a duration.', 'Give it as "30s", "5m" or "1h", or leave it out.'),
  ],
  [
    /could not parse '(?:start|end|time)' parameter/,
    argument('Loki cannot read the time.', 'Give ISO 8601, such as 2026-01-31T10:00:00Z, or now-1h.'),
  ],
  [/invalid direction/, argument('The direction is unknown to Loki.', 'Use direction="backward" or "forward".')],
  [
    /^pipeline error: '(\w+)' for series: /,
    (query, found) => {
      const remedy = checkedRemedy(skipErrors(query));
      const details = /__error_details__="((?:[^"\\]|\\.){0,200})/.exec(found.input)?.[1];
      return {
        message: `Some lines could not be read by a stage of the query (${found[1]}${details ? `: ${quoteServer(details.replace(/\\"/g, '"')).quoted}` : ''}).`,
        lines: [],
        ...(remedy === undefined ? {} : { remedy: `try, to leave those lines out: ${remedy}` }),
        kind: 'syntax',
      };
    },
  ],
  [
    /log queries are not supported as an instant query type/,
    () => ({
      message: 'Loki runs log queries over a window only.',
      lines: [],
      remedy: 'Call with start and end.',
      kind: 'syntax',
    }),
  ],
  [
    /only label matchers are supported/,
    () => ({ message: 'Only a stream selector fits here, without a pipeline.', lines: [], kind: 'syntax' }),
  ],
  [
    /max entries limit per query exceeded.*\((\d+) > (\d+)\)/,
    (_, [, asked, cap]) =>
      limit(`Loki gives ${cap} lines a query at most; ${asked} were asked.`, `Use limit=${cap} and follow the cursor.`),
  ],
  [
    /maximum (?:number )?of series \((\d+)\) reached/,
    (_, [, cap]) =>
      limit(
        `The query gives more series than Loki allows (${cap}).`,
        'Aggregate with sum by (…) or topk, add a matcher, or shorten the window.',
      ),
  ],
  [
    /query time range exceeds the limit \(query length: (\S{1,40}), limit: (\S{1,40})\)/,
    (query, [, length, cap]) => {
      const range = /\[(\w+)\]/.exec(outsideQuotes(query))?.[1];
      const sum = range === undefined ? '' : `; the range [${range}] is added to the window`;
      return limit(
        `The query reaches over ${length}, and Loki allows ${cap}${sum}.`,
        `Shorten the window${range === undefined ? '' : ' or the range'}.`,
      );
    },
  ],
  [
    /exceeded maximum resolution of 11,000 points/,
    () =>
      limit(
        'The step is too small for the window: more than 11,000 points a series.',
        'Use a larger step, or leave it out.',
      ),
  ],
  [
    /\[interval\] value exceeds limit: \[(\S{1,40})\] > \[(\S{1,40})\]/,
    (_, [, asked, cap]) =>
      limit(`The range [${asked}] is longer than Loki allows (${cap}).`, `Use a range of at most [${cap}].`),
  ],
  [
    /(?:too many bytes|too large to execute on a single querier).*?query: ([^,)]{1,24}), limit: ([^)]{1,24})\)/,
    (_, [, bytes, cap]) =>
      limit(
        `The query would read ${bytes}, and Loki allows ${cap}.`,
        'Add matchers to the selector or shorten the window.',
      ),
  ],
  [
    /missing required matchers \[([^\]]*)\]/,
    (_, [, labels]) =>
      limit(
        `This Loki wants these labels in every selector: ${quoteServer(labels ?? '').quoted}.`,
        'Add a matcher for each.',
      ),
  ],
  [
    /request timed out, decrease the duration/,
    () =>
      limit(
        'Loki did not finish in its own time limit.',
        'Shorten the window, or add label matchers, with = rather than =~.',
      ),
  ],
  [
    /too many outstanding requests/,
    () => limit("Loki's queue is full.", 'Run fewer queries at once, shorten the window, and call again.'),
  ],
  [
    /no org id/,
    () => ({
      message: 'This Loki has several tenants, and the datasource names none.',
      lines: [],
      remedy: 'Add the header X-Scope-OrgID to the datasource in Grafana; the token is not at fault.',
      kind: 'other',
    }),
  ],
];

/** `… [5m]` → `… | __error__="" [5m]` */
function skipErrors(query: string): string | undefined {
  const at = outsideQuotes(query).indexOf('[');
  return at === -1 ? undefined : `${query.slice(0, at).trimEnd()} | __error__="" ${query.slice(at)}`;
}
