import type { Grouping, LabelFilter, RangeAggregation, Stage } from './ast.ts';
import { ERROR } from './line-state.ts';

/** What Loki tells its parsers about a metric query, as far as it shows in answers. */
export interface ParserHints {
  /** Labels that the query needs; an error text names no other parsed ones. */
  names: Set<string>;
  /** No parsed label is needed, so parsers do not run, and do not fail. */
  idle: boolean;
  /** The query looks at `__error__` itself: an error is a label like others and does not fail the query. */
  preserveErrors: boolean;
}

/** `outer`: grouping of a `sum` around it, which Loki hands down. */
export function parserHints(query: RangeAggregation, outer: Grouping | undefined): ParserHints {
  const grouping = query.grouping ?? outer;
  const names = new Set(grouping?.labels);
  if (query.unwrap !== undefined) names.add(query.unwrap.label);
  for (const filter of query.unwrap?.postFilters ?? []) addFilterNames(filter, names);
  let formats = false;
  for (const stage of query.log.stages) {
    if (stage.kind === 'filter') addFilterNames(stage.filter, names);
    if (stage.kind === 'line_format' || stage.kind === 'label_format') formats = true;
    if (stage.kind === 'label_format')
      for (const label of stage.labels) names.add(label.rename ? label.value : label.name);
  }
  const unlabelled =
    query.op === 'absent_over_time' || (grouping !== undefined && !grouping.without && grouping.labels.length === 0);
  return { names, idle: unlabelled && names.size === 0 && !formats, preserveErrors: names.has(ERROR) };
}

export function isParser(stage: Stage): boolean {
  return ['json', 'logfmt', 'pattern', 'regexp'].includes(stage.kind);
}

function addFilterNames(filter: LabelFilter, names: Set<string>): void {
  switch (filter.kind) {
    case 'and':
    case 'or':
      addFilterNames(filter.left, names);
      addFilterNames(filter.right, names);
      return;
    case 'matcher':
      names.add(filter.matcher.name);
      return;
    default:
      names.add(filter.name);
  }
}
