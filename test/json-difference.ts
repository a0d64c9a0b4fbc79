/** Where two JSON values differ, or undefined. Numbers, also as strings, are equal to one part in 10⁹. */
export function jsonDifference(wanted: unknown, given: unknown, at = 'body'): string | undefined {
  if (isObject(wanted) && isObject(given)) {
    for (const name of new Set([...Object.keys(wanted), ...Object.keys(given)])) {
      const found = jsonDifference(Object(wanted)[name], Object(given)[name], `${at}.${name}`);
      if (found) return found;
    }
    return undefined;
  }
  if (wanted === given || (isNumber(wanted) && isNumber(given) && close(Number(wanted), Number(given))))
    return undefined;
  return `${at}: ${JSON.stringify(given)}, should be ${JSON.stringify(wanted)}`;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^-?\d+(\.\d+)?(e[+-]\d+)?$/.test(value));
}

function close(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));
}
