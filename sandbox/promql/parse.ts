import { compileRegex, RegexError } from '../regex.ts';
import type { Expr } from './ast.ts';
import { build } from './build.ts';
import { checkTypes } from './check.ts';
import { parseDuration } from './duration.ts';
import { type Found, parseSyntax } from './grammar.ts';
import type { Token } from './lex.ts';
import { readNumber, unquote } from './literals.ts';
import type { Matcher } from './matchers.ts';
import { ParseProblem } from './problems.ts';
import { SIGNATURES } from './signatures.ts';

/** A query of Prometheus 2.42, checked. Throws ParseProblem. */
export function parseQuery(text: string): Expr {
  const syntax = parseSyntax(text, checkTokens);
  const top = syntax.tree.topNode.firstChild;
  if (!top) throw new ParseProblem(0, 'no expression found in input');
  const expr = build(top, syntax);
  checkTypes(expr);
  return expr;
}

/** A `match[]` parameter: one selector and nothing else; may match everything. Throws ParseProblem. */
export function parseSelector(text: string): Matcher[] {
  const syntax = parseSyntax(text, (tokens) => [...checkTokens(tokens), ...behindSelector(tokens)]);
  const top = syntax.tree.topNode.firstChild;
  const selector = top ? build(top, syntax) : undefined;
  return selector?.kind === 'selector' ? selector.matchers : [];
}

/** The token that cannot belong to the selector at the beginning of the query. */
function behindSelector(tokens: readonly Token[]): Found[] {
  const named = tokens[0]?.type === 'identifier' || tokens[0]?.type === 'keyword' ? 1 : 0;
  const braced = tokens[named]?.text === '{';
  const closed = tokens.findIndex((token) => token.text === '}');
  const index = braced ? closed + 1 : named;
  const token = tokens[index];
  if (!token || (braced && closed < 0) || (token.type === 'end' && index > 0)) return [];
  return [{ index, problem: new ParseProblem(token.from, `unexpected ${JSON.stringify(token.text)}`) }];
}

/** Rules that Prometheus applies token by token while it reads, so that they come before syntax errors behind them. */
function checkTokens(tokens: Token[]): Found[] {
  const found: Found[] = [];
  let braces = false;
  for (const [index, token] of tokens.entries()) {
    const report = (message: string, from = token.from, seen = index): void => {
      found.push({ index: seen, problem: new ParseProblem(from, message) });
    };
    if (token.text === '{' && token.type === 'operator') braces = true;
    if (token.text === '}' && token.type === 'operator') braces = false;
    if (token.type === 'duration') {
      const ms = parseDuration(token.text);
      if (typeof ms !== 'number') report(ms.message);
      if (ms === 0) report('duration must be greater than 0');
    }
    if (token.type === 'number' && readNumber(token.text) === undefined) {
      report(`error parsing number: strconv.ParseFloat: parsing ${JSON.stringify(token.text)}: invalid syntax`);
    }
    const op = tokens[index - 1]?.text;
    const label = tokens[index - 2];
    if (braces && token.type === 'string' && (op === '=~' || op === '!~') && label?.type === 'identifier') {
      const problem = regexProblem(unquote(token.text));
      if (problem) report(problem, label.from);
    }
    const isCall = token.type === 'identifier' && !braces && tokens[index + 1]?.text === '(';
    if (isCall && !token.text.includes(':') && !SIGNATURES.has(token.text)) {
      report(`unknown function with name ${JSON.stringify(token.text)}`, token.from, closing(tokens, index + 1) + 0.5);
    }
  }
  return found;
}

function regexProblem(pattern: string): string | undefined {
  try {
    compileRegex(pattern, { whole: true });
    return undefined;
  } catch (error) {
    if (error instanceof RegexError) return error.message;
    throw error;
  }
}

/** Index of the parenthesis that closes the one at `open`; a call is whole once that is read, hence the half above. */
function closing(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let i = open; i < tokens.length; i++) {
    if (tokens[i]?.text === '(') depth++;
    if (tokens[i]?.text === ')' && --depth === 0) return i;
  }
  return tokens.length;
}
