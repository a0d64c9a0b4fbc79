import type { ApiRequest, Labels, MetricStore } from '../data/store.ts';
import { bare, type Expr } from '../promql/ast.ts';
import { labelKey, sortedByLabels } from '../promql/labels.ts';
import { allMatchEmpty, type Matcher, matchesAll } from '../promql/matchers.ts';
import { sampleNumber } from '../promql/numbers.ts';
import { parseSelector } from '../promql/parse.ts';
import { ParseProblem, parseErrorText } from '../promql/problems.ts';
import { labelsJson, seconds } from './answer.ts';
import { type Span, seriesInBlocks, seriesInChunks } from './blocks.ts';
import { spanParams, timeParam } from './params.ts';
import { type ApiProblem, badData, badParameter } from './problem.ts';
import { parsed } from './query.ts';

const LABEL_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

/** `data` of /series. */
export function seriesList(store: MetricStore, { params }: ApiRequest): string {
  if (params.getAll('match[]').length === 0) throw badData('no match[] parameter provided');
  const span = spanParams(params);
  const sets = matcherSets(params, (message) => badParameter('match[]', message));
  return `[${matched(store, sets, span, seriesInChunks).map(labelsJson).join(',')}]`;
}

/** `data` of /labels. */
export function labelNames(store: MetricStore, { params }: ApiRequest): string {
  const span = spanParams(params);
  const names = matched(store, matcherSets(params, badData), span, seriesInBlocks).flatMap((labels) =>
    Object.keys(labels),
  );
  return JSON.stringify(distinct(names));
}

/** `data` of /label/<name>/values. */
export function labelValues(store: MetricStore, { params }: ApiRequest, name: string): string {
  if (!LABEL_NAME.test(name)) throw badData(`invalid label name: ${JSON.stringify(name)}`);
  const span = spanParams(params);
  const values = matched(store, matcherSets(params, badData), span, seriesInBlocks).map((labels) => labels[name] ?? '');
  return JSON.stringify(distinct(values.filter((value) => value !== '')));
}

/** `data` of /metadata. */
export function metadata(store: MetricStore, { params }: ApiRequest): string {
  const limit = params.get('limit') ? Number(params.get('limit')) : -1;
  if (!Number.isInteger(limit)) throw badData('limit must be a number');
  const metric = params.get('metric');
  const all = [...store.metadata()].filter(([name]) => !metric || name === metric);
  const shown = all.slice(0, limit < 0 ? undefined : limit);
  return JSON.stringify(
    Object.fromEntries(shown.map(([name, { type, help, unit }]) => [name, [{ type, help, unit }]])),
  );
}

/** `data` of /query_exemplars: those of the series that any selector of the query names; nothing without a selector. */
export function queryExemplars(store: MetricStore, { params }: ApiRequest): string {
  const start = timeParam(params, 'start', 0);
  const end = timeParam(params, 'end', Number.MAX_SAFE_INTEGER);
  if (end < start) throw badData('end timestamp must not be before start timestamp');
  const selectors = selectorsOf(parsed(params.get('query') ?? '', badData)).map(matchesAll);
  if (selectors.length === 0) return '';
  const groups = new Map<string, { labels: Labels; exemplars: string[] }>();
  for (const { seriesLabels, labels, value, time } of store.exemplars(start, end)) {
    if (!selectors.some((match) => match(seriesLabels))) continue;
    const key = labelKey(seriesLabels);
    const group = groups.get(key) ?? { labels: seriesLabels, exemplars: [] };
    group.exemplars.push(
      `{"labels":${labelsJson(labels)},"value":"${sampleNumber(value)}","timestamp":${seconds(time)}}`,
    );
    groups.set(key, group);
  }
  const items = sortedByLabels([...groups.values()]).map(
    ({ labels, exemplars }) => `{"seriesLabels":${labelsJson(labels)},"exemplars":[${exemplars.join(',')}]}`,
  );
  return `[${items.join(',')}]`;
}

function selectorsOf(expr: Expr): Matcher[][] {
  const inner = bare(expr);
  switch (inner.kind) {
    case 'selector':
      return [inner.matchers];
    case 'range':
      return [inner.selector.matchers];
    case 'call':
      return inner.args.flatMap(selectorsOf);
    case 'aggregate':
      return [inner.param, inner.expr].flatMap((part) => (part ? selectorsOf(part) : []));
    case 'binary':
      return [...selectorsOf(inner.left), ...selectorsOf(inner.right)];
    case 'unary':
    case 'subquery':
      return selectorsOf(inner.expr);
    default:
      return [];
  }
}

function matcherSets(params: URLSearchParams, refuse: (message: string) => ApiProblem): Matcher[][] {
  const sets = params.getAll('match[]').map((text) => {
    try {
      return parseSelector(text);
    } catch (error) {
      if (error instanceof ParseProblem) throw refuse(parseErrorText(text, error));
      throw error;
    }
  });
  if (sets.some(allMatchEmpty)) throw refuse('match[] must contain at least one non-empty matcher');
  return sets;
}

/** Series of any of the sets (of all without sets), each once, in order. */
function matched(store: MetricStore, sets: readonly Matcher[][], span: Span, find: typeof seriesInBlocks): Labels[] {
  const tests = sets.length === 0 ? [() => true] : sets.map(matchesAll);
  const found = find(store, (labels) => tests.some((test) => test(labels)), span);
  return sortedByLabels(found.map((labels) => ({ labels }))).map(({ labels }) => labels);
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)].sort();
}
