import type { Tree } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';
import { lex, type Token } from './lex.ts';
import { ParseProblem } from './problems.ts';

const strict = parser.configure({ strict: true });
const LABEL_LISTS = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right']);

export interface Syntax {
  tree: Tree;
  tokens: Token[];
  /** The token that begins at an offset. */
  at: Map<number, Token>;
}

/** A rule over tokens that Prometheus reports while it reads: the message, at `from`, once `index` is read. */
export interface Found {
  index: number;
  problem: ParseProblem;
}

/**
 * Parses with the official grammar, which is newer than 2.42 and reads some tokens differently. So the tokens are ours,
 * and the grammar sees a text of the same length in which every token is a plain one of its kind: new keywords become
 * identifiers, unknown functions known ones. Positions are those of the query. `checks` are rules on tokens that come
 * before a syntax error further on.
 *
 * The grammar also lets `offset`, `@` and ranges follow a whole operation (`a + b offset 5m`), where Prometheus binds
 * them to the last operand. So they are parsed to be checked, and left out of the tree: postfix.ts puts them back.
 */
export function parseSyntax(text: string, checks: (tokens: Token[]) => Found[]): Syntax {
  const { tokens, error } = lex(text);
  const end = tokens.length - 1;
  const found: Found[] = [];
  if (error) found.push({ index: end, problem: new ParseProblem(error.from, error.message) });
  found.push(...checks(tokens));
  const older = tokens.findIndex((_, i) => notIn242(tokens, i));
  if (older >= 0) found.push({ index: older, problem: unexpected(tokens, older) });

  let tree: Tree | undefined;
  try {
    strict.parse(plainText(text, tokens));
    tree = strict.parse(plainText(text, withoutPostfix(tokens)));
  } catch (stuck) {
    const at = Number(/No parse at (\d+)/.exec(String(stuck))?.[1] ?? 0);
    const next = tokens.findIndex((token) => token.from >= at);
    const index = next < 0 ? end : next;
    found.push({ index, problem: unexpected(tokens, index) });
  }
  const first = found.sort((a, b) => a.index - b.index)[0];
  if (first) throw first.problem;
  if (!tree) throw new ParseProblem(0, 'no expression found in input');
  return { tree, tokens, at: new Map(tokens.map((token) => [token.from, token])) };
}

function withoutPostfix(tokens: readonly Token[]): Token[] {
  const kept: Token[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const end = postfixEnd(tokens, i);
    if (end > i) i = end - 1;
    else kept.push(...tokens.slice(i, i + 1));
  }
  return kept;
}

/** Index behind the range, `offset` or `@` that begins at token `i`; `i` when none does. */
export function postfixEnd(tokens: readonly Token[], i: number): number {
  const token = tokens[i];
  const signed = (at: number): number => (/^[+-]$/.test(tokens[at]?.text ?? '') ? at + 2 : at + 1);
  if (token?.type === 'keyword' && token.text.toLowerCase() === 'offset' && endsOperand(tokens[i - 1]))
    return signed(i + 1);
  if (token?.type !== 'operator') return i;
  if (token.text === '@') return tokens[i + 1]?.type === 'keyword' ? i + 4 : signed(i + 1);
  if (token.text !== '[') return i;
  const close = tokens.findIndex((other, j) => j > i && other.text === ']');
  return close < 0 ? tokens.length : close + 1;
}

function plainText(text: string, tokens: readonly Token[]): string {
  let out = '';
  tokens.forEach((token, i) => {
    out = out.padEnd(token.from) + plain(token, tokens[i - 1], tokens[i + 1]);
  });
  return out.padEnd(text.length);
}

function plain(token: Token, before: Token | undefined, after: Token | undefined): string {
  const { text, type } = token;
  if (type === 'string') return `"${'s'.repeat(text.length - 2)}"`;
  if (type === 'number') return '1'.padEnd(text.length);
  if (type === 'duration') return '1s'.padEnd(text.length);
  if (type === 'operator') return /^[A-Za-z_]$/.test(text) ? ':' : text;
  if (type === 'keyword') {
    // The grammar does not know that a metric may be called so.
    return text.toLowerCase() === 'offset' && !endsOperand(before) ? 'x'.repeat(text.length) : text;
  }
  if (type !== 'identifier') return '';
  if (after?.text === '(' && text.length > 1 && !text.includes(':'))
    return (text.length === 2 ? 'ln' : 'abs').padEnd(text.length);
  return text.includes(':') ? `:${'x'.repeat(text.length - 1)}` : 'x'.repeat(text.length);
}

