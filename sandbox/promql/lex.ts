/** A token of PromQL as Prometheus 2.42 knows it; offsets are UTF-16, `to` exclusive. */
export interface Token {
  type: 'identifier' | 'keyword' | 'number' | 'duration' | 'string' | 'operator' | 'end';
  text: string;
  from: number;
  to: number;
}

export interface LexError {
  from: number;
  message: string;
}

/** Words that are no plain identifiers in 2.42. Later ones (`fill`, `smoothed`, `limitk`) are identifiers there. */
const AGGREGATORS = new Set('avg bottomk count count_values group max min quantile stddev stdvar sum topk'.split(' '));
const KEYWORDS = new Set([
  ...AGGREGATORS,
  ...'and or unless atan2 offset by without on ignoring group_left group_right bool start end'.split(' '),
]);

const SPACE = /[ \t\n\r]+|#[^\n\r]*/y;
const NUMBER = /0[xX][0-9a-fA-F]*(?:\.[0-9a-fA-F]*)?(?:[eE][+-]?[0-9]*)?|[0-9]*(?:\.[0-9]*)?(?:[eE][+-]?[0-9]*)?/y;
const DURATION = /[0-9]+(?:ms|[smhdwy])(?:[0-9]+(?:ms|[smhdwy]))*/y;
const WORD = /[A-Za-z_:][A-Za-z0-9_:]*/y;
const LABEL = /[A-Za-z_][A-Za-z0-9_]*/y;
const ALNUM = /[A-Za-z0-9_]/;
const OUTSIDE = [
  '==',
  '!=',
  '<=',
  '>=',
  '=',
  '<',
  '>',
  '+',
  '-',
  '*',
  '/',
  '%',
  '^',
  ',',
  '(',
  ')',
  '{',
  '[',
  ']',
  '@',
];
const INSIDE = ['=~', '!~', '!=', '=', ',', '}'];

/**
 * Cuts a query into tokens. The last token is `end`, or stands where the lexer gave up: then `error` is set.
 * Brackets change what is a word, so the state of braces and brackets is kept here as well.
 */
