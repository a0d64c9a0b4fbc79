import type { ValueType } from './ast.ts';

export interface Signature {
  args: ValueType[];
  /** 0: exactly `args`; n: the last one may be missing, and up to n come in its place; -1: any number. */
  variadic: number;
  returns: ValueType;
}

/** Every function of Prometheus 2.42: arguments (s scalar, v vector, m range vector, t string), variadic, result. */
const TABLE = `
  abs v; absent v; absent_over_time m; acos v; acosh v; asin v; asinh v; atan v; atanh v; avg_over_time m; ceil v;
  changes m; clamp vss; clamp_max vs; clamp_min vs; cos v; cosh v; count_over_time m; day_of_month v 1; day_of_week v 1;
  day_of_year v 1; days_in_month v 1; deg v; delta m; deriv m; exp v; floor v; histogram_count v;
  histogram_fraction ssv; histogram_quantile sv; histogram_sum v; holt_winters mss; hour v 1; idelta m; increase m;
  irate m; label_join vttt -1; label_replace vtttt; last_over_time m; ln v; log10 v; log2 v; max_over_time m;
  min_over_time m; minute v 1; month v 1; pi - 0 s; predict_linear ms; present_over_time m; quantile_over_time sm; rad v;
  rate m; resets m; round vs 1; scalar v 0 s; sgn v; sin v; sinh v; sort v; sort_desc v; sqrt v; stddev_over_time m;
  stdvar_over_time m; sum_over_time m; tan v; tanh v; time - 0 s; timestamp v; vector s; year v 1`;

const LETTERS: Record<string, ValueType> = { s: 'scalar', v: 'vector', m: 'matrix', t: 'string' };

export const SIGNATURES: ReadonlyMap<string, Signature> = new Map(
  TABLE.split(';').map((row) => {
    const [name = '', args = '', variadic = '0', returns = 'v'] = row.trim().split(/\s+/);
    const types = args === '-' ? [] : [...args].map((letter) => LETTERS[letter] ?? 'vector');
    return [name, { args: types, variadic: Number(variadic), returns: LETTERS[returns] ?? 'vector' }];
  }),
);
