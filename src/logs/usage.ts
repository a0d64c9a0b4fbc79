/** How a stage of a LogQL pipeline is written, for a remedy where no correction is known (Loki's documentation, "Log queries"). */
const STAGES: Record<string, string> = {
  json: '| json, or | json name="path.to.field"',
  logfmt: '| logfmt, or | logfmt name="field"',
  pattern: '| pattern `<ip> - <_> "<method> <path> <_>"`, with one capture at least',
  regexp: '| regexp `status=(?P<status>[0-9]+)`, with one named group at least',
  unpack: '| unpack',
  decolorize: '| decolorize',
  line_format: '| line_format "{{.label}} {{.other}}", every {{ closed by }}',
  label_format: '| label_format new=old, other="{{.label}}"',
  unwrap: '| unwrap field, or | unwrap duration(field), at the end of the pipeline inside a range aggregation',
  drop: '| drop label, other="value"',
  keep: '| keep label, other="value"',
};

const FUNCTIONS: Record<string, string> = {
  topk: 'topk(5, sum by (label) (rate({label="value"}[5m])))',
  bottomk: 'bottomk(5, sum by (label) (rate({label="value"}[5m])))',
  quantile_over_time: 'quantile_over_time(0.95, {label="value"} | logfmt | unwrap field [5m])',
  label_replace: 'label_replace(rate({label="value"}[5m]), "new", "$1", "label", "(.*)")',
};
const AGGREGATION = /^(?:sum|avg|min|max|count|stddev|stdvar)$/;
const COUNTED = /^(?:rate|count_over_time|bytes_rate|bytes_over_time|absent_over_time)$/;

/** One sentence: the form of the stage or function that holds the place (a UTF-16 offset), or that of a whole query. */
export function logqlUsage(query: string, at: number): string {
  const before = query.slice(0, at);
  const stage = /\|\s*([a-z_]+)\b[^|]*$/.exec(before)?.[1];
  if (stage !== undefined && STAGES[stage] !== undefined) return `Its form: ${STAGES[stage]}.`;
  if (/\|=?[~>]?\s*ip\b|\bip\s*\(/.test(before))
    return 'Its form: |= ip("10.0.0.0/8"), an address, a range or a network.';
  if (stage !== undefined)
    return `A label filter compares: | ${stage}="value"; a parser is json, logfmt, pattern or regexp.`;
  const called = /\b([a-z_]+)\s*\(/.exec(query)?.[1] ?? '';
  if (FUNCTIONS[called] !== undefined) return `Its form: ${FUNCTIONS[called]}.`;
  if (AGGREGATION.test(called)) return `Its form: ${called} by (label) (count_over_time({label="value"}[5m])).`;
  if (COUNTED.test(called)) return `Its form: ${called}({label="value"} |= "text" [5m]).`;
  if (called.endsWith('_over_time')) return `Its form: ${called}({label="value"} | logfmt | unwrap field [5m]).`;
  return 'A log query is {label="value"} |= "text" | logfmt | field="value"; a metric query is count_over_time(… [5m]).';
}
