import { closeBrackets, type Fix, outsideQuotes, repair, TYPING_FIXES } from '../answer/repair.ts';
import { readPromql } from './promql.ts';

/** A correction of a PromQL query that the official grammar reads, with the reason; undefined when none is known. */
export function repairPromql(query: string): { query: string; reason: string } | undefined {
  return repair(query, FIXES, (text) => readPromql(text).fault?.at);
}

const AGGREGATIONS = 'sum|avg|min|max|count|group|stddev|stdvar|topk|bottomk|quantile|count_values';

const FIXES: readonly Fix[] = [
  ...TYPING_FIXES,
  {
    reason: 'a matcher compares with =, !=, =~ or !~.',
    apply: (query) => query.replace(/(\{[^{}]*?\w\s*)==(\s*["'])/, '$1=$2'),
  },
  {
    reason: 'matchers are separated by commas.',
    apply: (query, at) => {
      const before = query.slice(0, at).trimEnd();
      const rest = query.slice(before.length);
      return /["'`]$/.test(before) && /^\s*(?:and\b|&&)?\s*[A-Za-z_]\w*\s*[=!]/i.test(rest)
        ? `${before}, ${rest.replace(/^\s*(?:and\b|&&)?\s*/i, '')}`
        : undefined;
    },
  },
  {
    reason: 'values stand in quotes.',
    apply: (query, at) => {
      const found = /^\s*([^\s"'`{}|,()[\]]+)/.exec(query.slice(at));
      const inside = /[=~]\s*$/.test(query.slice(0, at));
      return found && inside ? `${query.slice(0, at)}"${found[1]}"${query.slice(at + found[0].length)}` : undefined;
    },
  },
  {
    reason: 'a quote is not closed.',
    apply: (query) =>
      /"[^"]*$/.test(outsideQuotes(query)) ? query.replace(/(\w)(\s*[}\])]*\s*)$/, '$1"$2') : undefined,
  },
  {
    reason: 'labels to group by stand in parentheses.',
    apply: (query) =>
      query.replace(new RegExp(`\\b(${AGGREGATIONS})\\s+(by|without)\\s+([A-Za-z_]\\w*)`, 'i'), '$1 $2 ($3)'),
  },
  {
    reason: 'this function needs a range behind its argument, such as [5m].',
    apply: (query, at) =>
      /^\s*[),]/.test(query.slice(at)) ? `${query.slice(0, at)}[5m]${query.slice(at)}` : undefined,
  },
  {
    reason: 'this function needs a range; behind an expression that is a subquery, such as [5m:].',
    apply: (query, at) =>
      /^\s*[),]/.test(query.slice(at)) ? `${query.slice(0, at)}[5m:]${query.slice(at)}` : undefined,
  },
  {
    reason: 'a range behind an expression is a subquery: [5m:], not [5m].',
    apply: (query, at) => query.slice(0, at) + query.slice(at).replace(/^\[(\w+)\]/, '[$1:]'),
  },
  {
    reason: 'the range needs a number with a unit: ms, s, m, h, d, w, y.',
    apply: (query, at) => {
      const open = query.lastIndexOf('[', at);
      const found = open === -1 ? null : /^\[\s*(\d*)[^\]\s():]*\s*\]?/.exec(query.slice(open));
      return found ? `${query.slice(0, open)}[${found[1] || 5}m]${query.slice(open + found[0].length)}` : undefined;
    },
  },
  { reason: 'a brace, bracket or parenthesis is not closed.', apply: (query) => closeBrackets(query) },
  {
    reason: 'a bracket is closed that was not opened.',
    apply: (query, at) => (/^[)}\]]/.test(query.slice(at)) ? query.slice(0, at) + query.slice(at + 1) : undefined),
  },
  {
    reason: 'an operator needs a right-hand side.',
    apply: (query) => query.replace(/\s*(?:[-+*/%^|]|[<>=!]=?|\b(?:and|or|unless|by|without|offset))\s*$/i, ''),
  },
  {
    reason: 'a matcher must not match the empty string; .+ asks for a value.',
    apply: (query) => query.replace(/(=~\s*["'`])\.\*(["'`])/, '$1.+$2'),
  },
];
