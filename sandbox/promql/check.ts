import { COMPARISONS, type Expr, SET_OPERATORS, type ValueType } from './ast.ts';
import { ParseProblem } from './problems.ts';
import { SIGNATURES } from './signatures.ts';

const NAMES: Record<ValueType, string> = {
  scalar: 'scalar',
  vector: 'instant vector',
  matrix: 'range vector',
  string: 'string',
};

/** Type rules, in the order in which Prometheus reports them: children first. Throws ParseProblem; returns the type. */
export function checkTypes(expr: Expr): ValueType {
  switch (expr.kind) {
    case 'binary':
      return checkBinary(expr);
    case 'aggregate':
      if (expr.expr) expectType(expr.expr, 'vector', 'aggregation expression');
      if (expr.param) expectType(expr.param, expr.op === 'count_values' ? 'string' : 'scalar', 'aggregation parameter');
      return 'vector';
    case 'call':
      return checkCall(expr);
    case 'paren':
      return checkTypes(expr.expr);
    case 'unary': {
      const type = checkTypes(expr.expr);
      if (type === 'scalar' || type === 'vector') return type;
      const rule = 'unary expression only allowed on expressions of type scalar or instant vector';
      throw new ParseProblem(expr.from, `${rule}, got "${NAMES[type]}"`);
    }
    case 'subquery': {
      const type = checkTypes(expr.expr);
      if (type === 'vector') return 'matrix';
      throw new ParseProblem(expr.from, `subquery is only allowed on instant vector, got ${type} instead`);
    }
    case 'range':
      checkTypes(expr.selector);
      return 'matrix';
    case 'selector':
      return checkSelector(expr);
    default:
      return typeOf(expr);
  }
}

/** The type an expression has when it is sound. */
export function typeOf(expr: Expr): ValueType {
  switch (expr.kind) {
    case 'number':
      return 'scalar';
    case 'string':
      return 'string';
    case 'range':
    case 'subquery':
      return 'matrix';
    case 'call':
      return SIGNATURES.get(expr.name)?.returns ?? 'vector';
    case 'paren':
    case 'unary':
      return typeOf(expr.expr);
    case 'binary':
      return typeOf(expr.left) === 'scalar' && typeOf(expr.right) === 'scalar' ? 'scalar' : 'vector';
    default:
      return 'vector';
  }
}

export function typeName(type: ValueType): string {
  return NAMES[type];
}

function expectType(expr: Expr, wanted: ValueType, context: string): void {
  const type = checkTypes(expr);
  if (type !== wanted)
    throw new ParseProblem(expr.from, `expected type ${NAMES[wanted]} in ${context}, got ${NAMES[type]}`);
}

function checkBinary(expr: Expr & { kind: 'binary' }): ValueType {
  const left = checkTypes(expr.left);
  const right = checkTypes(expr.right);
  const { op, matching } = expr;
  const isSet = SET_OPERATORS.has(op);
  if (expr.bool && !COMPARISONS.has(op)) {
    throw new ParseProblem(expr.opFrom, 'bool modifier can only be used on comparison operators');
  }
  if (COMPARISONS.has(op) && !expr.bool && left === 'scalar' && right === 'scalar') {
    throw new ParseProblem(expr.opFrom, 'comparisons between scalars must use BOOL modifier');
  }
  const both = matching.on ? matching.labels.find((label) => matching.include.includes(label)) : undefined;
  if (both !== undefined) {
    throw new ParseProblem(expr.opFrom, `label "${both}" must not occur in ON and GROUP clause at once`);
  }
  for (const [type, side] of [
    [left, expr.left],
    [right, expr.right],
  ] as const) {
    if (type === 'scalar' || type === 'vector') continue;
    throw new ParseProblem(side.from, 'binary expression must contain only scalar and instant vector types');
  }
  const scalar = left === 'scalar' || right === 'scalar';
  if (scalar && matching.labels.length > 0) {
    throw new ParseProblem(expr.from, 'vector matching only allowed between instant vectors');
  }
  if (!scalar && isSet && matching.card !== 'many-to-many') {
    throw new ParseProblem(expr.from, `no grouping allowed for "${op}" operation`);
  }
  if (scalar && isSet)
    throw new ParseProblem(expr.from, `set operator "${op}" not allowed in binary scalar expression`);
  return typeOf(expr);
}

function checkCall(expr: Expr & { kind: 'call' }): ValueType {
  const signature = SIGNATURES.get(expr.name);
  if (!signature) throw new ParseProblem(expr.from, `unknown function with name "${expr.name}"`);
  const { args, variadic, returns } = signature;
  const given = expr.args.length;
  const wrong = (words: string, count: number): never => {
    throw new ParseProblem(expr.from, `expected ${words}${count} argument(s) in call to "${expr.name}", got ${given}`);
  };
  const least = variadic === 0 ? args.length : args.length - 1;
  if (variadic === 0 && given !== args.length) wrong('', args.length);
  if (given < least) wrong('at least ', least);
  if (variadic > 0 && given > least + variadic) wrong('at most ', least + variadic);
  expr.args.forEach((arg, i) => {
    expectType(arg, args[Math.min(i, args.length - 1)] ?? 'vector', `call to function "${expr.name}"`);
  });
  return returns;
}

function checkSelector(expr: Expr & { kind: 'selector' }): ValueType {
  const { name, matchers } = expr;
  if (name) {
    const twice = matchers.slice(0, -1).find((matcher) => matcher.name === '__name__');
    if (twice) {
      throw new ParseProblem(
        expr.from,
        `metric name must not be set twice: ${JSON.stringify(name)} or ${JSON.stringify(twice.value)}`,
      );
    }
    return 'vector';
  }
  if (matchers.every((matcher) => matcher.test(''))) {
    throw new ParseProblem(expr.from, 'vector selector must contain at least one non-empty matcher');
  }
  return 'vector';
}
