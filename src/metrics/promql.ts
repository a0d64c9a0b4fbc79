import type { SyntaxNode } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';
import { placeOf, type QueryProblem } from '../answer/problem.ts';
import { invisibleAt } from '../answer/repair.ts';
import { repairPromql } from './repair.ts';
import { matchersOf } from './selectors.ts';

export interface PromqlFacts {
  valid: boolean;
  problem?: QueryProblem;
  /** Names of all metrics that the query selects, each once. */
  metrics: string[];
}

/** A query read by the official grammar and by Prometheus's rules on ranges and empty selectors. */
export function checkPromql(query: string): PromqlFacts {
  const { fault, metrics } = readPromql(query);
  if (fault === undefined) return { valid: true, metrics };
  const remedy = repairPromql(query);
  return {
    valid: false,
    metrics,
    problem: {
      message: remedy?.reason ?? fault.message,
      ...placeOf(query, fault.at),
      ...(remedy ? { remedy: remedy.query } : {}),
    },
  };
}

/** Said where nothing better is known. */
export const UNREADABLE = 'the query cannot be read from here on.';

/** Functions whose (first) argument is a range vector. */
const OF_RANGES =
  /^(?:rate|irate|increase|delta|idelta|deriv|changes|resets|predict_linear|holt_winters|double_exponential_smoothing|\w+_over_time)$/;

interface Fault {
  at: number;
  message: string;
}

/** The reading without a search for remedies (which calls this itself). */
export function readPromql(query: string): { fault?: Fault; metrics: string[] } {
  const metrics = new Set<string>();
  const faults: Fault[] = [];
  const hidden = invisibleAt(query);
  if (hidden !== undefined) faults.push({ at: hidden, message: UNREADABLE });
  parser.parse(query).iterate({
    enter: ({ node, type, from }) => {
      if (type.isError) faults.push({ at: from, message: query.trim() === '' ? 'the query is empty.' : UNREADABLE });
      else if (type.name === 'VectorSelector') readSelector(query, node, metrics, faults);
      else if (type.name === 'FunctionCall') readCall(query, node, faults);
      else if (type.name === 'MatrixSelector') readMatrix(node, faults);
      else if (type.name === 'AggregateExpr' && node.getChild('FunctionCallBody')?.firstChild === null) {
        faults.push({ at: node.to, message: 'an aggregation needs an expression to aggregate.' });
      }
    },
  });
  const first = faults.sort((a, b) => a.at - b.at)[0];
  return { metrics: [...metrics], ...(first ? { fault: first } : {}) };
}

function readSelector(query: string, node: SyntaxNode, metrics: Set<string>, faults: Fault[]): void {
  const name = node.getChild('Identifier');
  if (name) metrics.add(query.slice(name.from, name.to));
  let selective = name !== null;
  for (const matcher of matchersOf(query, node)) {
    if (matcher.name === '__name__' && matcher.op === '=') metrics.add(matcher.value);
    selective ||= !matchesEmpty(matcher.op, matcher.value);
  }
  if (!selective) faults.push({ at: node.from, message: 'one matcher at least must not match the empty string.' });
}

function readCall(query: string, node: SyntaxNode, faults: Fault[]): void {
  const name = node.getChild('FunctionIdentifier');
  const called = name ? query.slice(name.from, name.to) : '';
  if (!OF_RANGES.test(called)) return;
  const body = node.getChild('FunctionCallBody');
  for (let arg = body?.firstChild ?? null; arg; arg = arg.nextSibling) {
    if (arg.name !== 'VectorSelector' && arg.name !== 'AggregateExpr' && arg.name !== 'FunctionCall') continue;
    // A scalar function may stand beside the range, as in quantile_over_time(scalar(x), y[5m]).
    if (arg.name === 'FunctionCall' && body?.getChild('MatrixSelector')) continue;
    const range = arg.name === 'VectorSelector' ? '[5m]' : '[5m:] (a subquery)';
    faults.push({ at: arg.to, message: `${called} needs a range behind its argument, such as ${range}.` });
  }
}

function readMatrix(node: SyntaxNode, faults: Fault[]): void {
  const inner = node.firstChild;
  if (inner && inner.name !== 'VectorSelector' && !inner.type.isError) {
    faults.push({ at: inner.to, message: 'a range behind an expression is a subquery: [5m:], not [5m].' });
  }
}

function matchesEmpty(op: string, value: string): boolean {
  if (op === '=') return value === '';
  if (op === '!=') return value !== '';
  let matches = false;
  try {
    matches = new RegExp(`^(?:${value.replace(/^\(\?[a-zA-Z]+\)/, '')})$`).test('');
  } catch {
    // What JavaScript cannot compile is left to Prometheus.
  }
  return op === '=~' ? matches : !matches;
}
