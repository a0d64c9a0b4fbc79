import type { SyntaxNode } from '@lezer/common';
import { type Binary, type Call, type Expr, type Matching, SET_OPERATORS, type Span } from './ast.ts';
import type { Syntax } from './grammar.ts';
import { readNumber, unquote } from './literals.ts';
import { createMatcher, type Matcher, type MatchOp } from './matchers.ts';
import { applyPostfix } from './postfix.ts';
import { ParseProblem } from './problems.ts';
import { SIGNATURES } from './signatures.ts';

/** The tree of the official grammar as our own; throws what Prometheus finds wrong while it builds its tree. */
export function build(node: SyntaxNode, syntax: Syntax): Expr {
  const span: Span = { from: node.from, to: node.to };
  if (node.name === 'UnaryExpr') {
    return unary(textOf(node, syntax) === '-' ? '-' : '+', build(firstExpr(node), syntax), span);
  }
  if (node.name === 'BinaryExpr') return binary(node, syntax, span);
  return applyPostfix(operand(node, syntax, span), syntax.tokens);
}

function operand(node: SyntaxNode, syntax: Syntax, span: Span): Expr {
  switch (node.name) {
    case 'NumberDurationLiteral':
      return { kind: 'number', ...span, value: numberOf(node, syntax) };
    case 'StringLiteral':
      return { kind: 'string', ...span, value: unquote(textOf(node, syntax)) };
    case 'ParenExpr':
      return { kind: 'paren', ...span, expr: build(firstExpr(node), syntax) };
    case 'VectorSelector':
      return selector(node, syntax, span);
    case 'FunctionCall':
      return call(node, syntax, span);
    case 'AggregateExpr':
      return aggregate(node, syntax, span);
    default:
      throw new ParseProblem(span.from, `${node.name} is not in PromQL of Prometheus 2.42`);
  }
}

const EXPRESSIONS = new Set([
  ...['AggregateExpr', 'BinaryExpr', 'FunctionCall', 'NumberDurationLiteral', 'ParenExpr', 'StringLiteral'],
  ...['UnaryExpr', 'VectorSelector'],
]);

function children(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) found.push(child);
  return found;
}

function expressions(node: SyntaxNode | null): SyntaxNode[] {
  return node ? children(node).filter((child) => EXPRESSIONS.has(child.name)) : [];
}

function firstExpr(node: SyntaxNode): SyntaxNode {
  const found = expressions(node)[0];
  if (!found) throw new ParseProblem(node.from, 'unexpected end of input');
  return found;
}

function textOf(node: SyntaxNode, { at }: Syntax): string {
  return at.get(node.from)?.text ?? '';
}

function tokensIn(node: SyntaxNode, { tokens }: Syntax): Syntax['tokens'] {
  return tokens.filter((token) => token.from >= node.from && token.from < node.to && token.type !== 'end');
}

function numberOf(node: SyntaxNode, syntax: Syntax): number {
  const tokens = tokensIn(node, syntax);
  const value = readNumber(tokens.at(-1)?.text ?? '') ?? Number.NaN;
  return tokens[0]?.text === '-' ? -value : value;
}

/** A sign before a number belongs to the number. */
function unary(op: '+' | '-', expr: Expr, span: Span): Expr {
  if (expr.kind === 'number') return { ...expr, from: span.from, value: op === '-' ? -expr.value : expr.value };
  return { kind: 'unary', ...span, op, expr };
}

function selector(node: SyntaxNode, syntax: Syntax, span: Span): Expr {
  const named = node.getChild('Identifier');
  const name = named ? textOf(named, syntax) : '';
  const matchers: Matcher[] = (node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? []).map(
    (matcher) => {
      const [label, op, value] = tokensIn(matcher, syntax);
      return createMatcher(label?.text ?? '', matchOp(op?.text), unquote(value?.text ?? ''));
    },
  );
  if (name) matchers.push(createMatcher('__name__', '=', name));
  return { kind: 'selector', ...span, name, matchers, offset: 0 };
}

