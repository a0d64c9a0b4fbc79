import type { SyntaxNode } from '@lezer/common';
import type { Grouping, Matching, MetricQuery, RangeAggregation, Unwrap } from './ast.ts';
import { buildFilter, buildLog, stringOf } from './build-log.ts';
import { semanticError, unsupported } from './errors.ts';
import { applyOperator, COMPARISONS, SET_OPERATORS } from './operators.ts';
import { children, descendants, type Source, textOf } from './tree.ts';
import { parsePromDuration } from './units.ts';

/** From a `MetricExpr` of the official grammar. */
export function buildMetric(node: SyntaxNode, source: Source): MetricQuery {
  const child = children(node)[0];
  if (child === undefined) throw unsupported('this form of metric query');
  switch (node.name === 'MetricExpr' ? child.name : node.name) {
    case 'MetricExpr': {
      const inner = buildMetric(child, source);
      return inner.kind === 'binary' ? { ...inner, parens: true } : inner;
    }
    case 'RangeAggregationExpr':
      return buildRange(child, source);
    case 'VectorAggregationExpr':
      return buildVector(child, source);
    case 'BinOpExpr':
      return buildChain(child, source);
    case 'LiteralExpr':
      return { kind: 'number', value: Number(textOf(child, source).replace(/\s+/g, '')) };
    case 'VectorExpr':
      return { kind: 'vectorOf', value: Number(textOf(child.getChild('Number') ?? child, source)) };
    case 'LabelReplaceExpr': {
      const inner = child.getChild('MetricExpr');
      const [dst = '', replacement = '', src = '', regex = ''] = child
        .getChildren('String')
        .map((value) => stringOf(value, source));
      if (inner === null) throw unsupported('this label_replace');
      return { kind: 'label_replace', inner: buildMetric(inner, source), dst, replacement, src, regex };
    }
    default:
      throw unsupported(`\`${textOf(node, source)}\``);
  }
}

function buildRange(node: SyntaxNode, source: Source): RangeAggregation {
  const log = node.getChild('LogRangeExpr');
  const range = log?.getChild('Range');
  if (log === null || range === null || range === undefined) throw unsupported('this range aggregation');
  const parameter = node.getChild('Number');
  const grouping = node.getChild('Grouping');
  const unwrap = log.getChild('UnwrapExpr');
  const bracket = source.text.lastIndexOf('[', range.from);
  const text = source.text.slice(bracket + 1, source.text.indexOf(']', bracket));
  const built: RangeAggregation = {
    kind: 'range',
    op: textOf(node.getChild('RangeOp') ?? node, source),
    log: buildLog(log, source),
    range: parsePromDuration(text),
    offset: source.offsets.get(bracket) ?? 0,
  };
  if (parameter !== null) built.parameter = Number(textOf(parameter, source));
  if (grouping !== null) built.grouping = buildGrouping(grouping, source);
  if (unwrap !== null) built.unwrap = buildUnwrap(unwrap, source);
  return built;
}

function buildUnwrap(node: SyntaxNode, source: Source): Unwrap {
  const inner = node.getChild('UnwrapExpr');
  if (inner !== null) {
    const built = buildUnwrap(inner, source);
    for (const filter of node.getChildren('LabelFilter')) built.postFilters.push(buildFilter(filter, source));
    return built;
  }
  const conversion = node.getChild('ConvOp');
  return {
    label: textOf(node.getChild('Identifier') ?? node, source),
    conversion: (conversion === null ? '' : textOf(conversion, source)) as Unwrap['conversion'],
    postFilters: [],
  };
}

function buildVector(node: SyntaxNode, source: Source): MetricQuery {
  const inner = node.getChild('MetricExpr');
  if (inner === null) throw unsupported('this vector aggregation');
  const parameter = node.getChild('Number');
  const grouping = node.getChild('Grouping');
  return {
    kind: 'vector',
    op: textOf(node.getChild('VectorOp') ?? node, source),
    inner: buildMetric(inner, source),
    ...(parameter === null ? {} : { parameter: Number(textOf(parameter, source)) }),
    ...(grouping === null ? {} : { grouping: buildGrouping(grouping, source) }),
  };
}

