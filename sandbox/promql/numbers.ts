/** Neumaier's sum, as Prometheus sums over time: the sum and what it lost. */
export class CompensatedSum {
  sum = 0;
  lost = 0;

  add(value: number): void {
    const total = this.sum + value;
    this.lost += Math.abs(this.sum) >= Math.abs(value) ? this.sum - total + value : value - total + this.sum;
    this.sum = total;
  }

  get total(): number {
    return Number.isFinite(this.sum) || Number.isNaN(this.sum) ? this.sum + this.lost : this.sum;
  }
}

/** NaN comes first. */
function ascending(a: number, b: number): number {
  if (Number.isNaN(a)) return Number.isNaN(b) ? 0 : -1;
  return Number.isNaN(b) ? 1 : a - b || 0;
}

/**
 * Sorts as Go does up to twelve items. It says where equal items and NaNs end up, which `before` may put ahead of each
 * other both ways.
 */
export function insertionSorted<T>(items: readonly T[], before: (a: T, b: T) => boolean): T[] {
  if (items.length > 12) return [...items].sort((a, b) => (before(a, b) ? -1 : before(b, a) ? 1 : 0));
  const sorted: T[] = [];
  for (const item of items) {
    let at = sorted.length;
    for (let left = sorted[at - 1]; left !== undefined && before(item, left); left = sorted[at - 1]) at--;
    sorted.splice(at, 0, item);
  }
  return sorted;
}

/** Weighted mean of the two nearest ranks; out of [0, 1] the infinities. */
export function quantile(q: number, values: readonly number[]): number {
  if (values.length === 0 || Number.isNaN(q)) return Number.NaN;
  if (q < 0) return Number.NEGATIVE_INFINITY;
  if (q > 1) return Number.POSITIVE_INFINITY;
  const sorted = [...values].sort(ascending);
  const rank = q * (sorted.length - 1);
  const lower = Math.max(0, Math.floor(rank));
  const upper = Math.min(sorted.length - 1, lower + 1);
  const weight = rank - Math.floor(rank);
  return Number(sorted[lower]) * (1 - weight) + Number(sorted[upper]) * weight;
}

/** Mean that avoids overflow by dividing each value, and stays at an infinity once it is there. */
export function nextMean(mean: number, value: number, count: number): number {
  if (stuckAtInfinity(mean, value)) return mean;
  return mean + (value / count - mean / count);
}

export function stuckAtInfinity(mean: number, value: number): boolean {
  if (Number.isFinite(mean) || Number.isNaN(mean)) return false;
  return Number.isFinite(value) || value === mean;
}

/** Go's shortest 'f' format. */
export function plainNumber(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  const text = Object.is(value, -0) ? '-0' : String(value);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ?? [];
  if (whole === '') return text;
  const shift = Number(exponent);
  const digits = whole + fraction;
  if (shift < 0) return `${sign}0.${'0'.repeat(-shift - 1)}${digits}`;
  return sign + digits.padEnd(shift + 1, '0');
}

/** A sample's value in the API's JSON: 'f', but 'e' with two digits below 1e-6 and from 1e21. */
export function sampleNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e-6 && size < 1e21) return String(value);
  if (size !== 0 && Number.isFinite(value)) {
    return String(value).replace(/e([+-])(\d)$/, 'e$10$2');
  }
  return plainNumber(value);
}

/** Go's `%v` of a number out of the range of int64. */
export function shownNumber(value: number): string {
  return Number.isFinite(value) ? value.toExponential() : plainNumber(value);
}
