import { compileRegex } from '../regex.ts';
import type { Stage } from './ast.ts';
import { eachMember, JsonError, type JsonValue, parseJsonPath, valueAtPath } from './json.ts';
import type { LineState } from './line-state.ts';
import { eachPair } from './logfmt.ts';
import { matchPattern, parsePattern } from './pattern.ts';

const JSON_ERROR = 'JSONParserErr';

type Parser = Extract<Stage, { kind: 'logfmt' | 'json' | 'pattern' | 'regexp' | 'unpack' }>;

/** Parsers keep every line; what they cannot read becomes `__error__`. */
export function lineParser(stage: Parser): (state: LineState) => void {
  switch (stage.kind) {
    case 'logfmt':
      return logfmtParser(stage);
    case 'json':
      return stage.labels.length === 0 ? parseJson : jsonExpressions(stage.labels);
    case 'pattern': {
      const pattern = parsePattern(stage.pattern);
      return (state) => {
        for (const [name, value] of matchPattern(pattern, state.line)) state.extract(name, value);
      };
    }
    case 'regexp': {
      const regex = compileRegex(stage.pattern);
      return (state) => {
        const match = regex.exec(state.line);
        if (match === undefined) return;
        for (const [i, name] of regex.names.entries()) if (name !== '') state.extract(name, match.groups[i] ?? '');
      };
    }
    case 'unpack':
      return unpack;
  }
}

function logfmtParser(stage: Extract<Stage, { kind: 'logfmt' }>): (state: LineState) => void {
  const wanted = new Map<string, string[]>();
  for (const { name, expression } of stage.labels) wanted.set(expression, [...(wanted.get(expression) ?? []), name]);
  return (state) => {
    const fault = eachPair(state.line, stage.strict, (rawKey, value) => {
      if (value === '' && !stage.keepEmpty && wanted.size === 0) return;
      const clean = value.includes('\ufffd') ? '' : value;
      if (wanted.size > 0) for (const name of wanted.get(rawKey) ?? []) state.extract(name, clean);
      else {
        const key = labelName(rawKey, true);
        if (key !== '') state.extract(key, clean);
      }
    });
    for (const { name } of stage.labels) if (state.get(name) === undefined) state.set(name, '');
    if (stage.strict && fault !== undefined) state.failParser('LogfmtParserErr', fault);
  };
}

function parseJson(state: LineState): void {
  try {
    eachMember(state.line, (key, value) => flatten(state, labelName(key, true), value));
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    state.failParser(JSON_ERROR, error.message);
  }
}

function flatten(state: LineState, name: string, value: JsonValue): void {
  if (value.type === 'object')
    eachMember(value.text, (key, member) => flatten(state, `${name}_${labelName(key, false)}`, member));
  // Arrays and null make no label.
  else if (value.type !== 'array' && value.type !== 'null' && name !== '')
    state.extract(name, value.text.includes('\ufffd') ? '' : value.text);
}

function jsonExpressions(labels: { name: string; expression: string }[]): (state: LineState) => void {
  const paths = labels.map(({ name, expression }) => ({ name, path: parseJsonPath(expression) }));
  return (state) => {
    if (!/^["{[]/.test(state.line)) {
      state.failParser(JSON_ERROR, '');
      return;
    }
    for (const { name, path } of paths) {
      const value = valueAtPath(state.line, path);
      state.extract(name, value === undefined || value.type === 'null' ? '' : value.text);
    }
  };
}

/** What `pack` of a shipper made: strings become labels, `_entry` the line. */
function unpack(state: LineState): void {
  if (!state.line.startsWith('{')) {
    state.failParser(JSON_ERROR, 'expecting json object(6), but it is not');
    return;
  }
  const labels: [string, string][] = [];
  let entry: string | undefined;
  try {
    eachMember(state.line, (key, value) => {
      if (value.type !== 'string') return;
      if (key === '_entry') entry = value.text;
      else labels.push([labelName(key, true), value.text]);
    });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    state.failParser(JSON_ERROR, error.message);
    return;
  }
  // Without `_entry` the line was not packed, and its members are no labels.
  if (entry === undefined) return;
  state.line = entry;
  for (const [name, value] of labels) state.extract(name, value);
}

/** Letters that a label name cannot have become `_`. */
export function labelName(key: string, first: boolean): string {
  if (/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(key)) return key;
  const trimmed = key.trim();
  return (first && /^[0-9]/.test(trimmed) ? `_${trimmed}` : trimmed).replace(/[^a-zA-Z0-9_]/gu, '_');
}
