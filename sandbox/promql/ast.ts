import type { Matcher } from './matchers.ts';

export type ValueType = 'scalar' | 'vector' | 'matrix' | 'string';

/** Where a part of the query begins and ends; UTF-16 offsets, `to` exclusive. */
export interface Span {
  from: number;
  to: number;
}

/** `offset` and `@` of a selector or subquery. Durations and times in ms. */
export interface Shift {
  offset: number;
  at?: number | 'start' | 'end';
}

export interface Selector extends Span, Shift {
  kind: 'selector';
  name: string;
  matchers: Matcher[];
}
export interface RangeSelector extends Span {
  kind: 'range';
  selector: Selector;
  range: number;
}
export interface Subquery extends Span, Shift {
  kind: 'subquery';
  expr: Expr;
  range: number;
  /** ms; 0: the server's evaluation interval. */
  step: number;
}
export interface Call extends Span {
  kind: 'call';
  name: string;
  args: Expr[];
}
export interface Aggregate extends Span {
  kind: 'aggregate';
  op: string;
  param?: Expr;
  /** Missing only in a query that is refused. */
  expr?: Expr;
  grouping: string[];
  without: boolean;
}
export interface Matching {
  card: 'one-to-one' | 'many-to-one' | 'one-to-many' | 'many-to-many';
  on: boolean;
  labels: string[];
  include: string[];
}
export interface Binary extends Span {
  kind: 'binary';
  op: string;
  opFrom: number;
  bool: boolean;
  left: Expr;
  right: Expr;
  matching: Matching;
}
export interface Unary extends Span {
  kind: 'unary';
  op: '+' | '-';
  expr: Expr;
}
export interface Paren extends Span {
  kind: 'paren';
  expr: Expr;
}
export interface NumberLiteral extends Span {
  kind: 'number';
  value: number;
}
export interface StringLiteral extends Span {
  kind: 'string';
  value: string;
}

export type Expr =
  | Selector
  | RangeSelector
  | Subquery
  | Call
  | Aggregate
  | Binary
  | Unary
  | Paren
  | NumberLiteral
  | StringLiteral;

export const SET_OPERATORS = new Set(['and', 'or', 'unless']);
export const COMPARISONS = new Set(['==', '!=', '<', '>', '<=', '>=']);

/** The expression inside any parentheses. */
export function bare(expr: Expr): Expr {
  let inner = expr;
  while (inner.kind === 'paren') inner = inner.expr;
  return inner;
}
