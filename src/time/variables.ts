import { showSpan } from './show.ts';

/** Grafana's interval variables in a query by their values, and which were replaced, so that the answer can say it. */
export function expandIntervals(
  query: string,
  opt: { stepMs: number; rangeMs: number; scrapeMs?: number },
): { query: string; replaced: string[] } {
  const scrape = opt.scrapeMs ?? 15_000;
  // Grafana's rule for $__rate_interval: four scrapes at least, or step plus one scrape.
  const rate = Math.max(opt.stepMs + scrape, 4 * scrape);
  const values: Record<string, string> = {
    __interval: showSpan(opt.stepMs),
    __auto: showSpan(opt.stepMs),
    __interval_ms: String(opt.stepMs),
    __rate_interval: showSpan(rate),
    __range: showSpan(opt.rangeMs),
    __range_s: String(Math.round(opt.rangeMs / 1000)),
    __range_ms: String(Math.round(opt.rangeMs)),
  };
  const replaced = new Set<string>();
  const text = query.replace(/\$(?:\{(__\w+)\}|(__\w+))/g, (all, braced?: string, bare?: string) => {
    const value = values[braced ?? bare ?? ''];
    if (value === undefined) return all;
    replaced.add(`$${braced ?? bare} = ${value}`);
    return value;
  });
  return { query: text, replaced: [...replaced] };
}
