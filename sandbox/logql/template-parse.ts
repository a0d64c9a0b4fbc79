import { unquote } from './lexer.ts';
import { TemplateError } from './template-error.ts';
import { isFunction, type Value } from './template-functions.ts';

export type Term =
  | { kind: 'literal'; value: Value }
  | { kind: 'function'; name: string }
  | { kind: 'field'; fields: string[] }
  | { kind: 'variable'; name: string; fields: string[] }
  | { kind: 'pipe'; pipe: Pipe; fields: string[] };
export type Pipe = Term[][];

export type Node =
  | { kind: 'text'; text: string }
  | { kind: 'action'; pipe: Pipe; variable?: string }
  | { kind: 'if' | 'with'; pipe: Pipe; variable?: string; body: Node[]; otherwise: Node[] }
  | { kind: 'range'; pipe: Pipe; key?: string; variable?: string; body: Node[]; otherwise: Node[] };

interface Piece {
  text: string;
  action: boolean;
  line: number;
}

/** Throws TemplateError: `template: NAME:LINE: …`. */
export function parseTemplate(name: string, text: string): Node[] {
  const pieces = split(name, text);
  let at = 0;
  const block = (nested: boolean): { nodes: Node[]; end: string } => {
    const nodes: Node[] = [];
    for (;;) {
      const piece = pieces[at++];
      const fail = (message: string): TemplateError =>
        new TemplateError(`template: ${name}:${piece?.line ?? text.split('\n').length}: ${message}`);
      if (piece === undefined) {
        if (nested) throw fail('unexpected EOF');
        return { nodes, end: '' };
      }
      if (!piece.action) {
        if (piece.text !== '') nodes.push({ kind: 'text', text: piece.text });
        continue;
      }
      const keyword = /^(if|with|range|else|end|define|template|block|break|continue)\b/.exec(piece.text)?.[1];
      const rest = piece.text.slice(keyword?.length ?? 0).trim();
      if (keyword === undefined) {
        if (piece.text === '') throw fail('missing value for command');
        nodes.push({ kind: 'action', ...readPipe(piece.text, fail) });
      } else if (keyword === 'if' || keyword === 'with' || keyword === 'range')
        nodes.push(control(keyword, rest, fail));
      else if (keyword === 'else' || keyword === 'end') {
        if (!nested) throw fail(`unexpected {{${keyword}}}`);
        return { nodes, end: piece.text };
      } else throw fail(`not implemented in this sandbox: {{${keyword}}}`);
    }
  };
  const control = (kind: 'if' | 'with' | 'range', text: string, fail: (message: string) => TemplateError): Node => {
    if (text === '') throw fail(`missing value for ${kind}`);
    const head = readPipe(text, fail);
    const first = block(true);
    let otherwise: Node[] = [];
    if (first.end.startsWith('else')) {
      const chained = /^else\s+(if|with)\s+([\s\S]*)$/.exec(first.end);
      if (chained !== null) otherwise = [control(chained[1] === 'with' ? 'with' : 'if', chained[2] ?? '', fail)];
      else otherwise = block(true).nodes;
    }
    return { kind, ...head, body: first.nodes, otherwise };
  };
  return block(false).nodes;
}

function split(name: string, text: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  let trim = false;
  for (;;) {
    const open = text.indexOf('{{', at);
    let plain = text.slice(at, open < 0 ? undefined : open);
    if (trim) plain = plain.trimStart();
    if (open < 0) {
      pieces.push({ text: plain, action: false, line: 0 });
      return pieces;
    }
    const trimLeft = /^\{\{-\s/.test(text.slice(open, open + 4));
    pieces.push({ text: trimLeft ? plain.trimEnd() : plain, action: false, line: 0 });
    const line = text.slice(0, open).split('\n').length;
    const close = endOfAction(text, open + 2);
    if (close < 0) throw new TemplateError(`template: ${name}:${line}: unclosed action`);
    let body = text.slice(open + 2, close);
    if (trimLeft) body = body.slice(1);
    trim = /\s-$/.test(body);
    if (trim) body = body.slice(0, -1);
    body = body.trim();
    if (!/^\/\*[\s\S]*\*\/$/.test(body)) pieces.push({ text: body, action: true, line });
    at = close + 2;
  }
}

function endOfAction(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (char === '}' && text[at + 1] === '}') return at;
    if (char === '`') {
      at = text.indexOf('`', at + 1);
      if (at < 0) return -1;
    } else if (char === '"') {
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === '\\') at++;
    }
  }
  return -1;
}

