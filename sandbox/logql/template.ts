import type { LineState } from './line-state.ts';
import { TemplateError } from './template-error.ts';
import { FUNCTIONS, show, truth, type Value } from './template-functions.ts';
import { type Node, type Pipe, parseTemplate, type Term } from './template-parse.ts';

export { TemplateError };

/** Go `text/template` as far as log formats use it. Throws TemplateError in Go's words; so does the result while running. */
export function compileTemplate(name: string, text: string): (state: LineState) => string {
  const nodes = parseTemplate(name, text);
  return (state) => {
    const scope: Scope = { state, dot: undefined, variables: new Map() };
    return render(nodes, scope);
  };
}

interface Scope {
  state: LineState;
  /** Undefined: the labels of the line. */
  dot: Value | undefined;
  variables: Map<string, Value>;
}

function render(nodes: readonly Node[], scope: Scope): string {
  let out = '';
  for (const node of nodes) {
    switch (node.kind) {
      case 'text':
        out += node.text;
        break;
      case 'action': {
        const value = evaluate(node.pipe, scope);
        if (node.variable === undefined) out += show(value);
        else scope.variables.set(node.variable, value);
        break;
      }
      case 'if':
      case 'with': {
        const value = evaluate(node.pipe, scope);
        if (node.variable !== undefined) scope.variables.set(node.variable, value);
        const inner = node.kind === 'with' ? { ...scope, dot: value } : scope;
        out += truth(value) ? render(node.body, inner) : render(node.otherwise, scope);
        break;
      }
      case 'range': {
        const items = itemsOf(evaluate(node.pipe, scope));
        for (const [key, item] of items) {
          if (node.key !== undefined) scope.variables.set(node.key, key);
          if (node.variable !== undefined) scope.variables.set(node.variable, item);
          out += render(node.body, { ...scope, dot: item });
        }
        if (items.length === 0) out += render(node.otherwise, scope);
      }
    }
  }
  return out;
}

function itemsOf(value: Value): [Value, Value][] {
  if (Array.isArray(value)) return value.map((item, index) => [index, item]);
  if (value !== null && typeof value === 'object') {
    return Object.keys(value)
      .sort()
      .map((key) => [key, value[key] ?? null]);
  }
  return [];
}

/** Each command's result is the last argument of the next. */
function evaluate(pipe: Pipe, scope: Scope): Value {
  let piped: Value | undefined;
  for (const command of pipe) {
    const [head, ...rest] = command;
    if (head === undefined) throw new TemplateError('missing value for command');
    if (head.kind !== 'function') {
      piped = termValue(head, scope);
      continue;
    }
    // `and` and `or` stop early in Go; without side effects the result is the same.
    const given = rest.map((term) => termValue(term, scope));
    piped = call(head.name, piped === undefined ? given : [...given, piped], scope);
  }
  return piped ?? '';
}

function call(name: string, args: Value[], scope: Scope): Value {
  if (name === '__line__') return scope.state.line;
  if (name === '__timestamp__') return { time: scope.state.ts.toString() };
  const known = FUNCTIONS[name];
  if (known === undefined) throw new TemplateError(`function ${JSON.stringify(name)} not defined`);
  return known(...args);
}

function termValue(term: Term, scope: Scope): Value {
  switch (term.kind) {
    case 'literal':
      return term.value;
    case 'pipe':
      return fieldsOf(evaluate(term.pipe, scope), term.fields);
    case 'function':
      return call(term.name, [], scope);
    case 'variable':
      return fieldsOf(scope.variables.get(term.name) ?? '', term.fields);
    case 'field': {
      if (scope.dot !== undefined) return fieldsOf(scope.dot, term.fields);
      const [first, ...rest] = term.fields;
      if (first === undefined) return labelMap(scope.state);
      return fieldsOf(scope.state.get(first) ?? '', rest);
    }
  }
}

function labelMap(state: LineState): Value {
  return Object.fromEntries(state.names().map((name) => [name, state.get(name) ?? '']));
}

function fieldsOf(value: Value, fields: readonly string[]): Value {
  let found = value;
  for (const field of fields) {
    if (found === null || typeof found !== 'object' || Array.isArray(found))
      throw new TemplateError(`can't evaluate field ${field}`);
    found = found[field] ?? '';
  }
  return found;
}