function matchOp(text: string | undefined): MatchOp {
  return text === '!=' || text === '=~' || text === '!~' ? text : '=';
}

function call(node: SyntaxNode, syntax: Syntax, span: Span): Call {
  const args = expressions(node.getChild('FunctionCallBody')).map((arg) => build(arg, syntax));
  const name = textOf(node, syntax);
  if (!SIGNATURES.has(name)) throw new ParseProblem(span.from, `unknown function with name ${JSON.stringify(name)}`);
  return { kind: 'call', ...span, name, args };
}

function aggregate(node: SyntaxNode, syntax: Syntax, span: Span): Expr {
  const op = textOf(node, syntax).toLowerCase();
  const args = expressions(node.getChild('FunctionCallBody')).map((arg) => build(arg, syntax));
  const modifier = node.getChild('AggregateModifier');
  const grouping = labelsIn(modifier, syntax);
  const without = modifier !== null && textOf(modifier, syntax).toLowerCase() === 'without';
  if (args.length === 0) throw new ParseProblem(span.from, 'no arguments for aggregate expression provided');
  const wanted = ['topk', 'bottomk', 'quantile', 'count_values'].includes(op) ? 2 : 1;
  if (args.length !== wanted) {
    const rule = 'wrong number of arguments for aggregate expression provided';
    throw new ParseProblem(span.from, `${rule}, expected ${wanted}, got ${args.length}`);
  }
  const [first, second] = args;
  const shape = { kind: 'aggregate' as const, ...span, op, grouping, without };
  if (wanted === 1) return first ? { ...shape, expr: first } : shape;
  return first && second ? { ...shape, param: first, expr: second } : shape;
}

function labelsIn(node: SyntaxNode | null, syntax: Syntax): string[] {
  return (node?.getChild('GroupingLabels')?.getChildren('LabelName') ?? []).map((label) => textOf(label, syntax));
}

function binary(node: SyntaxNode, syntax: Syntax, span: Span): Expr {
  const [leftNode, rightNode] = expressions(node);
  if (!leftNode || !rightNode) throw new ParseProblem(span.from, 'unexpected end of input');
  const left = build(leftNode, syntax);
  const right = build(rightNode, syntax);
  const opNode = leftNode.nextSibling ?? leftNode;
  const op = textOf(opNode, syntax).toLowerCase();
  const matching = matchingOf(node.getChild('MatchingModifierClause'), syntax, SET_OPERATORS.has(op));
  const shape: Omit<Binary, 'left'> = {
    ...{ kind: 'binary', ...span, op, opFrom: opNode.from },
    ...{ bool: node.getChild('BoolModifier') !== null, right, matching },
  };
  // The grammar takes `-1 ^ 2` for a power of -1, Prometheus for the negative of 1 ^ 2.
  const sign = leftNode.name === 'NumberDurationLiteral' ? textOf(leftNode, syntax) : '';
  if (op !== '^' || left.kind !== 'number' || (sign !== '-' && sign !== '+')) return { ...shape, left };
  const unsigned: Expr = { ...left, value: sign === '-' ? -left.value : left.value };
  return { kind: 'unary', ...span, op: sign, expr: { ...shape, left: unsigned } };
}

function matchingOf(node: SyntaxNode | null, syntax: Syntax, isSet: boolean): Matching {
  const lists = (node?.getChildren('GroupingLabels') ?? []).map((list) =>
    list.getChildren('LabelName').map((label) => textOf(label, syntax)),
  );
  const left = node?.getChild('GroupLeft');
  const right = node?.getChild('GroupRight');
  const card = left ? 'many-to-one' : right ? 'one-to-many' : isSet ? 'many-to-many' : 'one-to-one';
  return { card, on: Boolean(node?.getChild('On')), labels: lists[0] ?? [], include: lists[1] ?? [] };
}
