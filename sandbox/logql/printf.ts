import { show, type Value } from './template-functions.ts';
import { goQuote } from './units.ts';

/** Go's `fmt.Sprintf` for strings, numbers and booleans. */
export function printf(format: string, args: Value[]): string {
  let next = 0;
  const out = format.replace(
    /%([-+# 0]*)(\d+|\*)?(?:\.(\d+))?([a-zA-Z%])/g,
    (_, flags: string, width: string | undefined, precision: string | undefined, verb: string) => {
      if (verb === '%') return '%';
      const size = width === '*' ? Number(args[next++] ?? 0) : Number(width ?? 0);
      if (next >= args.length) return `%!${verb}(MISSING)`;
      const value = args[next++] ?? null;
      return pad(one(verb, value, precision === undefined ? undefined : Number(precision), flags), size, flags, verb);
    },
  );
  if (next >= args.length) return out;
  return `${out}%!(EXTRA ${args
    .slice(next)
    .map((value) => `${typeName(value)}=${show(value)}`)
    .join(', ')})`;
}

function one(verb: string, value: Value, precision: number | undefined, flags: string): string {
  const number = typeof value === 'number' ? value : undefined;
  const plus = flags.includes('+') && number !== undefined && number >= 0 ? '+' : '';
  switch (verb) {
    case 'v':
      return show(value);
    case 's':
      if (typeof value === 'number' || typeof value === 'boolean') return `%!s(${typeName(value)}=${show(value)})`;
      return precision === undefined ? show(value) : [...show(value)].slice(0, precision).join('');
    case 'q':
      return goQuote(show(value));
    case 'd':
      return number === undefined || !Number.isInteger(number)
        ? `%!d(${typeName(value)}=${show(value)})`
        : plus + String(number);
    case 'f':
    case 'F':
      return number === undefined ? `%!f(${typeName(value)}=${show(value)})` : plus + number.toFixed(precision ?? 6);
    case 'e':
      return number === undefined
        ? `%!e(${typeName(value)}=${show(value)})`
        : plus + exponent(number.toExponential(precision ?? 6));
    case 'g':
      return number === undefined
        ? `%!g(${typeName(value)}=${show(value)})`
        : plus + (precision === undefined ? show(number) : String(Number(number.toPrecision(precision))));
    case 'x':
    case 'X': {
      const hex = number === undefined ? Buffer.from(show(value)).toString('hex') : number.toString(16);
      return verb === 'X' ? hex.toUpperCase() : hex;
    }
    case 't':
      return typeof value === 'boolean' ? String(value) : `%!t(${typeName(value)}=${show(value)})`;
    case 'T':
      return typeName(value);
    default:
      return `%!${verb}(${typeName(value)}=${show(value)})`;
  }
}

function exponent(text: string): string {
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}

function pad(text: string, width: number, flags: string, verb: string): string {
  const missing = width - [...text].length;
  if (missing <= 0) return text;
  if (flags.includes('-')) return text + ' '.repeat(missing);
  if (flags.includes('0') && 'dfFegx'.includes(verb))
    return text.replace(/^[+-]?/, (sign) => sign + '0'.repeat(missing));
  return ' '.repeat(missing) + text;
}

function typeName(value: Value): string {
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : value === null ? '<nil>' : 'map[string]interface {}';
}
