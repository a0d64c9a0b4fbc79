import { parser } from '@grafana/lezer-logql';
import type { Tree } from '@lezer/common';
import type { LogQuery, Matcher, MetricQuery, Query } from './ast.ts';
import { buildLog } from './build-log.ts';
import { buildMetric } from './build-metric.ts';
import { checkMatchers, checkMetric, checkStages } from './check.ts';
import { LogqlError, semanticError, syntaxError, unsupported } from './errors.ts';
import { type Token, tokenize } from './lexer.ts';
import type { Source } from './tree.ts';
import { parseQueryDuration } from './units.ts';

const MAX_INPUT = 131_072;

/** Official grammar, Loki's refusals. Throws LogqlError with Loki's text. */
export function parseQuery(query: string): Query {
  const parsed = parseUnchecked(query);
  if (parsed.kind === 'log') {
    checkStages(parsed.stages);
    checkMatchers(parsed.matchers);
  } else checkMetric(parsed);
  return parsed;
}

/** A bare selector, as metadata endpoints take it. `{}` is refused unless `allowEmpty`. */
export function parseSelector(query: string, allowEmpty = false): Matcher[] {
  if (allowEmpty && /^\s*\{\s*\}\s*$/.test(query)) return [];
  const parsed = parseUnchecked(query);
  if (parsed.kind !== 'log' || parsed.stages.length > 0) throw new LogqlError('only label matchers are supported');
  if (!allowEmpty) checkMatchers(parsed.matchers);
  return parsed.matchers;
}

function parseUnchecked(query: string): LogQuery | MetricQuery {
  const bytes = Buffer.byteLength(query);
  if (bytes > MAX_INPUT) throw semanticError(`input size too long (${bytes} > ${MAX_INPUT})`);
  const { tokens, fault } = tokenize(query);
  refuseUnknown(tokens);
  const source = normalise(query, tokens, fault?.from);
  const tree = parser.parse(source.text);
  const at = faultOffset(tree, source.text, tokens);
  if (fault !== undefined && (at === undefined || at >= fault.from)) throw fault.error;
  if (at !== undefined) throw faultAt(tokens, at);
  const expr = tree.topNode.getChild('Expr')?.firstChild;
  if (expr === null || expr === undefined) throw unsupported('this form of query');
  return expr.name === 'LogExpr' ? buildLog(expr, source) : buildMetric(expr, source);
}

/** Loki has these, the grammar in use does not. */
function refuseUnknown(tokens: Token[]): void {
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'function' && token.text.toLowerCase() === 'approx_topk') throw unsupported('approx_topk');
    if (token.text === 'variants' && index === 0 && tokens[1]?.text === '(') throw unsupported('variants');
  }
}

/**
 * Same length as the query, so that positions stay: keywords in lower case (Loki's are case-insensitive), comments blank,
 * and `offset` after a range taken out, since the grammar knows it only without `unwrap` and only for positive durations.
 */
function normalise(query: string, tokens: Token[], end = query.length): Source {
  const offsets = new Map<number, number>();
  let text = '';
  for (const [index, token] of tokens.entries()) {
    text = text.padEnd(token.from);
    const before = tokens[index - 1];
    const next = tokens[index + 1];
    if (before?.kind === 'range' && isOffset(token) && next?.kind === 'duration') {
      offsets.set(before.from, parseQueryDuration(next.text));
      continue;
    }
    if (token.kind === 'duration' && before !== undefined && isOffset(before) && tokens[index - 2]?.kind === 'range')
      continue;
    text += token.kind === 'keyword' || token.kind === 'function' ? token.text.toLowerCase() : token.text;
  }
  return { text: text.padEnd(query.length) + (end < query.length ? query.slice(text.length) : ''), offsets };
}

function isOffset(token: Token): boolean {
  return token.kind === 'keyword' && token.text.toLowerCase() === 'offset';
}

/** Where the first token stands that Loki's grammar cannot take; undefined when all can be taken. */
function faultOffset(tree: Tree, text: string, tokens: Token[]): number | undefined {
  const kinds = new Map(tokens.map((token) => [token.from, token.kind]));
  let recovered = false;
  let first = Number.POSITIVE_INFINITY;
  tree.iterate({
    enter(node) {
      if (node.type.isError) recovered = true;
      // A function's name is a plain identifier for Loki unless it is called, and a keyword never names a label.
      const kind = kinds.get(node.from);
      const misread = NAME_NODES.has(node.name)
        ? kind === 'keyword' || kind === 'function'
        : CALL_NODES.has(node.name) && kind === 'identifier';
      if (misread) first = Math.min(first, operatorEnd(tokens, node.from) ?? node.from);
    },
  });
  if (recovered) first = Math.min(first, stuckAt(text));
  return first === Number.POSITIVE_INFINITY ? undefined : first;
}

/** `| json or …` is an operator to Loki and a label to the grammar: what Loki refuses comes behind it. */
function operatorEnd(tokens: Token[], offset: number): number | undefined {
  const index = tokens.findIndex((token) => token.from === offset);
  const before = tokens[index - 1];
  if (!/^(and|or|unless)$/i.test(tokens[index]?.text ?? '')) return undefined;
  return before?.kind === 'flag' || /^(json|logfmt)$/i.test(before?.text ?? '') ? tokens[index + 1]?.from : undefined;
}

/**
 * The offset of the token that the grammar cannot take. The error nodes of a recovered tree may lie before it, so the text is
 * parsed once more without recovery, which tells how far it got.
 */
function stuckAt(text: string): number {
  try {
    strict.parse(text);
    return Number.POSITIVE_INFINITY;
  } catch (error) {
    const at = Number(/^No parse at (\d+)$/.exec(error instanceof Error ? error.message : '')?.[1] ?? Number.NaN);
    if (Number.isNaN(at)) throw error;
    return at + (/^\s*/.exec(text.slice(at))?.[0].length ?? 0);
  }
}

const strict = parser.configure({ strict: true });
const NAME_NODES = new Set(['Identifier', 'LabelName']);
const CALL_NODES = new Set(['VectorOp', 'RangeOp', 'Vector', 'LabelReplace']);

function faultAt(tokens: Token[], offset: number): LogqlError {
  const index = tokens.findIndex((token) => token.to > offset || token.kind === 'end');
  const token = tokens[index];
  if (token === undefined) return semanticError('syntax error');
  if (token.text === '}' && tokens[index - 1]?.text === '{') return emptySelector();
  const name = {
    end: '$end',
    identifier: 'IDENTIFIER',
    string: 'STRING',
    number: 'NUMBER',
    range: 'RANGE',
    duration: 'DURATION',
    bytes: 'BYTES',
    flag: 'PARSER_FLAG',
    keyword: token.text,
    function: token.text.toUpperCase(),
    operator: token.text,
  }[token.kind];
  return syntaxError(token.line, token.column, `syntax error: unexpected ${name}`);
}

function emptySelector(): LogqlError {
  try {
    checkMatchers([]);
  } catch (error) {
    if (error instanceof LogqlError) return error;
  }
  return semanticError('empty selector');
}
