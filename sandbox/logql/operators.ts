export const COMPARISONS = new Set(['==', '!=', '>', '>=', '<', '<=']);
export const SET_OPERATORS = new Set(['and', 'or', 'unless']);

/** Arithmetic, and comparisons as 1 or 0. Division and modulo by zero are NaN in Loki. */
export function applyOperator(op: string, left: number, right: number): number {
  switch (op) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return right === 0 ? Number.NaN : left / right;
    case '%':
      return right === 0 ? Number.NaN : left % right;
    case '^':
      return left ** right;
    default:
      return compare(op, left, right) ? 1 : 0;
  }
}

export function compare(op: string, left: number, right: number): boolean {
  switch (op) {
    case '==':
      return left === right;
    case '!=':
      return left !== right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
    case '<':
      return left < right;
    default:
      return left <= right;
  }
}
