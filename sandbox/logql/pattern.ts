import { semanticError } from './errors.ts';

/** `<name>`, `<_>` and literals between them. */
export type PatternPart = { literal: string } | { capture: string };

/** For the `pattern` parser. Throws LogqlError in Loki's words. */
export function parsePattern(text: string): PatternPart[] {
  const parts = splitPattern(text);
  const fail = (message: string): never => {
    throw semanticError(`invalid pattern parser: ${message}`);
  };
  const names = parts.flatMap((part) => ('capture' in part ? [part.capture] : []));
  if (!names.some((name) => name !== '_')) fail('at least one capture is required');
  refuseConsecutive(parts, fail);
  const seen = new Set<string>();
  for (const name of names) {
    if (name !== '_' && seen.has(name)) fail(`duplicate capture name (${name}): invalid expression`);
    seen.add(name);
  }
  return parts;
}

/** For `|>` and `!>`: only `<_>`. Throws an Error whose message is Loki's. */
export function parseLinePattern(text: string): PatternPart[] {
  const parts = splitPattern(text);
  const fail = (message: string): never => {
    throw new Error(message);
  };
  if (parts.some((part) => 'capture' in part && part.capture !== '_')) fail('named captures are not allowed');
  refuseConsecutive(parts, fail);
  return parts;
}

function refuseConsecutive(parts: PatternPart[], fail: (message: string) => never): void {
  for (const [index, part] of parts.entries()) {
    const before = parts[index - 1];
    if ('capture' in part && before !== undefined && 'capture' in before) {
      fail(`found consecutive capture '<${before.capture}><${part.capture}>': invalid expression`);
    }
  }
}

function splitPattern(text: string): PatternPart[] {
  const parts: PatternPart[] = [];
  let last = 0;
  for (const match of text.matchAll(/<([a-zA-Z_][a-zA-Z0-9_]*)>/g)) {
    if (match.index > last) parts.push({ literal: text.slice(last, match.index) });
    parts.push({ capture: match[1] ?? '_' });
    last = match.index + match[0].length;
  }
  if (last < text.length) parts.push({ literal: text.slice(last) });
  return parts;
}

/** Captured values by name, in order; nothing when the line does not begin as the pattern does. */
export function matchPattern(parts: PatternPart[], line: string): [string, string][] {
  const found: [string, string][] = [];
  let rest = line;
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index];
    if (part === undefined) break;
    if ('literal' in part) {
      if (!rest.startsWith(part.literal)) return found;
      rest = rest.slice(part.literal.length);
      continue;
    }
    const next = parts[index + 1];
    const end = next !== undefined && 'literal' in next ? rest.indexOf(next.literal) : -1;
    if (part.capture !== '_') found.push([part.capture, end < 0 ? rest : rest.slice(0, end)]);
    // A literal that does not come any more: what is left belongs to the capture, and the rest of the pattern is not tried.
    if (end < 0) return found;
    rest = rest.slice(end);
  }
  return found;
}

/** Whether the whole line has the pattern's form; a `<_>` stands for at least one character. */
export function testLinePattern(parts: PatternPart[], line: string): boolean {
  if (line === '' || parts.length === 0) return line.length === parts.length;
  let at = 0;
  for (const [index, part] of parts.entries()) {
    if ('capture' in part) continue;
    const found = line.indexOf(part.literal, at);
    if (found < 0 || (index === 0 && found !== 0) || (index !== 0 && found === at)) return false;
    at = found + part.literal.length;
  }
  const last = parts[parts.length - 1];
  return last !== undefined && 'capture' in last ? at !== line.length : at === line.length;
}
