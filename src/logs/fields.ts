/** One field of a structured line: name, and value as it is to be shown (quoted where it was quoted). */
export interface Field {
  name: string;
  /** The plain value: quotes and escapes undone. */
  value: string;
  /** As it stood in the line. */
  raw: string;
}

/** The fields of a logfmt line, or undefined when it is not one (any bare word makes it prose). */
export function readLogfmt(line: string): Field[] | undefined {
  const fields: Field[] = [];
  let i = 0;
  while (i < line.length) {
    if (line.charCodeAt(i) <= 32) {
      i++;
      continue;
    }
    let eq = i;
    while (eq < line.length && isNameChar(line.charCodeAt(eq))) eq++;
    if (eq === i || line[eq] !== '=') return undefined;
    const name = line.slice(i, eq);
    i = eq + 1;
    const end = line[i] === '"' ? quotedEnd(line, i) : bareEnd(line, i);
    if (end === -1 || (end < line.length && line.charCodeAt(end) > 32)) return undefined;
    const raw = line.slice(i, end);
    fields.push({ name, raw, value: raw.startsWith('"') ? unquote(raw) : raw });
    i = end;
  }
  return fields.length >= 2 ? fields : undefined;
}

/** The top-level fields of a JSON object, values as they stand in the line (big numbers keep their digits). */
export function readJsonFields(line: string): Field[] | undefined {
  if (!/^\s*\{/.test(line) || !/\}\s*$/.test(line)) return undefined;
  try {
    JSON.parse(line);
  } catch {
    return undefined;
  }
  // It is valid JSON, so that commas, colons and brackets outside strings can be trusted.
  const fields: Field[] = [];
  let i = line.indexOf('{') + 1;
  for (;;) {
    const open = line.indexOf('"', i);
    if (open === -1) break;
    const close = quotedEnd(line, open);
    const colon = line.indexOf(':', close);
    let at = colon + 1;
    while (line.charCodeAt(at) <= 32) at++;
    const end = valueEnd(line, at);
    const raw = line.slice(at, end).trimEnd();
    fields.push({ name: unquote(line.slice(open, close)), raw, value: raw.startsWith('"') ? unquote(raw) : raw });
    i = end;
    if (line[end] !== ',') break;
  }
  return fields.length > 0 ? fields : undefined;
}

function isNameChar(c: number): boolean {
  return c > 32 && c !== 61 && c !== 34 && c !== 123 && c !== 125 && c !== 91 && c !== 93 && c !== 40 && c !== 41;
}

function quotedEnd(text: string, open: number): number {
  for (let i = open + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '"') return i + 1;
  }
  return -1;
}

function bareEnd(text: string, from: number): number {
  let i = from;
  while (i < text.length && text.charCodeAt(i) > 32) i++;
  return i;
}

function valueEnd(text: string, from: number): number {
  let depth = 0;
  for (let i = from; i < text.length; i++) {
    const c = text[i];
    if (c === '"') i = quotedEnd(text, i) - 1;
    else if (c === '{' || c === '[') depth++;
    else if ((c === '}' || c === ']') && depth-- === 0) return i;
    else if (c === ',' && depth === 0) return i;
  }
  return text.length;
}

function unquote(raw: string): string {
  if (!raw.includes('\\')) return raw.slice(1, -1);
  try {
    return String(JSON.parse(raw));
  } catch {
    return raw.slice(1, -1);
  }
}
