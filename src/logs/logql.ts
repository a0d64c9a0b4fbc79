import { parser } from '@grafana/lezer-logql';
import type { SyntaxNode } from '@lezer/common';
import { placeOf, type QueryProblem } from '../answer/problem.ts';
import { invisibleAt } from '../answer/repair.ts';
import { repairLogql } from './repair.ts';

export interface LogqlFacts {
  kind: 'log' | 'metric' | 'invalid';
  /** Every stream selector, as written. */
  selectors: string[];
  /** Present when the grammar or Loki's own rules refuse the query. */
  problem?: QueryProblem;
}

/** What a query is, by the official grammar; with the first fault and a correction that the grammar reads. */
export function classifyLogql(query: string): LogqlFacts {
  const facts = readLogql(query);
  if (facts.fault === undefined) return { kind: facts.kind, selectors: facts.selectors };
  const remedy = repairLogql(query);
  const place = placeOf(query, facts.fault.at);
  const message = remedy?.reason ?? facts.fault.message;
  return {
    kind: 'invalid',
    selectors: facts.selectors,
    problem: { message, ...place, ...(remedy ? { remedy: remedy.query } : {}) },
  };
}

/** Said where nothing better is known. */
export const UNREADABLE = 'the query cannot be read from here on.';

interface LogqlReading {
  kind: 'log' | 'metric' | 'invalid';
  selectors: string[];
  /** Offset (UTF-16) and words of the first fault. */
  fault?: { at: number; message: string };
}

/** The reading without a search for remedies (which calls this itself). */
export function readLogql(query: string): LogqlReading {
  const selectors: string[] = [];
  let kind: LogqlReading['kind'] = 'invalid';
  let errorAt: number | undefined;
  let empty: { at: number; message: string } | undefined;
  const tree = parser.parse(query);
  tree.iterate({
    enter: (node) => {
      if (node.type.isError) errorAt = Math.min(errorAt ?? node.from, node.from);
      if (node.name === 'MetricExpr' && kind === 'invalid') kind = 'metric';
      if (node.name === 'LogExpr' && kind === 'invalid') kind = 'log';
      if (node.name === 'Selector') {
        selectors.push(query.slice(node.from, node.to));
        empty ??= emptySelector(query, node.node);
      }
    },
  });
  errorAt = least(errorAt, looseEnd(tree.topNode), invisibleAt(query));
  const fault = errorAt === undefined ? empty : { at: errorAt, message: wordsFor(query, errorAt) };
  return { kind: fault ? 'invalid' : kind, selectors, ...(fault ? { fault } : {}) };
}

function least(...offsets: (number | undefined)[]): number | undefined {
  const known = offsets.filter((at) => at !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

/** The grammar recovers from `sum({…}` without a mark of its own: the whole must be one expression. */
function looseEnd(top: SyntaxNode): number | undefined {
  const parts = children(top).filter((node) => node.name !== 'LineComment' && !node.type.isError);
  return parts.length > 1 ? parts.at(-1)?.to : undefined;
}

function wordsFor(query: string, at: number): string {
  const before = query.slice(0, at).trim();
  if (query.trim() === '') return 'the query is empty.';
  if (/^\{\s*\}?/.test(query.slice(0, at + 1)) && before === '{')
    return 'a stream selector needs one matcher at least, such as {label="value"}.';
  if (/^(?:[\w\s(]*\()?[a-zA-Z_:][\w:]*(?:\{[^}]*\})?\[/.test(query.trim())) {
    return 'this looks like PromQL; LogQL counts lines of streams, as in rate({label="value"}[5m]).';
  }
  if (before === '') return 'a LogQL query begins with a stream selector in braces, such as {label="value"}.';
  if (/(?:[|!][=~]|=~?|!=)$/.test(before)) return 'a text in quotes must follow.';
  return UNREADABLE;
}

/** Loki wants one matcher that does not match the empty string. */
function emptySelector(query: string, selector: SyntaxNode): { at: number; message: string } | undefined {
  let matchers = 0;
  let firstAt = selector.from;
  let selective = false;
  const visit = (node: SyntaxNode): void => {
    if (node.name === 'Matcher') {
      if (matchers++ === 0) firstAt = node.from;
      const [, operator, value] = children(node);
      if (operator && value) selective ||= !matchesEmpty(operator.name, unquoted(query.slice(value.from, value.to)));
    } else for (const child of children(node)) visit(child);
  };
  visit(selector);
  if (selective || matchers === 0) return undefined;
  return { at: firstAt, message: 'one matcher at least must not match the empty string.' };
}

function matchesEmpty(operator: string, value: string): boolean {
  if (operator === 'Eq') return value === '';
  if (operator === 'Neq') return value !== '';
  const matches = regexMatchesEmpty(value);
  return operator === 'Re' ? matches : !matches;
}

/** RE2 tried as JavaScript's; what that cannot compile is taken as selective, and Loki decides. */
function regexMatchesEmpty(source: string): boolean {
  try {
    return new RegExp(`^(?:${source.replace(/^\(\?[a-zA-Z]+\)/, '')})$`).test('');
  } catch {
    return false;
  }
}

function unquoted(text: string): string {
  if (text.startsWith('`')) return text.slice(1, -1);
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}

function children(node: SyntaxNode): SyntaxNode[] {
  const out: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) out.push(child);
  return out;
}
