import { head, showControls } from './text.ts';

/** A fault in a query, found before it is sent. `line` and `column` are 1-based, counted in characters. */
export interface QueryProblem {
  message: string;
  line: number;
  column: number;
  /** The query corrected; the grammar reads it. */
  remedy?: string;
}

const MAX_SAID = 200;

/** Another server's words for a sentence of ours: one line between quotes, and all of them when that is not enough. */
export function quoteServer(text: string): { quoted: string; said?: string[] } {
  const line = text.trim().replace(/\s+/g, ' ');
  const quoted = JSON.stringify(showControls(head(line, MAX_SAID)));
  return line.length > MAX_SAID ? { quoted, said: [text] } : { quoted };
}

const WIDTH = 100;

/** The line of the query and a caret under the place, indented by two; long lines are windowed around the place. */
export function markPlace(query: string, line: number, column: number): string[] {
  const lines = query.split('\n');
  const chars = Array.from(lines[Math.min(Math.max(line, 1), lines.length) - 1] ?? '');
  const at = Math.min(Math.max(column - 1, 0), chars.length);
  const from = chars.length <= WIDTH ? 0 : Math.max(0, Math.min(at - WIDTH / 2, chars.length - WIDTH));
  const to = Math.min(chars.length, from + WIDTH);
  const before = (from > 0 ? '…' : '') + chars.slice(from, at).join('');
  const shown = before + chars.slice(at, to).join('') + (to < chars.length ? '…' : '');
  return [`  ${shown}`, `  ${blank(before)}^`];
}

/** 1-based line and column (in characters) of an offset in UTF-16 units. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: Array.from(before.slice(lineStart)).length + 1 };
}

/** Offset in UTF-16 units of a 1-based line and column (in characters). */
export function offsetOf(text: string, line: number, column: number): number {
  const lines = text.split('\n');
  const before = lines.slice(0, Math.max(line, 1) - 1).reduce((sum, own) => sum + own.length + 1, 0);
  const chars = Array.from(lines[Math.max(line, 1) - 1] ?? '');
  return before + chars.slice(0, Math.max(column, 1) - 1).join('').length;
}

/** As many columns of nothing as the text takes in a terminal. */
function blank(text: string): string {
  let out = '';
  for (const c of text) out += c === '\t' ? '\t' : isWide(c.codePointAt(0) ?? 0) ? '  ' : ' ';
  return out;
}

function isWide(code: number): boolean {
  return (
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0x1f300 && code <= 0x1faff)
  );
}
