import type { Expr } from './ast.ts';

/** Functions that depend on the evaluation time even if their arguments do not. */
const TIMED = new Set(
  'days_in_month day_of_month day_of_week day_of_year hour minute month year predict_linear time timestamp'.split(' '),
);

/**
 * Whether Prometheus evaluates an expression once, at the first step, since `@` pins all that it reads. The parameter
 * of an aggregation does not count there, so it is taken from the first step as well.
 */
export function stepInvariant(expr: Expr): boolean {
  switch (expr.kind) {
    case 'selector':
    case 'subquery':
      return expr.at !== undefined;
    case 'range':
      return expr.selector.at !== undefined;
    case 'call':
      return !TIMED.has(expr.name) && expr.args.every(stepInvariant);
    case 'aggregate':
      return expr.expr !== undefined && stepInvariant(expr.expr);
    case 'binary':
      return stepInvariant(expr.left) && stepInvariant(expr.right);
    case 'paren':
    case 'unary':
      return stepInvariant(expr.expr);
    default:
      return true;
  }
}
