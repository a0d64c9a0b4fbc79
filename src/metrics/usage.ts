/** How calls of PromQL are written, for a remedy where no correction is known (Prometheus's documentation, "Functions"). */
const FORMS: Record<string, string> = {
  topk: 'topk(5, metric)',
  bottomk: 'bottomk(5, metric)',
  quantile: 'quantile(0.9, metric)',
  count_values: 'count_values("label", metric)',
  histogram_quantile: 'histogram_quantile(0.95, sum by (le) (rate(name_bucket[5m])))',
  quantile_over_time: 'quantile_over_time(0.9, metric[5m])',
  predict_linear: 'predict_linear(metric[1h], 3600)',
  label_replace: 'label_replace(metric, "new", "$1", "label", "(.*)")',
  label_join: 'label_join(metric, "new", "-", "label", "other")',
  clamp: 'clamp(metric, 0, 100)',
  clamp_min: 'clamp_min(metric, 0)',
  clamp_max: 'clamp_max(metric, 100)',
  round: 'round(metric, 0.1)',
  vector: 'vector(1)',
  time: 'time()',
};
const AGGREGATION = /^(?:sum|avg|min|max|count|group|stddev|stdvar)$/i;
const OF_RANGES = /^(?:rate|irate|increase|delta|idelta|deriv|changes|resets|\w+_over_time)$/;

// Words that are no call, each with its place in a query.
const WORDS: readonly (readonly [RegExp, string])[] = [
  [
    /\bgroup_(?:left|right)\b/,
    'group_left and group_right stand behind on(…) or ignoring(…): a * on (label) group_left b.',
  ],
  [/\bbool\b/, 'bool stands behind a comparison: metric > bool 0.'],
  [/@/, '@ takes seconds since 1970, start() or end(): metric @ end().'],
  [/\boffset\b/, 'offset stands behind the selector: rate(metric[5m] offset 1h).'],
  [/\b(?:by|without)\b/, 'Its form: sum by (label) (metric).'],
];

/** One sentence: the form of the call or word that holds the place (a UTF-16 offset), or that of a whole query. */
export function promqlUsage(query: string, at: number): string {
  const near = query.slice(0, at + 12);
  const called =
    /([a-zA-Z_]+)\s*\([^()]*$/.exec(query.slice(0, at + 1))?.[1] ?? /\b([a-zA-Z_]+)\s*\(/.exec(query)?.[1] ?? '';
  const form = FORMS[called.toLowerCase()];
  if (form !== undefined) return `Its form: ${form}.`;
  const word = WORDS.find(([pattern]) => pattern.test(near));
  if (word !== undefined) return word[1];
  if (AGGREGATION.test(called)) return `Its form: ${called} by (label) (metric).`;
  if (OF_RANGES.test(called)) return `Its form: ${called}(metric[5m]).`;
  if (/[^\u0000-\u007f]/.test(query.slice(at, at + 2)))
    return 'Prometheus 3 reads such a name in quotes and braces: {"name"}; older ones have none.';
  return 'A query is metric{label="value"}, rate(metric[5m]) or sum by (label) (rate(metric[5m])).';
}
