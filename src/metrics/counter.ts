import { bareSelector, type Selector } from './selectors.ts';

/**
 * The counter whose raw value a query shows: by the metric's type, else by its name. Undefined for a rate, an aggregation
 * (whose falls may be series that ended) and everything that is no counter.
 */
export function rawCounter(query: string, typeOf: (metric: string) => string | undefined): Selector | undefined {
  const selector = bareSelector(query);
  if (selector?.metric === undefined) return undefined;
  return isCounter(selector.metric, typeOf(selector.metric)) ? selector : undefined;
}

/** `type`: of the metric itself or of the histogram or summary that it is a part of. */
function isCounter(metric: string, type: string | undefined): boolean {
  if (type === 'counter') return true;
  if (type === 'histogram' || type === 'summary') return /_(?:bucket|count|sum)$/.test(metric);
  const known = type !== undefined && type !== 'unknown' && type !== '';
  return !known && /_(?:total|bucket)$/.test(metric);
}

/** Times at which a counter began anew: values that are below the one before. */
export function resetsOf(times: readonly number[], values: readonly number[]): number[] {
  const resets: number[] = [];
  let before = Number.NaN;
  for (const [i, value] of values.entries()) {
    if (Number.isNaN(value)) continue;
    if (value < before) resets.push(times[i] ?? 0);
    before = value;
  }
  return resets;
}
