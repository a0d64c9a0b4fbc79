import type { SyntaxNode } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';
import { readSelector } from './selectors.ts';

/** How values of a query are shown: an id of @grafana/data's formats, or a count with a suffix. */
export interface Unit {
  /** e.g. `bytes`, `s`, `percentunit`, `Bps`; absent for plain numbers. */
  format?: string;
  /** e.g. `/s` for a rate of a counter. */
  suffix?: string;
}

const BY_SUFFIX: readonly (readonly [RegExp, string])[] = [
  [/_(?:bytes|bytes_total|size_bytes)$/, 'bytes'],
  [/_(?:milliseconds|ms)(?:_total)?$/, 'ms'],
  [/_(?:microseconds|us)(?:_total)?$/, 'µs'],
  [/_(?:nanoseconds|ns)(?:_total)?$/, 'ns'],
  [/_(?:seconds|duration_seconds)(?:_total)?$/, 's'],
  [/_ratio$/, 'percentunit'],
  [/_percent$/, 'percent'],
  [/_celsius$/, 'celsius'],
];
const BY_UNIT: Record<string, string> = {
  bytes: 'bytes',
  seconds: 's',
  milliseconds: 'ms',
  ratio: 'percentunit',
  percent: 'percent',
  celsius: 'celsius',
};

/** The unit that a query's form and its metric's name say. `unitOf`: the unit in the metadata of a metric, where known. */
export function queryUnit(query: string, unitOf: (metric: string) => string | undefined = () => undefined): Unit {
  const top = parser.parse(query).topNode.firstChild;
  return top ? nodeUnit(query, top, unitOf) : {};
}

const RATES = /^(?:rate|irate|deriv)$/;
/** Functions whose result has the unit of their argument. */
const KEEP =
  /^(?:increase|delta|idelta|abs|ceil|floor|round|sort|sort_desc|clamp|clamp_min|clamp_max|predict_linear|(?:avg|min|max|sum|last|first|quantile|stddev|mad)_over_time|label_replace|label_join)$/;

function nodeUnit(query: string, node: SyntaxNode, unitOf: (metric: string) => string | undefined): Unit {
  const inside = (child: SyntaxNode | null) => (child ? nodeUnit(query, child, unitOf) : {});
  switch (node.name) {
    case 'VectorSelector': {
      const { metric } = readSelector(query, node);
      return metric === undefined ? {} : metricUnit(metric, unitOf);
    }
    case 'MatrixSelector':
    case 'SubqueryExpr':
    case 'ParenExpr':
    case 'OffsetExpr':
    case 'StepInvariantExpr':
      return inside(node.firstChild);
    case 'AggregateExpr': {
      const op = query.slice(node.from, node.from + 12);
      if (/^(?:count|group|count_values)\b/.test(op)) return {};
      return inside(node.getChild('FunctionCallBody')?.lastChild ?? null);
    }
    case 'FunctionCall': {
      const name = node.getChild('FunctionIdentifier');
      const called = name ? query.slice(name.from, name.to) : '';
      const body = node.getChild('FunctionCallBody');
      if (RATES.test(called)) return perSecond(inside(body?.firstChild ?? null));
      if (called === 'histogram_quantile' || called === 'histogram_avg')
        return withoutRate(inside(body?.lastChild ?? null));
      if (KEEP.test(called))
        return inside(/^(?:quantile_over_time)$/.test(called) ? (body?.lastChild ?? null) : (body?.firstChild ?? null));
      return {};
    }
    default:
      return {};
  }
}

/** A metric's unit by its metadata, else by its name. */
function metricUnit(name: string, unitOf: (metric: string) => string | undefined): Unit {
  // Names with dots (`http.duration.seconds`) are read as those with underscores.
  const flat = name.replace(/[.]/g, '_');
  const base = flat.replace(/_(?:bucket|sum|total|created)$/, '');
  const known = BY_UNIT[unitOf(name) ?? ''];
  if (known !== undefined) return { format: known };
  // A point in time is not a span.
  if (/_(?:count|timestamp_seconds|time_seconds|created)$/.test(flat)) return {};
  const found = BY_SUFFIX.find(([suffix]) => suffix.test(base));
  return found ? { format: found[1] } : {};
}

function perSecond(unit: Unit): Unit {
  if (unit.format === undefined) return { suffix: '/s' };
  if (unit.format === 'bytes') return { format: 'binBps' };
  // Seconds per second are a share of time: a plain number.
  return unit.format === 's' ? { suffix: 's/s' } : { suffix: '/s' };
}

/** Within histogram_quantile the rate of buckets stands for the measured value. */
function withoutRate(unit: Unit): Unit {
  if (unit.format === 'binBps') return { format: 'bytes' };
  return unit.suffix === 's/s' ? { format: 's' } : {};
}
