import type {
  Grouping,
  LabelFilter,
  LogQuery,
  Matcher,
  Matching,
  MetricQuery,
  NameOrMatcher,
  Query,
  RangeAggregation,
  Stage,
} from './ast.ts';
import { goQuote, showFloat, showPromDuration } from './units.ts';

/** Loki's one-line form of a query. */
export function printQuery(query: Query): string {
  switch (query.kind) {
    case 'log':
      return printLog(query);
    case 'number':
      return showFloat(query.value);
    case 'vectorOf':
      return `vector(${query.value.toFixed(6)})`;
    case 'range': {
      const parameter = query.parameter === undefined ? '' : `${showFloat(query.parameter)},`;
      return `${query.op}(${parameter}${printRange(query)})${query.grouping === undefined ? '' : ` ${printGrouping(query.grouping)}`}`;
    }
    case 'vector': {
      const parameter = query.parameter === undefined ? '' : `${showFloat(query.parameter)},`;
      return `${query.op}${query.grouping === undefined ? '' : ` ${printGrouping(query.grouping)}`}(${parameter}${printQuery(query.inner)})`;
    }
    case 'binary':
      return `(${printQuery(query.left)} ${printOperator(query)} ${printQuery(query.right)})`;
    case 'label_replace':
      return `label_replace(${[printQuery(query.inner), ...[query.dst, query.replacement, query.src, query.regex].map(goQuote)].join(',')})`;
  }
}

export function printLog(query: LogQuery): string {
  return [printSelector(query.matchers), ...query.stages.map(printStage)].join(' ');
}

export function printSelector(matchers: Matcher[]): string {
  return `{${matchers.map(printMatcher).join(', ')}}`;
}

function printMatcher(matcher: Matcher): string {
  return `${matcher.name}${matcher.op}${goQuote(matcher.value)}`;
}

/** What stands between the parentheses of a range aggregation. */
function printRange(query: RangeAggregation): string {
  const offset = query.offset === 0 ? '' : ` offset ${showPromDuration(query.offset)}`;
  return `${printLog(query.log)}${printUnwrap(query)}[${showPromDuration(query.range)}]${offset}`;
}

export function printUnwrap(query: RangeAggregation): string {
  if (query.unwrap === undefined) return '';
  const { label, conversion, postFilters } = query.unwrap;
  return [
    ` | unwrap ${conversion === '' ? label : `${conversion}(${label})`}`,
    ...postFilters.map((filter) => `| ${printFilter(filter)}`),
  ].join(' ');
}

/** As Loki quotes a stage in its error texts. */
export function printStage(stage: Stage): string {
  switch (stage.kind) {
    case 'line':
      return `${stage.op} ${stage.parts.map((part) => (part.ip ? `ip(${goQuote(part.value)})` : goQuote(part.value))).join(' or ')}`;
    case 'logfmt': {
      const flags = `${stage.strict ? ' --strict' : ''}${stage.keepEmpty ? ' --keep-empty' : ''}`;
      return `| logfmt${flags}${printExtractions(stage.labels)}`;
    }
    case 'json':
      return `| json${printExtractions(stage.labels)}`;
    case 'pattern':
    case 'regexp':
      return `| ${stage.kind} ${goQuote(stage.pattern)}`;
    case 'unpack':
    case 'decolorize':
      return `| ${stage.kind}`;
    case 'filter':
      return `| ${printFilter(stage.filter)}`;
    case 'line_format':
      return `| line_format ${goQuote(stage.template)}`;
    case 'label_format':
      return `| label_format ${stage.labels.map((label) => `${label.name}=${label.rename ? label.value : goQuote(label.value)}`).join(',')}`;
    case 'drop':
    case 'keep':
      return `| ${stage.kind} ${stage.labels.map(printNameOrMatcher).join(',')}`;
  }
}

function printExtractions(labels: { name: string; expression: string }[]): string {
  return labels.length === 0 ? '' : ` ${labels.map((label) => `${label.name}=${goQuote(label.expression)}`).join(',')}`;
}

function printNameOrMatcher(label: NameOrMatcher): string {
  return label.matcher === undefined ? label.name : printMatcher(label.matcher);
}

export function printFilter(filter: LabelFilter): string {
  switch (filter.kind) {
    case 'matcher':
      return printMatcher(filter.matcher);
    case 'ip':
      return `${filter.name}${filter.op}ip(${goQuote(filter.value)})`;
    case 'and':
      return `( ${printFilter(filter.left)} , ${printFilter(filter.right)} )`;
    case 'or':
      return `( ${printFilter(filter.left)} or ${printFilter(filter.right)} )`;
    default:
      return `${filter.name}${filter.op}${filter.text}`;
  }
}

export function printGrouping(grouping: Grouping): string {
  return `${grouping.without ? 'without' : 'by'} (${grouping.labels.join(',')})`;
}

export function printOperator(query: Extract<MetricQuery, { kind: 'binary' }>): string {
  return `${query.op}${query.bool ? ' bool' : ''}${query.matching === undefined ? '' : printMatching(query.matching)}`;
}

function printMatching(matching: Matching): string {
  const group = matching.group === undefined ? '' : ` group_${matching.group} (${matching.include.join(',')})`;
  return ` ${matching.on ? 'on' : 'ignoring'} (${matching.labels.join(',')})${group}`;
}
