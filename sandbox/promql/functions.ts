import { mergeSteps, withoutName } from './labels.ts';
import { ascending } from './numbers.ts';
import { type Grid, STALE, type StepSeries, timeAt } from './values.ts';

const MATH: Record<string, (value: number) => number> = {
  ...{ abs: Math.abs, ceil: Math.ceil, exp: Math.exp, floor: Math.floor, ln: Math.log, log10: Math.log10 },
  ...{ log2: Math.log2, sqrt: Math.sqrt, acos: Math.acos, acosh: Math.acosh, asin: Math.asin, asinh: Math.asinh },
  ...{ atan: Math.atan, atanh: Math.atanh, cos: Math.cos, cosh: Math.cosh, sin: Math.sin, sinh: Math.sinh },
  ...{ tan: Math.tan, tanh: Math.tanh },
  deg: (value) => (value * 180) / Math.PI,
  rad: (value) => (value * Math.PI) / 180,
  sgn: (value) => (value < 0 ? -1 : value > 0 ? 1 : value),
};

const DATES: Record<string, (date: Date) => number> = {
  minute: (date) => date.getUTCMinutes(),
  hour: (date) => date.getUTCHours(),
  day_of_week: (date) => date.getUTCDay(),
  day_of_month: (date) => date.getUTCDate(),
  day_of_year: (date) =>
    (Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()) - yearStart(date)) / 86_400_000 + 1,
  days_in_month: (date) => new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate(),
  month: (date) => date.getUTCMonth() + 1,
  year: (date) => date.getUTCFullYear(),
};

function yearStart(date: Date): number {
  return Date.UTC(date.getUTCFullYear(), 0, 1);
}

/** A function of one sample and perhaps scalars; undefined when `name` is none. */
export function sampleFunction(
  name: string,
  series: readonly StepSeries[],
  scalars: readonly Float64Array[],
): StepSeries[] | undefined {
  const math = MATH[name] ?? dateOf(name);
  if (math) return mapped(series, math);
  const [first, second] = scalars;
  const at = (values: Float64Array | undefined, i: number): number => values?.[i] ?? Number.NaN;
  switch (name) {
    case 'clamp':
      return mapped(series, (value, i) => {
        const [low, high] = [at(first, i), at(second, i)];
        return high < low ? STALE : Math.max(low, Math.min(high, value));
      });
    case 'clamp_min':
      return mapped(series, (value, i) => Math.max(at(first, i), value));
    case 'clamp_max':
      return mapped(series, (value, i) => Math.min(at(first, i), value));
    case 'round':
      return mapped(series, (value, i) => {
        // As the server counts: by the inverse, which is exact for 0.1 and its like.
        const inverse = 1 / (first ? at(first, i) : 1);
        return Math.floor(value * inverse + 0.5) / inverse;
      });
    default:
      return undefined;
  }
}

function dateOf(name: string): ((seconds: number) => number) | undefined {
  const read = DATES[name];
  return read ? (seconds) => read(new Date(Math.trunc(seconds) * 1000)) : undefined;
}

function mapped(series: readonly StepSeries[], change: (value: number, i: number) => number): StepSeries[] {
  const out = series.map(({ labels, values }) => ({
    labels: withoutName(labels),
    values: values.map((value, i) => (value === STALE ? STALE : change(value, i))),
  }));
  return mergeSteps(out);
}

/** Time of every step in seconds. */
export function stepTimes(grid: Grid): Float64Array {
  return Float64Array.from({ length: grid.count }, (_, i) => timeAt(grid, i) / 1000);
}

/** The value of the only sample at each step, else NaN. */
export function scalarOf(series: readonly StepSeries[], grid: Grid): Float64Array {
  const out = new Float64Array(grid.count).fill(Number.NaN);
  for (let i = 0; i < grid.count; i++) {
    const present = series.filter(({ values }) => values[i] !== STALE);
    if (present.length === 1) out[i] = Number(present[0]?.values[i]);
  }
  return out;
}

/** Order means something in an instant query only; NaN is last either way. */
export function sorted(series: readonly StepSeries[], descending: boolean): StepSeries[] {
  return [...series].sort((a, b) => {
    const [left, right] = [Number(a.values[0]), Number(b.values[0])];
    if (Number.isNaN(left) || Number.isNaN(right)) return Number(Number.isNaN(left)) - Number(Number.isNaN(right));
    return descending ? ascending(right, left) : ascending(left, right);
  });
}
