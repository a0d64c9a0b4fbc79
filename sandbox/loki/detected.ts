import type { ApiAnswer, ApiRequest, Labels, LogStore } from '../data/store.ts';
import { LogqlError } from '../logql/errors.ts';
import { eachMember, JsonError } from '../logql/json.ts';
import { eachPair } from '../logql/logfmt.ts';
import { evaluateLogs } from '../logql/logs.ts';
import { selectorTest } from '../logql/matchers.ts';
import { parseQuery, parseSelector } from '../logql/parse.ts';
import { labelName } from '../logql/parsers.ts';
import { parseBytes, parseGoDuration } from '../logql/units.ts';
import { json } from './answers.ts';
import { bounds, checkOrder, limit } from './params.ts';

interface Field {
  label: string;
  type: string;
  values: Set<string>;
  parsers: Set<string>;
  jsonPath?: string[];
}

/** `/detected_fields`: what the parsers find in the newest lines. Cardinalities are exact here, estimates in Loki. */
export function detectedFields(store: LogStore, request: ApiRequest): ApiAnswer {
  const most = limit(request.params, 1000, request.params.has('limit') ? 'limit' : 'field_limit');
  const fields = [...collect(store, request).values()].slice(0, most);
  if (fields.length === 0) return json({});
  const shown = fields.map(({ label, type, values, parsers, jsonPath }) => ({
    label,
    type,
    cardinality: values.size,
    parsers: parsers.size === 0 ? null : [...parsers],
    ...(jsonPath === undefined ? {} : { jsonPath }),
  }));
  return json({ fields: shown, limit: most });
}

/** `/detected_field/{name}/values` */
export function detectedValues(store: LogStore, request: ApiRequest, name: string): ApiAnswer {
  const most = limit(request.params, 1000, request.params.has('limit') ? 'limit' : 'field_limit');
  const values = collect(store, request).get(name)?.values;
  if (values === undefined) return json({});
  return json({ values: [...values].sort().slice(0, most), limit: most });
}

function collect(store: LogStore, request: ApiRequest): Map<string, Field> {
  const window = bounds(request.params, request.now);
  checkOrder(window);
  const query = parseQuery(request.params.get('query') ?? '');
  if (query.kind !== 'log') throw new LogqlError('only log selector is supported');
  const lines = limit(request.params, 100, 'line_limit');
  const found = evaluateLogs(query, store, { ...window, limit: lines, direction: 'backward', interval: 0n });
  const fields = new Map<string, Field>();
  const note = (label: string, value: string, parser?: string, jsonPath?: string[]): void => {
    let field = fields.get(label);
    if (field === undefined) {
      field = { label, type: typeOf(value), values: new Set(), parsers: new Set() };
      fields.set(label, field);
    }
    field.values.add(value);
    if (parser !== undefined) field.parsers.add(parser);
    if (jsonPath !== undefined) field.jsonPath = jsonPath;
  };
  for (const { entries } of found.streams) {
    for (const { line, structured } of entries) {
      for (const name in structured) note(name, structured[name] ?? '');
      if (
        !jsonFields(line, [], (path, value) =>
          note(path.map((part, index) => labelName(part, index === 0)).join('_'), value, 'json', path),
        )
      ) {
        eachPair(line, false, (key, value) => {
          if (value !== '') note(labelName(key, true), value, 'logfmt');
        });
      }
    }
  }
  return fields;
}

/** False when the line is no JSON object. */
function jsonFields(text: string, path: string[], take: (path: string[], value: string) => void): boolean {
  try {
    eachMember(text, (key, value) => {
      if (value.type === 'object') jsonFields(value.text, [...path, key], take);
      else if (value.type !== 'array' && value.type !== 'null') take([...path, key], value.text);
    });
    return true;
  } catch (error) {
    if (error instanceof JsonError) return false;
    throw error;
  }
}

function typeOf(value: string): string {
  if (/^[+-]?\d+$/.test(value)) return 'int';
  if (value !== '' && Number.isFinite(Number(value))) return 'float';
  if (/^(true|false|t|f)$/i.test(value)) return 'boolean';
  if (reads(() => parseGoDuration(value))) return 'duration';
  if (reads(() => parseBytes(value))) return 'bytes';
  return 'string';
}

function reads(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

const ALWAYS = new Set(['cluster', 'namespace', 'instance', 'pod']);

/** `/detected_labels`: labels that help to narrow down; those whose values are all ids or numbers are left out. */
export function detectedLabels(store: LogStore, request: ApiRequest): ApiAnswer {
  const window = bounds(request.params, request.now);
  checkOrder(window);
  const query = request.params.get('query') ?? '';
  const test = query === '' || query === '{}' ? (): boolean => true : selectorTest(parseSelector(query));
  const values = new Map<string, Set<string>>();
  for (const labels of store.streams(window.start, window.end).filter(test)) addValues(labels, values);
  const detected = [...values]
    .filter(
      ([name, set]) =>
        ALWAYS.has(name) || ![...set].every((value) => /^[\d.]+$|^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(value)),
    )
    .map(([label, set]) => ({ label, cardinality: set.size }));
  return json(detected.length === 0 ? {} : { detectedLabels: detected });
}

function addValues(labels: Labels, values: Map<string, Set<string>>): void {
  for (const name in labels) values.set(name, (values.get(name) ?? new Set()).add(labels[name] ?? ''));
}
