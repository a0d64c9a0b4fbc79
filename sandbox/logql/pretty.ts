import type { LogQuery, MetricQuery, Query, RangeAggregation } from './ast.ts';
import { printGrouping, printLog, printOperator, printQuery, printSelector, printStage, printUnwrap } from './print.ts';
import { goQuote, showFloat, showPromDuration } from './units.ts';

const MAX_LINE = 100;

/** Loki's `format_query`: one line up to 100 characters, else split and indented by two spaces a level. */
export function prettyQuery(query: Query, level = 0): string {
  const text = printQuery(query);
  if (text.length <= MAX_LINE) return indent(level) + text;
  switch (query.kind) {
    case 'log':
      return prettyLog(query, level);
    case 'range':
      return prettyRange(query, level);
    case 'vector': {
      const grouping = query.grouping === undefined ? '' : ` ${printGrouping(query.grouping)}`;
      const parameter = query.parameter === undefined ? '' : `${indent(level + 1)}${showFloat(query.parameter)},\n`;
      return `${indent(level)}${query.op}${grouping}(\n${parameter}${prettyQuery(query.inner, level + 1)}\n${indent(level)})`;
    }
    case 'binary':
      return `${prettyQuery(query.left, level + 1)}\n${indent(level)}${printOperator(query)}\n${prettyQuery(query.right, level + 1)}`;
    case 'label_replace':
      return prettyReplace(query, level);
    default:
      return indent(level) + text;
  }
}

function prettyLog(query: LogQuery, level: number): string {
  if (printLog(query).length <= MAX_LINE || query.stages.length === 0) return indent(level) + printLog(query);
  return [
    indent(level) + printSelector(query.matchers),
    ...query.stages.map((stage) => indent(level + 1) + printStage(stage)),
  ].join('\n');
}

function prettyRange(query: RangeAggregation, level: number): string {
  const parameter = query.parameter === undefined ? '' : `${indent(level + 1)}${showFloat(query.parameter)},\n`;
  const unwrap = query.unwrap === undefined ? '' : `\n${indent(level + 2)}${printUnwrap(query).trimStart()}`;
  const offset = query.offset === 0 ? '' : ` offset ${showPromDuration(query.offset)}`;
  const grouping = query.grouping === undefined ? '' : ` ${printGrouping(query.grouping)}`;
  const body = `${prettyLog(query.log, level + 1)}${unwrap} [${showPromDuration(query.range)}]${offset}`;
  return `${indent(level)}${query.op}(\n${parameter}${body}\n${indent(level)})${grouping}`;
}

function prettyReplace(query: Extract<MetricQuery, { kind: 'label_replace' }>, level: number): string {
  const texts = [query.dst, query.replacement, query.src, query.regex].map((text) => indent(level + 1) + goQuote(text));
  return `${indent(level)}label_replace(\n${[prettyQuery(query.inner, level + 1), ...texts].join(',\n')}\n${indent(level)})`;
}

function indent(level: number): string {
  return '  '.repeat(level);
}
