import fc from 'fast-check';
import { END, START } from './metric-data.ts';

const words = (text: string): fc.Arbitrary<string> => fc.constantFrom(...text.split(' '));
const filled = (make: (...parts: string[]) => string, ...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...parts).map((texts) => make(...texts));

const label = words('job instance code kind version le __name__ none status method');
const labels = fc.uniqueArray(label, { maxLength: 2 }).map((names) => names.join(', '));
const metric = words(
  'requests_total temperature level odd info latency_bucket nosuch up http_requests_total db_pool_in_use build_info',
);
const matcher = filled(
  (name, op, value) => `${name}${op}"${value}"`,
  label,
  words('= != =~ !~'),
  words('a b 1 200 .+ a|b [^a] .* 2.. checkout pay.* 500'),
);
const selector = fc.oneof(
  { weight: 2, arbitrary: metric },
  { weight: 2, arbitrary: filled((name, match) => `${name}{${match}}`, metric, matcher) },
  { weight: 1, arbitrary: filled((job) => `{job="${job}"}`, words('a b c checkout payments')) },
);
const duration = words('15s 1m 100s 5m 10m 7m30s');
const pinned = fc.integer({ min: START - 100, max: END + 100 }).map((time) => ` @ ${time}`);
const shift = fc.oneof(
  { weight: 6, arbitrary: fc.constant('') },
  {
    weight: 2,
    arbitrary: filled(
      (sign, time) => ` offset ${sign}${time}`,
      words('- ').map((sign) => sign.trim()),
      duration,
    ),
  },
  { weight: 1, arbitrary: pinned },
  { weight: 1, arbitrary: words('start end').map((word) => ` @ ${word}()`) },
);
/** For subqueries: into the future the server loses an inner `@` when the step happens to meet the query's start. */
const past = shift.filter((text) => !text.includes('-'));
const selected = filled((s, x) => s + x, selector, shift);
const number = words('0 1 2 -1 0.5 0.9 3 10 1e3 Inf NaN');
const grouping = fc.oneof(
  fc.constant(''),
  filled((word, names) => ` ${word} (${names}) `, words('by without'), labels),
);

