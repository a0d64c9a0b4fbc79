import type { Aggregate, Binary, Expr, Matching, Selector, Shift } from './ast.ts';
import { formatDuration } from './duration.ts';
import { plainNumber } from './numbers.ts';

const WIDTH = 100;

/** A query as Prometheus formats it: on one line up to 100 characters, else broken at calls and operators. */
export function pretty(expr: Expr, level = 0): string {
  const indent = '  '.repeat(level);
  const line = print(expr);
  if (line.length <= WIDTH) return indent + line;
  switch (expr.kind) {
    case 'aggregate': {
      const parts = [expr.param, expr.expr].filter((part) => part !== undefined).map((part) => pretty(part, level + 1));
      return `${indent}${aggregateHead(expr)}(\n${parts.join(',\n')}\n${indent})`;
    }
    case 'binary': {
      const [left, right] = [pretty(expr.left, level + 1), pretty(expr.right, level + 1)];
      return `${left}\n${indent}${expr.op}${binaryModifiers(expr)}\n${right}`;
    }
    case 'call':
      return `${indent}${expr.name}(\n${expr.args.map((arg) => pretty(arg, level + 1)).join(',\n')}\n${indent})`;
    case 'paren':
      return `${indent}(\n${pretty(expr.expr, level + 1)}\n${indent})`;
    case 'subquery':
      return `${pretty(expr.expr, level)}${subqueryRange(expr.range, expr.step)}${shift(expr)}`;
    case 'unary':
      return `${indent}${expr.op}${pretty(expr.expr, level).trimStart()}`;
    default:
      return indent + line;
  }
}

/** A query on one line. */
function print(expr: Expr): string {
  switch (expr.kind) {
    case 'number':
      return plainNumber(expr.value);
    case 'string':
      return JSON.stringify(expr.value);
    case 'selector':
      return selector(expr) + shift(expr);
    case 'range':
      return `${selector(expr.selector)}[${formatDuration(expr.range)}]${shift(expr.selector)}`;
    case 'subquery':
      return `${print(expr.expr)}${subqueryRange(expr.range, expr.step)}${shift(expr)}`;
    case 'call':
      return `${expr.name}(${expr.args.map(print).join(', ')})`;
    case 'aggregate':
      return `${aggregateHead(expr)}(${[expr.param, expr.expr].flatMap((part) => (part ? [print(part)] : [])).join(', ')})`;
    case 'binary':
      return `${print(expr.left)} ${expr.op}${binaryModifiers(expr)} ${print(expr.right)}`;
    case 'unary':
      return expr.op + print(expr.expr);
    case 'paren':
      return `(${print(expr.expr)})`;
  }
}

function selector({ name, matchers }: Selector): string {
  const shown = matchers
    .filter((matcher) => !name || matcher.name !== '__name__' || matcher.op !== '=' || matcher.value !== name)
    .map((matcher) => `${matcher.name}${matcher.op}${JSON.stringify(matcher.value)}`);
  return shown.length === 0 ? name : `${name}{${shown.join(',')}}`;
}

function shift({ offset, at }: Shift): string {
  const when = at === undefined ? '' : ` @ ${typeof at === 'number' ? (at / 1000).toFixed(3) : `${at}()`}`;
  if (offset === 0) return when;
  return `${when} offset ${offset < 0 ? '-' : ''}${formatDuration(Math.abs(offset))}`;
}

function subqueryRange(range: number, step: number): string {
  return `[${formatDuration(range)}:${step === 0 ? '' : formatDuration(step)}]`;
}

function aggregateHead({ op, grouping, without }: Aggregate): string {
  if (without) return `${op} without (${grouping.join(', ')}) `;
  return grouping.length > 0 ? `${op} by (${grouping.join(', ')}) ` : op;
}

function binaryModifiers({ bool, matching }: Binary): string {
  return (bool ? ' bool' : '') + matchingText(matching);
}

function matchingText({ card, on, labels, include }: Matching): string {
  const grouped = card === 'many-to-one' || card === 'one-to-many';
  if (labels.length === 0 && !on && !grouped) return '';
  const side = card === 'many-to-one' ? 'group_left' : 'group_right';
  const group = grouped ? ` ${side} (${include.join(', ')})` : '';
  return ` ${on ? 'on' : 'ignoring'} (${labels.join(', ')})${group}`;
}