function endsOperand(token: Token | undefined): boolean {
  return token !== undefined && (token.type !== 'operator' || /^[)\]}]$/.test(token.text));
}

/** What the current grammar reads and 2.42 does not: the token at which 2.42 stops. */
function notIn242(tokens: readonly Token[], i: number): boolean {
  const token = tokens[i];
  const before = tokens[i - 1];
  if (!token) return false;
  const wantsDuration =
    before?.text.toLowerCase() === 'offset' && before.type === 'keyword' && endsOperand(tokens[i - 2]);
  if (token.type === 'duration') return !durationPlace(tokens, i);
  if (wantsDuration) return token.text !== '-';
  if (before?.text === '-' && tokens[i - 2]?.text.toLowerCase() === 'offset') return true;
  const twoBefore = tokens[i - 2];
  if (before?.type === 'duration' && twoBefore?.text === '[' && token.text !== ']' && !isColon(token)) return true;
  if (before && isColon(before) && token.type !== 'end' && token.text !== ']') return true;
  if (before?.type === 'duration' && twoBefore && isColon(twoBefore) && token.text !== ']') return true;
  if (token.type === 'string' && (before?.text === '{' || before?.text === ',')) return inLabelList(tokens, i);
  if (token.type === 'string' && before?.text === '(') return inLabelList(tokens, i);
  if (/^\/$/.test(token.text) && (before?.text === '<' || before?.text === '>')) return true;
  return (
    token.text === '(' && before?.type === 'keyword' && /^(start|end)$/i.test(before.text) && twoBefore?.text !== '@'
  );
}

/** A colon token (inside brackets 2.42 takes any letter for one). */
export function isColon(token: Token): boolean {
  return token.type === 'operator' && /^[A-Za-z_:]$/.test(token.text);
}

function durationPlace(tokens: readonly Token[], i: number): boolean {
  const before = tokens[i - 1];
  if (!before) return false;
  if (before.text === '[' || isColon(before)) return true;
  const word = before.text === '-' ? tokens[i - 2] : before;
  return word?.type === 'keyword' && word.text.toLowerCase() === 'offset';
}

/** Whether the opening bracket before token `i` begins label matchers or a list of label names. */
function inLabelList(tokens: readonly Token[], i: number): boolean {
  for (let j = i - 1; j >= 0; j--) {
    const { text } = tokens[j] ?? { text: '' };
    if (text === '{') return true;
    if (text === '(') return LABEL_LISTS.has(tokens[j - 1]?.text.toLowerCase() ?? '');
    if (text === ')' || text === '}') return false;
  }
  return false;
}

function unexpected(tokens: readonly Token[], index: number): ParseProblem {
  const token = tokens[index];
  const before = tokens[index - 1];
  if (!token) return new ParseProblem(0, 'unexpected end of input');
  if (tokens.length === 1 && token.type === 'end') return new ParseProblem(0, 'no expression found in input');
  if (before?.text === ',' && !inLabelList(tokens, index)) {
    // Whatever cannot begin an argument: the server then takes the comma for the fault.
    return new ParseProblem(before.from, 'trailing commas not allowed in function call args');
  }
  // A name of one letter is too short to be replaced by a known function's.
  if (token.text === '(' && before?.type === 'identifier' && /^[A-Za-z_]$/.test(before.text)) {
    return new ParseProblem(before.from, `unknown function with name ${JSON.stringify(before.text)}`);
  }
  return new ParseProblem(token.from, `unexpected ${describe(token)}`);
}

function describe(token: Token): string {
  if (token.type === 'end') return 'end of input';
  if (token.type === 'keyword') return `<${token.text.toLowerCase()}>`;
  return token.type === 'operator' ? JSON.stringify(token.text) : `${token.type} ${JSON.stringify(token.text)}`;
}
