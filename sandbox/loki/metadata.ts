import type { ApiAnswer, ApiRequest, Labels, LogStore } from '../data/store.ts';
import { compareLabels } from '../logql/labels.ts';
import { selectorTest } from '../logql/matchers.ts';
import { parseSelector } from '../logql/parse.ts';
import { json, success } from './answers.ts';
import { type Bounds, bounds, checkLength, checkOrder } from './params.ts';

/** `/labels`: names; structured metadata is none of them. */
export function labelNames(store: LogStore, request: ApiRequest): ApiAnswer {
  const names = new Set(chosenStreams(store, request).flatMap((labels) => Object.keys(labels)));
  return list(names);
}

/** `/label/{name}/values` */
export function labelValues(store: LogStore, request: ApiRequest, name: string): ApiAnswer {
  const values = new Set<string>();
  for (const labels of chosenStreams(store, request)) {
    const value = labels[name];
    if (value !== undefined) values.add(value);
  }
  return list(values);
}

/** `/series`: none, or a single `{}`, is all. */
export function series(store: LogStore, request: ApiRequest): ApiAnswer {
  const window = checked(request);
  const selectors = [...request.params.getAll('match[]'), ...request.params.getAll('match')];
  const alone = selectors.length <= 1;
  const tests = selectors.map((selector) => selectorTest(parseSelector(selector, alone)));
  const found = store
    .streams(window.start, window.end)
    .filter((labels) => tests.length === 0 || tests.some((test) => test(labels)));
  return success(found.map(sortedLabels).sort(compareLabels));
}

/** `/index/stats`: bare, and every stream counts as one chunk. */
export function indexStats(store: LogStore, request: ApiRequest): ApiAnswer {
  const window = checked(request);
  const totals = { streams: 0, chunks: 0, bytes: 0, entries: 0 };
  for (const { lines } of store.select(
    selectorTest(parseSelector(request.params.get('query') ?? '')),
    window.start,
    window.end,
  )) {
    totals.streams++;
    totals.chunks++;
    totals.entries += lines.length;
    for (const line of lines) totals.bytes += Buffer.byteLength(line.line);
  }
  return json(totals);
}

function chosenStreams(store: LogStore, request: ApiRequest): Labels[] {
  const window = checked(request);
  const query = request.params.get('query') ?? '';
  const streams = store.streams(window.start, window.end);
  return query === '' ? streams : streams.filter(selectorTest(parseSelector(query)));
}

function checked(request: ApiRequest): Bounds {
  const window = bounds(request.params, request.now);
  checkOrder(window);
  checkLength(window);
  return window;
}

/** Loki leaves `data` out when there is nothing. */
function list(values: Set<string>): ApiAnswer {
  return success(values.size === 0 ? undefined : [...values].sort());
}

function sortedLabels(labels: Labels): Labels {
  return Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}
