const ESCAPES: Record<string, string> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** The value of a quoted string token whose escapes the lexer has checked. Bytes that are no UTF-8 become U+FFFD. */
export function unquote(token: string): string {
  const body = token.slice(1, -1);
  if (token.startsWith('`')) return body.replaceAll('\r', '');
  if (!body.includes('\\')) return body;
  const bytes: Buffer[] = [];
  for (const part of body.matchAll(/\\([0-7]{3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)|[^\\]+/gsu)) {
    bytes.push(escaped(part[1]) ?? Buffer.from(part[0]));
  }
  return Buffer.concat(bytes).toString('utf8');
}

function escaped(sequence: string | undefined): Buffer | undefined {
  if (sequence === undefined) return undefined;
  const code = sequence.slice(1);
  if (/^[0-7]{3}$/.test(sequence)) return Buffer.from([Number.parseInt(sequence, 8) & 0xff]);
  if (sequence.length > 1 && sequence.startsWith('x')) return Buffer.from([Number.parseInt(code, 16)]);
  if (sequence.length > 1) return Buffer.from(String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff)));
  return Buffer.from(ESCAPES[sequence] ?? sequence);
}

/** A number token as Go reads it: integers with a base prefix (a leading 0 is octal), then floats. Undefined: no number. */
export function readNumber(text: string): number | undefined {
  const lower = text.toLowerCase();
  if (lower === 'inf') return Number.POSITIVE_INFINITY;
  if (lower === 'nan') return Number.NaN;
  if (/^0x[0-9a-f]+$/.test(lower)) return Number(lower);
  if (lower.startsWith('0x')) return undefined;
  if (/^0[0-7]+$/.test(text)) return Number.parseInt(text, 8);
  return /^(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/.test(lower) ? Number(lower) : undefined;
}

/** Go's ParseFloat, as far as a bucket bound or a parameter is concerned; a number out of range is none. */
export function readFloat(text: string): number | undefined {
  const word = /^([+-]?)(?:inf|infinity)$/i.exec(text);
  if (word) return word[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (/^[+-]?nan$/i.test(text)) return Number.NaN;
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}
