import type { Unit } from './units.ts';

export type ShowNumber = (value: number) => string;

/** Values for people: NaN and ±Inf stay what they are, whole numbers keep all digits, others four that count. */
export async function numberFormat(unit: Unit = {}): Promise<ShowNumber> {
  const suffix = unit.suffix ?? '';
  if (unit.format === undefined) return (value) => plain(value) + (Number.isFinite(value) ? suffix : '');
  const { getValueFormat, formattedValueToString } = await import('../grafana-data.ts');
  const format = getValueFormat(unit.format);
  return (value) =>
    Number.isFinite(value) ? formattedValueToString(format(value, decimals(value))).trim() : plain(value);
}

export function plain(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const size = Math.abs(value);
  if (size >= 1e15 || (size > 0 && size < 1e-4)) return Number(value.toPrecision(4)).toExponential();
  if (Number.isInteger(value) || size >= 10_000) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(4)));
}

/** Formatters scale first (0.0021 s → 2.10 ms); two digits serve every scale, whole values need none. */
function decimals(value: number): number | undefined {
  return value === 0 ? 0 : 2;
}