function buildGrouping(node: SyntaxNode, source: Source): Grouping {
  return {
    without: node.getChild('Without') !== null,
    labels: descendants(node, 'Identifier').map((label) => textOf(label, source)),
  };
}

interface Operator {
  op: string;
  bool: boolean;
  matching?: Matching;
}

const PRECEDENCE: Record<string, number> = { or: 1, and: 2, unless: 2, '+': 4, '-': 4, '*': 5, '/': 5, '%': 5, '^': 6 };

/** The grammar nests a chain of operators without regard to their precedence; Loki's is applied here. */
function buildChain(node: SyntaxNode, source: Source): MetricQuery {
  const operands: MetricQuery[] = [];
  const operators: Operator[] = [];
  flatten(node, source, operands, operators);
  let at = 0;
  const climb = (minimum: number): MetricQuery => {
    let left = operands[at];
    if (left === undefined) throw unsupported('this binary operation');
    for (;;) {
      const operator = operators[at];
      const level = operator === undefined ? 0 : (PRECEDENCE[operator.op] ?? 3);
      if (operator === undefined || level < minimum) return left;
      at++;
      left = combine(operator, left, climb(operator.op === '^' ? level : level + 1));
    }
  };
  return climb(1);
}

function flatten(node: SyntaxNode, source: Source, operands: MetricQuery[], operators: Operator[]): void {
  for (const part of children(node)) {
    if (part.name === 'Expr') {
      const expr = part.firstChild;
      if (expr === null) throw unsupported('this binary operation');
      const inner = expr.name === 'MetricExpr' ? expr.firstChild : null;
      if (inner?.name === 'BinOpExpr') flatten(inner, source, operands, operators);
      else if (expr.name === 'LogExpr') refuseLogLeg(expr, node, source);
      else operands.push(buildMetric(expr, source));
    } else if (part.name === 'BinOpModifier') {
      const operator = operators[operators.length - 1];
      if (operator !== undefined) Object.assign(operator, modifier(part, source));
    } else operators.push({ op: textOf(part, source), bool: false });
  }
}

function refuseLogLeg(leg: SyntaxNode, node: SyntaxNode, source: Source): never {
  const side = leg.parent?.prevSibling === null ? 'left' : 'right';
  const op = children(node).find((part) => part.name !== 'Expr' && part.name !== 'BinOpModifier');
  const type = buildLog(leg, source).stages.length > 0 ? 'PipelineExpr' : 'MatchersExpr';
  throw semanticError(
    `unexpected type for ${side} leg of binary operation (${op === undefined ? '' : textOf(op, source)}): *syntax.${type}`,
  );
}

function modifier(node: SyntaxNode, source: Source): Partial<Operator> {
  const found: Partial<Operator> = { bool: node.getChild('Bool') !== null };
  const on = node.getChild('OnOrIgnoringModifier');
  if (on === null) return found;
  const names = (part: SyntaxNode | null): string[] =>
    part === null ? [] : descendants(part, 'GroupingLabel').map((label) => textOf(label, source));
  const group = node.getChild('GroupLeft') ?? node.getChild('GroupRight');
  found.matching = {
    on: on.getChild('On') !== null,
    labels: names(on.getChild('GroupingLabels')),
    include: names(node.getChild('GroupingLabels')),
  };
  if (group !== null) found.matching.group = group.name === 'GroupLeft' ? 'left' : 'right';
  return found;
}

function combine(operator: Operator, left: MetricQuery, right: MetricQuery): MetricQuery {
  if (SET_OPERATORS.has(operator.op)) {
    for (const [side, leg] of [
      ['left', left],
      ['right', right],
    ] as const) {
      if (leg.kind === 'number')
        throw semanticError(
          `unexpected literal for ${side} leg of logical/set binary operation (${operator.op}): ${leg.value.toFixed(6)}`,
        );
    }
  }
  if (operator.bool && !COMPARISONS.has(operator.op))
    throw semanticError(`bool modifier not allowed on non-comparison operation (${operator.op})`);
  if (left.kind === 'number' && right.kind === 'number') {
    return { kind: 'number', value: applyOperator(operator.op, left.value, right.value) };
  }
  return { kind: 'binary', ...operator, left, right };
}
