import { closeBrackets, type Fix, outsideQuotes, repair, TYPING_FIXES } from '../answer/repair.ts';
import { readLogql } from './logql.ts';

/** A correction of a LogQL query that the official grammar reads, with the reason; undefined when none is known. */
export function repairLogql(query: string): { query: string; reason: string } | undefined {
  return repair(query, FIXES, (text) => readLogql(text).fault?.at);
}

const AGGREGATIONS = 'sum|avg|min|max|count|stddev|stdvar|topk|bottomk';
const RANGES =
  'rate|rate_counter|count_over_time|bytes_rate|bytes_over_time|absent_over_time|(?:sum|avg|min|max|first|last|stddev|stdvar|quantile)_over_time';

/** A fix by pattern on what stands outside quotes. */
function swap(reason: string, pattern: RegExp, to: (...found: string[]) => string): Fix {
  return {
    reason,
    apply: (query) => {
      const plain = outsideQuotes(query);
      const found = pattern.exec(plain);
      if (!found) return undefined;
      const real = found.map((group) => group ?? '');
      const start = found.index;
      real[0] = query.slice(start, start + found[0].length);
      return query.slice(0, start) + to(...real) + query.slice(start + found[0].length);
    },
  };
}

/** `app="a", env="b"` at the beginning, where the pipeline or nothing follows. */
const BARE_MATCHERS =
  /^\s*[A-Za-z_]\w*\s*(?:==?|=~|!=|!~)\s*(?:"[^"]*"|`[^`]*`)(?:\s*,\s*[A-Za-z_]\w*\s*(?:==?|=~|!=|!~)\s*(?:"[^"]*"|`[^`]*`))*(?=\s*(?:$|[|!]))/;

// In the order of trial; each is checked by the grammar before it is offered.
const FIXES: readonly Fix[] = [
  ...TYPING_FIXES,
  {
    reason: 'strings stand in double quotes or backticks, not in single quotes.',
    apply: (query) => query.replace(/'([^'"\n]*)'/g, '"$1"'),
  },
  {
    reason: 'matchers stand in braces.',
    apply: (query) => {
      const found = BARE_MATCHERS.exec(query);
      return found ? `{${found[0].trim()}}${query.slice(found[0].length)}` : undefined;
    },
  },
  swap('a matcher compares with =, !=, =~ or !~.', /(?<=[\w\s])==(?=\s*["`])/, () => '='),
  {
    reason: 'matchers are separated by commas.',
    apply: (query, at) => {
      const before = query.slice(0, at).trimEnd();
      return /["`]$/.test(before) && /^\s*(?:and\b|&&)?\s*[A-Za-z_]\w*\s*[=!]/i.test(query.slice(before.length))
        ? `${before}, ${query.slice(before.length).replace(/^\s*(?:and\b|&&)?\s*/i, '')}`
        : undefined;
    },
  },
  swap('matchers are separated by commas.', /(?<=["`])\s+(?:and|AND|&&)\s+(?=[A-Za-z_]\w*\s*(?:=|!))/, () => ', '),
  {
    reason: 'values stand in quotes.',
    apply: (query, at) => {
      const found = /^\s*([^\s"'`{}|,()[\]]+)/.exec(query.slice(at));
      return found ? `${query.slice(0, at)}"${found[1]}"${query.slice(at + found[0].length)}` : undefined;
    },
  },
  swap(
    'values stand in quotes.',
    /(=~?|!=|!~|\|=|\|~)(\s*)([A-Za-z_*.][\w.*-]*)/,
    (_, op = '', gap = '', word = '') => `${op}${gap}"${word}"`,
  ),
  {
    reason: 'a quote is not closed.',
    apply: (query) =>
      /"[^"]*$/.test(outsideQuotes(query)) ? query.replace(/(\w)(\s*[}\])]*\s*)$/, '$1"$2') : undefined,
  },
  {
    reason: 'a backslash in double quotes begins an escape; a regular expression stands in backticks.',
    apply: (query) => query.replace(/"((?:[^"\\`]|\\.)*\\[^"\\abfnrtvxuU0-7`](?:[^"\\`]|\\.)*)"/g, '`$1`'),
  },
  {
    reason: 'a brace, bracket or parenthesis is not closed.',
    apply: (query, at) => {
      const end = query.slice(0, at).trimEnd();
      // `{app="a" |= "x"`: the brace belongs before the pipe.
      const inside = /\{[^{}]*$/.test(outsideQuotes(end)) && /^\s*[|[)!]/.test(query.slice(end.length));
      return inside ? `${end}}${query.slice(end.length)}` : closeBrackets(query);
    },
  },
  {
    reason: 'a bracket is closed that was not opened.',
    apply: (query, at) => (/^[)}\]]/.test(query.slice(at)) ? query.slice(0, at) + query.slice(at + 1) : undefined),
  },
  {
    reason: 'a comma at the end is one too many.',
    apply: (query) => (/,\s*\}/.test(outsideQuotes(query)) ? query.replace(/,\s*\}/, '}') : undefined),
  },
  {
    reason: 'this function needs a range in brackets, such as [5m].',
    apply: (query, at) =>
      new RegExp(`(?:${RANGES})\\s*\\(`).test(query) && /^\s*[),]|^\s*$/.test(query.slice(at))
        ? `${query.slice(0, at).trimEnd()}[5m]${query.slice(at)}`
        : undefined,
  },
  swap(
    'the range needs a number with a unit: ms, s, m, h, d, w.',
    /\[\s*(\d*)[^\]\s]*\s*\]?/,
    (_, n = '') => `[${n === '' ? 5 : n}m]`,
  ),
  swap(
    'labels to group by stand in parentheses.',
    new RegExp(`\\b(${AGGREGATIONS})\\s+(by|without)\\s+([A-Za-z_]\\w*)`),
    (_, f = '', by = '', label = '') => `${f} ${by} (${label})`,
  ),
  swap(
    'labels to group by stand in parentheses.',
    new RegExp(`\\b(${AGGREGATIONS})\\s+(by|without)\\s*\\(\\s*(?=(?:${RANGES})\\b)`),
    (_, f = '') => `${f}(`,
  ),
  {
    reason: 'an aggregation needs a range aggregation of the lines inside.',
    apply: (query) => {
      const found = new RegExp(`\\b(?:${AGGREGATIONS})\\s*(?:(?:by|without)\\s*\\([^)]*\\)\\s*)?\\(\\s*(?=\\{)`).exec(
        query,
      );
      if (!found) return undefined;
      const from = found.index + found[0].length;
      const close = matchingParen(query, from);
      return `${query.slice(0, from)}count_over_time(${query.slice(from, close).trimEnd()}[5m])${query.slice(close)}`;
    },
  },
  {
    reason: 'a comparison with a number has no quotes.',
    apply: (query) => query.replace(/([<>]=?\s*)"(\d+(?:\.\d+)?[a-zA-Z]*)"/, '$1$2'),
  },
  {
    reason: 'a template stands in quotes or backticks.',
    apply: (query) => query.replace(/(line_format\s+)(\{\{[^"`|]*\}\})/, '$1"$2"'),
  },
  {
    reason: 'unwrap works inside a range aggregation, such as sum_over_time(… [5m]).',
    apply: (query) => (/\|\s*unwrap\b/.test(outsideQuotes(query)) ? `sum_over_time(${query.trim()} [5m])` : undefined),
  },
  {
    reason: 'a range stands inside a range aggregation, such as count_over_time(… [5m]).',
    apply: (query) =>
      /^\s*\{[^[\]]*\[[^[\]]*\]\s*$/.test(outsideQuotes(query)) ? `count_over_time(${query.trim()})` : undefined,
  },
  swap('a line filter needs its operator, such as |= or |~.', /(?<=\})\s*\|?\s*(?=["`])/, () => ' |= '),
  swap(
    'how many lines come back is the argument limit, not a part of the query.',
    /\s*(?:\|\s*)?\b(?:limit|LIMIT)\s+\d+\s*$/,
    () => '',
  ),
  swap(
    'lines are ordered by the argument direction, not by the query.',
    /\s*(?:\|\s*)?\b(?:sort|order)\s+by\b[^|]*$/i,
    () => '',
  ),
  swap('a pipe needs a stage behind it.', /\s*\|\s*$/, () => ''),
  {
    reason: 'LogQL has no LIKE; a line filter |= finds a text in the line.',
    apply: (query) => query.replace(/\s*\|?\s*(?:where\s+)?(?:\w+\s+)?like\s+["']%?([^"'%]*)%?["']/i, ' |= "$1"'),
  },
  {
    reason: 'a matcher must not match the empty string; .+ asks for a value.',
    apply: (query) => query.replace(/(=~\s*["`])\.\*(["`])/, '$1.+$2'),
  },
];

function matchingParen(query: string, from: number): number {
  const plain = outsideQuotes(query);
  let depth = 0;
  for (let i = from; i < plain.length; i++) {
    if (plain[i] === '(') depth++;
    else if (plain[i] === ')' && depth-- === 0) return i;
  }
  return query.length;
}