// Not exp: near the end of its range Go's assembly gives +Inf a little early.
const { vector } = fc.letrec<{ vector: string; scalar: string; range: string }>((tie) => {
  const inner = tie('vector');
  const scalar = tie('scalar');
  const range = tie('range');
  const matching = fc.oneof(
    { weight: 3, arbitrary: fc.constant('') },
    { weight: 2, arbitrary: filled((word, names) => `${word} (${names}) `, words('on ignoring'), labels) },
    {
      weight: 2,
      arbitrary: filled(
        (word, names, side, more) => `${word} (${names}) ${side} (${more}) `,
        words('on ignoring'),
        labels,
        words('group_left group_right'),
        labels,
      ),
    },
  );
  return {
    scalar: fc.oneof(
      { weight: 6, arbitrary: number },
      { weight: 1, arbitrary: filled((v) => `scalar(${v})`, inner) },
      { weight: 1, arbitrary: filled((a, op, b) => `(${a} ${op} ${b})`, number, words('+ - * / % ^ atan2'), number) },
      { weight: 1, arbitrary: fc.constantFrom('time()', 'pi()') },
    ),
    range: fc.oneof(
      { weight: 5, arbitrary: filled((s, d, x) => `${s}[${d}]${x}`, selector, duration, shift) },
      {
        weight: 1,
        arbitrary: filled((v, d, step, x) => `(${v})[${d}:${step}]${x}`, inner, duration, words('20s 1m 7s'), past),
      },
    ),
    vector: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 3, arbitrary: selected },
      { weight: 1, arbitrary: filled((s) => `vector(${s})`, scalar) },
      {
        weight: 5,
        arbitrary: filled(
          (name, r) => `${name}(${r})`,
          words(
            'rate increase delta irate idelta deriv changes resets avg_over_time sum_over_time min_over_time max_over_time ' +
              'count_over_time last_over_time present_over_time absent_over_time stddev_over_time stdvar_over_time',
          ),
          range,
        ),
      },
      { weight: 1, arbitrary: filled((q, r) => `quantile_over_time(${q}, ${r})`, number, range) },
      { weight: 1, arbitrary: filled((r, s) => `predict_linear(${r}, ${s})`, range, number) },
      {
        weight: 1,
        arbitrary: filled(
          (r, a, b) => `holt_winters(${r}, ${a}, ${b})`,
          range,
          words('0.1 0.5 0.9 2'),
          words('0.2 0.8 -1'),
        ),
      },
      {
        weight: 4,
        arbitrary: filled(
          (op, by, v) => `${op}${by}(${v})`,
          words('sum avg min max count group stddev stdvar'),
          grouping,
          inner,
        ),
      },
      {
        weight: 2,
        arbitrary: filled(
          (op, by, s, v) => `${op}${by}(${s}, ${v})`,
          words('topk bottomk quantile'),
          grouping,
          number,
          // Of equal values the server keeps those that come first, and only these come in a fixed order.
          fc.oneof(
            selected,
            filled((r) => `resets(${r}[10m])`, selector),
          ),
        ),
      },
      {
        weight: 1,
        arbitrary: filled((by, name, v) => `count_values${by}("${name}", ${v})`, grouping, words('v job 0'), inner),
      },
      {
        weight: 3,
        arbitrary: filled((a, op, m, b) => `(${a} ${op} ${m}${b})`, inner, words('+ - * / % ^ atan2'), matching, inner),
      },
      {
        weight: 2,
        arbitrary: filled(
          (a, op, bool, m, b) => `(${a} ${op} ${bool}${m}${b})`,
          inner,
          words('== != < > <= >='),
          fc.constantFrom('', 'bool '),
          matching,
          inner,
        ),
      },
      {
        weight: 2,
        arbitrary: filled(
          (a, op, m, b) => `(${a} ${op} ${m}${b})`,
          inner,
          words('and or unless'),
          fc.oneof(
            fc.constant(''),
            filled((word, names) => `${word} (${names}) `, words('on ignoring'), labels),
          ),
          inner,
        ),
      },
      { weight: 1, arbitrary: filled((a, op, b) => `(${a} ${op} ${b})`, inner, words('+ - * / % ^ > <= =='), scalar) },
      { weight: 1, arbitrary: filled((a, op, b) => `(${a} ${op} ${b})`, scalar, words('+ - * / % ^ > <= =='), inner) },
      {
        weight: 2,
        arbitrary: filled(
          (name, v) => `${name}(${v})`,
          words('abs ceil floor sqrt ln log2 sgn sort_desc sort absent timestamp minute hour deg -'),
          inner,
        ),
      },
      {
        weight: 1,
        arbitrary: filled((name, v, s) => `${name}(${v}, ${s})`, words('round clamp_min clamp_max'), inner, scalar),
      },
      {
        weight: 1,
        arbitrary: filled(
          (q, v) => `histogram_quantile(${q}, ${v})`,
          number,
          fc.oneof(
            inner,
            filled((r) => `rate(latency_bucket[${r}])`, duration),
          ),
        ),
      },
      {
        weight: 1,
        arbitrary: filled(
          (v, to, by, from, re) => `label_replace(${v}, "${to}", "${by}", "${from}", "${re}")`,
          inner,
          words('job new __name__ 9'),
          words('$1 x $1-$0 $$'),
          label,
          words('(.*) (a|b) (.)(.*) x'),
        ),
      },
      {
        weight: 1,
        arbitrary: filled(
          (v, to, a, b) => `label_join(${v}, "${to}", "-", "${a}", "${b}")`,
          inner,
          words('job new'),
          label,
          label,
        ),
      },
    ),
  };
});

/** A query, and where to evaluate it: at one time or over a few steps. */
export const request: fc.Arbitrary<{ path: string; params: Record<string, string> }> = fc.oneof(
  fc.tuple(vector, fc.integer({ min: START - 60, max: END + 400 })).map(([query, time]) => ({
    path: '/api/v1/query',
    params: { query, time: String(time) },
  })),
  fc
    .tuple(vector, fc.integer({ min: START - 300, max: END }), words('15 37 60 299'), fc.integer({ min: 0, max: 900 }))
    .map(([query, start, step, length]) => ({
      path: '/api/v1/query_range',
      params: { query, start: String(start), end: String(start + length), step },
    })),
);
