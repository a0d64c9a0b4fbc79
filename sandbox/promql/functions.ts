import { dateFunction } from './dates.ts';
import { mergeSteps, withoutName } from './labels.ts';
import { insertionSorted } from './numbers.ts';
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

/** A function of one sample and perhaps scalars; undefined when `name` is none. */
export function sampleFunction(
  name: string,
  series: readonly StepSeries[],
  scalars: readonly Float64Array[],
): StepSeries[] | undefined {
  const math = MATH[name] ?? dateFunction(name);
  if (math) return mapped(series, math);
  const [first, second] = scalars;
  const at = (values: Float64Array | undefined, i: number): number => values?.[i] ?? Number.NaN;
  switch (name) {
    case 'clamp':
      return mapped(series, (value, i) => {
        const [low, high] = [at(first, i), at(second, i)];
        return high < low ? STALE : larger(low, smaller(high, value));
      });
    case 'clamp_min':
      return mapped(series, (value, i) => larger(at(first, i), value));
    case 'clamp_max':
      return mapped(series, (value, i) => smaller(at(first, i), value));
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

function mapped(series: readonly StepSeries[], change: (value: number, i: number) => number): StepSeries[] {
  const out = series.map(({ labels, values }) => ({
    labels: withoutName(labels),
    values: values.map((value, i) => (value === STALE ? STALE : change(value, i))),
  }));
  return mergeSteps(out);
}

/** As Go has it: an infinity that decides wins over a NaN. */
function larger(a: number, b: number): number {
  return a === Number.POSITIVE_INFINITY || b === Number.POSITIVE_INFINITY ? Number.POSITIVE_INFINITY : Math.max(a, b);
}

function smaller(a: number, b: number): number {
  return a === Number.NEGATIVE_INFINITY || b === Number.NEGATIVE_INFINITY ? Number.NEGATIVE_INFINITY : Math.min(a, b);
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
  const at = ({ values }: StepSeries): number => values[0] ?? STALE;
  return insertionSorted(series, (a, b) => Number.isNaN(at(b)) || (descending ? at(a) > at(b) : at(a) < at(b)));
}
