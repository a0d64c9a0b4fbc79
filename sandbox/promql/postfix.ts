import type { Expr, Shift } from './ast.ts';
import { parseDuration } from './duration.ts';
import { isColon, postfixEnd } from './grammar.ts';
import type { Token } from './lex.ts';
import { readNumber } from './literals.ts';
import { ParseProblem } from './problems.ts';

const SHIFTABLE = 'must be preceded by an instant vector selector or range vector selector or a subquery';

/** Puts the ranges, offsets and `@` that follow an operand around it. Their syntax is sound: the grammar has seen it. */
export function applyPostfix(operand: Expr, tokens: readonly Token[]): Expr {
  let expr = operand;
  let at = tokens.findIndex((token) => token.from >= operand.to);
  for (let end = postfixEnd(tokens, at); at >= 0 && end > at; end = postfixEnd(tokens, at)) {
    const part = tokens.slice(at, end);
    const to = part.at(-1)?.to ?? expr.to;
    if (part[0]?.text === '[') expr = { ...ranged(expr, part), to };
    else if (part[0]?.text === '@') expr = { ...setAt(expr, part), to };
    else expr = { ...setOffset(expr, part), to };
    at = end;
  }
  return expr;
}

function duration(token: Token | undefined): number {
  return token?.type === 'duration' ? Number(parseDuration(token.text)) : 0;
}

function ranged(expr: Expr, part: readonly Token[]): Expr {
  const range = duration(part[1]);
  if (part[2] && isColon(part[2])) {
    return { kind: 'subquery', from: expr.from, to: expr.to, expr, range, step: duration(part[3]), offset: 0 };
  }
  const from = part[0]?.from ?? expr.from;
  if (expr.kind !== 'selector') throw new ParseProblem(from, 'ranges only allowed for vector selectors');
  if (expr.offset !== 0) throw new ParseProblem(from, 'no offset modifiers allowed before range');
  if (expr.at !== undefined) throw new ParseProblem(from, 'no @ modifiers allowed before range');
  return { kind: 'range', from: expr.from, to: expr.to, selector: expr, range };
}

function shiftOf(expr: Expr, modifier: string): Shift {
  if (expr.kind === 'selector' || expr.kind === 'subquery') return expr;
  if (expr.kind === 'range') return expr.selector;
  throw new ParseProblem(expr.from, `${modifier} ${SHIFTABLE}`);
}

function setOffset(expr: Expr, part: readonly Token[]): Expr {
  const shift = shiftOf(expr, 'offset modifier');
  if (shift.offset !== 0) throw new ParseProblem(expr.from, 'offset may not be set multiple times');
  shift.offset = (part.length > 2 ? -1 : 1) * duration(part.at(-1));
  return expr;
}

function setAt(expr: Expr, part: readonly Token[]): Expr {
  const word = part[1]?.type === 'keyword' ? part[1].text.toLowerCase() : undefined;
  const sign = part[1]?.text === '-' ? -1 : 1;
  const seconds = word ? 0 : sign * (readNumber(part.at(-1)?.text ?? '') ?? Number.NaN);
  if (!(Math.abs(seconds) < 2 ** 63)) {
    throw new ParseProblem(expr.from, `timestamp out of bounds for @ modifier: ${shownFloat(seconds)}`);
  }
  const shift = shiftOf(expr, '@ modifier');
  if (shift.at !== undefined) throw new ParseProblem(expr.from, '@ <timestamp> may not be set multiple times');
  shift.at = word === 'start' || word === 'end' ? word : Math.round(seconds * 1000);
  return expr;
}

/** Go's `%f`. */
export function shownFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (Math.abs(value) < 1e21) return value.toFixed(6);
  return `${BigInt(value)}.000000`;
}