const TOKEN =
  /\s*("(?:[^"\\]|\\.)*"|`[^`]*`|'(?:[^'\\]|\\.)'|:=|[|(),=]|\$\w*|(?:\.[a-zA-Z_]\w*)+|\.(?!\w)|[-+]?(?:0x[0-9a-fA-F]+|\d+\.?\d*(?:e[-+]?\d+)?|\.\d+)|\w+)/y;

function readPipe(
  text: string,
  fail: (message: string) => TemplateError,
): { pipe: Pipe; variable?: string; key?: string } {
  const tokens: { text: string; glued: boolean }[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const from = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (match === null) {
      const rest = text.slice(from).trim();
      if (rest === '') break;
      throw fail(
        rest.startsWith('"') ? 'unterminated quoted string' : `unexpected ${JSON.stringify(rest[0])} in operand`,
      );
    }
    tokens.push({ text: match[1] ?? '', glued: match[0] === match[1] });
  }
  let at = 0;
  const declared = /^(?:(\$\w+)\s*,\s*)?(\$\w+)\s*:?=(?!=)/.exec(text);
  if (declared !== null) at = declared[1] === undefined ? 2 : 4;

  const pipe = (closing: boolean): Pipe => {
    const commands: Pipe = [[]];
    for (;;) {
      const token = tokens[at++];
      if (token === undefined) {
        if (closing) throw fail('unclosed left paren');
        break;
      }
      if (token.text === ')') {
        if (!closing) throw fail('unexpected right paren');
        break;
      }
      if (token.text === '|') {
        if (commands[commands.length - 1]?.length === 0) throw fail('missing value for command');
        commands.push([]);
      } else commands[commands.length - 1]?.push(term(token.text));
    }
    if (commands[commands.length - 1]?.length === 0) throw fail('missing value for command');
    for (const [index, command] of commands.entries()) {
      const head = command[0];
      if (index > 0 && head !== undefined && head.kind === 'literal')
        throw fail(`non executable command in pipeline stage ${index + 1}`);
    }
    return commands;
  };
  const term = (token: string): Term => {
    if (token === '(') {
      const inner = pipe(true);
      const next = tokens[at];
      const fields = next?.glued && /^\.\w/.test(next.text) ? next.text.slice(1).split('.') : [];
      if (fields.length > 0) at++;
      return { kind: 'pipe', pipe: inner, fields };
    }
    if (/^["`]/.test(token)) return { kind: 'literal', value: unquote(token) };
    if (token.startsWith("'")) return { kind: 'literal', value: unquote(token).codePointAt(0) ?? 0 };
    if (token === '.') return { kind: 'field', fields: [] };
    if (token.startsWith('$')) {
      const next = tokens[at];
      const fields = next?.glued && /^\.\w/.test(next.text) ? next.text.slice(1).split('.') : [];
      if (fields.length > 0) at++;
      return token === '$' ? { kind: 'field', fields } : { kind: 'variable', name: token, fields };
    }
    if (/^\.[a-zA-Z_]/.test(token)) return { kind: 'field', fields: token.slice(1).split('.') };
    if (/^[-+.]?\d/.test(token)) return { kind: 'literal', value: Number(token) };
    if (token === 'true' || token === 'false') return { kind: 'literal', value: token === 'true' };
    if (token === 'nil') return { kind: 'literal', value: null };
    if (/^\w+$/.test(token)) {
      if (!isFunction(token)) throw fail(`function ${JSON.stringify(token)} not defined`);
      return { kind: 'function', name: token };
    }
    throw fail(`unexpected ${JSON.stringify(token)} in operand`);
  };
  const read = pipe(false);
  return {
    pipe: read,
    ...(declared?.[2] === undefined ? {} : { variable: declared[2] }),
    ...(declared?.[1] === undefined ? {} : { key: declared[1] }),
  };
}
