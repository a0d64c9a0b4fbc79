import { unquote } from './lexer.ts';

/**
 * Reads `key=value` pairs as Loki does: a key without a value is '', what cannot be read is skipped up to the next blank.
 * Returns the first fault, for `--strict`, which stops there.
 */
export function eachPair(
  line: string,
  strict: boolean,
  take: (key: string, value: string) => void,
): string | undefined {
  let fault: string | undefined;
  let at = 0;
  const fail = (message: string): void => {
    fault ??= `logfmt syntax error at pos ${at + 1} : ${message}`;
    while (at < line.length && line.charCodeAt(at) > 0x20) at++;
  };
  while (at < line.length) {
    if (strict && fault !== undefined) return fault;
    if (line.charCodeAt(at) <= 0x20) {
      at++;
      continue;
    }
    const start = at;
    at = endOfWord(line, at);
    const key = line.slice(start, at);
    if (line[at] === '"' || (line[at] === '=' && key === '')) {
      fail(`unexpected '${line[at]}'`);
      continue;
    }
    if (line[at] !== '=') {
      take(key, '');
      continue;
    }
    at++;
    if (line[at] === '"') {
      const end = closingQuote(line, at);
      if (end < 0) {
        at = line.length;
        fail('unterminated quoted value');
        continue;
      }
      take(key, unquoteValue(line.slice(at, end + 1)));
      at = end + 1;
      continue;
    }
    const from = at;
    at = endOfWord(line, at);
    if (line[at] === '=' || line[at] === '"') fail(`unexpected '${line[at]}'`);
    else take(key, line.slice(from, at));
  }
  return fault;
}

function endOfWord(line: string, from: number): number {
  for (let at = from; at < line.length; at++) {
    const code = line.charCodeAt(at);
    if (code <= 0x20 || code === 0x3d || code === 0x22) return at;
  }
  return line.length;
}

function closingQuote(line: string, from: number): number {
  for (let at = from + 1; at < line.length; at++) {
    if (line[at] === '\\') at++;
    else if (line[at] === '"') return at;
  }
  return -1;
}

function unquoteValue(text: string): string {
  return text.includes('\\') ? unquote(text) : text.slice(1, -1);
}
