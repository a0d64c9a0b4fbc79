/** What varies in a pattern of Loki's own. */
const HOLE = '<_>';

/** Whether a line is of a pattern as Loki's ingester finds them (`<_> failed after <_>`): its parts in their order. */
export function fitsPattern(line: string, pattern: string): boolean {
  const parts = pattern.split(HOLE);
  const [first = ''] = parts;
  const last = parts.at(-1) ?? '';
  if (parts.length === 1) return line === pattern;
  if (!line.startsWith(first) || !line.endsWith(last)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = line.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= line.length - last.length;
}