export function lex(text: string): { tokens: Token[]; error?: LexError } {
  const tokens: Token[] = [];
  let at = 0;
  let parens = 0;
  let braces = false;
  let brackets = false;
  let afterBracket = false;

  const push = (type: Token['type'], to: number): void => {
    tokens.push({ type, text: text.slice(at, to), from: at, to });
    at = to;
  };
  const fail = (message: string, from = at): { tokens: Token[]; error: LexError } => {
    tokens.push({ type: 'end', text: '', from, to: from });
    return { tokens, error: { from, message } };
  };

  for (;;) {
    for (let space = match(SPACE, text, at); space; space = match(SPACE, text, at)) at += space.length;
    if (afterBracket) {
      afterBracket = false;
      const duration = match(DURATION, text, at);
      if (!duration || ALNUM.test(text[at + duration.length] ?? '')) return fail(badDuration(text, at));
      push('duration', at + duration.length);
      continue;
    }
    const char = text[at];
    if (char === undefined) {
      if (braces) return fail('unexpected end of input inside braces');
      if (parens > 0) return fail('unclosed left parenthesis');
      if (brackets) return fail('unclosed left bracket');
      push('end', at);
      return { tokens };
    }
    if (char === '"' || char === "'" || char === '`') {
      const end = stringEnd(text, at);
      if (typeof end !== 'number') return fail(end.message);
      push('string', end);
      continue;
    }
    if (braces) {
      const word = match(LABEL, text, at);
      const operator = word ? undefined : INSIDE.find((o) => text.startsWith(o, at));
      if (word) push('identifier', at + word.length);
      else if (operator) push('operator', at + operator.length);
      else if (char === '{') return fail("unexpected left brace '{'");
      else if (char === '!') return fail(`unexpected character after '!' inside braces: ${rune(text, at + 1)}`);
      else return fail(`unexpected character inside braces: ${rune(text, at)}`);
      if (operator === '}') braces = false;
      continue;
    }
    if (/[0-9]/.test(char) || (char === '.' && /[0-9]/.test(text[at + 1] ?? ''))) {
      const number = match(NUMBER, text, at) ?? '';
      const duration = match(DURATION, text, at);
      if (!ALNUM.test(text[at + number.length] ?? '')) push('number', at + number.length);
      else if (duration && !ALNUM.test(text[at + duration.length] ?? '')) push('duration', at + duration.length);
      else return fail(`bad number or duration syntax: "${duration ?? number}"`);
      continue;
    }
    if (brackets && /[A-Za-z_:]/.test(char)) {
      push('operator', at + 1);
      continue;
    }
    const word = match(WORD, text, at);
    if (word) {
      const lower = word.toLowerCase();
      push(
        lower === 'inf' || lower === 'nan' ? 'number' : KEYWORDS.has(lower) ? 'keyword' : 'identifier',
        at + word.length,
      );
      continue;
    }
    const operator = OUTSIDE.find((o) => text.startsWith(o, at));
    if (!operator) {
      if (char === '!') return fail(`unexpected character after '!': ${rune(text, at + 1)}`);
      return fail(`unexpected character: ${rune(text, at)}`);
    }
    if (operator === '=' && text[at + 1] === '~') return fail("unexpected character after '=': '~'");
    if (operator === '[' && brackets) return fail("unexpected left bracket '['");
    if (operator === ']' && !brackets) return fail("unexpected right bracket ']'");
    // The server counts the parenthesis as read when it complains: the position is behind it.
    if (operator === ')' && parens === 0) return fail("unexpected right parenthesis ')'", at + 1);
    push('operator', at + operator.length);
    if (operator === '(') parens++;
    if (operator === ')') parens--;
    if (operator === '{') braces = true;
    if (operator === ']') brackets = false;
    if (operator === '[') brackets = afterBracket = true;
  }
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  const found = pattern.exec(text)?.[0];
  return found === '' ? undefined : found;
}

function badDuration(text: string, at: number): string {
  const number = match(NUMBER, text, at) ?? '';
  if (!ALNUM.test(text[at + number.length] ?? '')) return 'missing unit character in duration';
  const duration = match(DURATION, text, at);
  const digits = duration ? (match(/[0-9]+/y, text, at + duration.length) ?? '') : '';
  return `bad duration syntax: "${(duration ?? number) + digits}"`;
}

/** End of the string that begins at `at`, or what is wrong with it. */
function stringEnd(text: string, at: number): number | { message: string } {
  const quote = text[at] ?? '';
  if (quote === '`') {
    const end = text.indexOf('`', at + 1);
    return end < 0 ? { message: 'unterminated raw string' } : end + 1;
  }
  for (let i = at + 1; i < text.length; i++) {
    const char = text[i];
    if (char === quote) return i + 1;
    if (char === '\n') break;
    if (char !== '\\') continue;
    const escaped = /^(?:[abfnrtv\\]|[0-7]{3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})/.exec(
      text.slice(i + 1, i + 10),
    );
    if (escaped) i += escaped[0].length;
    else if (text[i + 1] === quote) i++;
    else if (i + 1 >= text.length) return { message: 'escape sequence not terminated' };
    else return { message: `unknown escape sequence ${codePoint(text, i + 1)}` };
  }
  return { message: 'unterminated quoted string' };
}

function rune(text: string, at: number): string {
  const point = text.codePointAt(at);
  return point === undefined ? "'\\ufffd'" : `'${String.fromCodePoint(point)}'`;
}

function codePoint(text: string, at: number): string {
  const point = text.codePointAt(at) ?? 0;
  return `U+${point.toString(16).toUpperCase().padStart(4, '0')} '${String.fromCodePoint(point)}'`;
}
