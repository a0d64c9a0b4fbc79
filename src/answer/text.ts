/** Up to `max` characters, with the number cut said; never inside a surrogate pair. The note comes on top of `max`. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const kept = head(text, max);
  return `${kept}…[+${(text.length - kept.length).toLocaleString('en-US')} characters]`;
}

/** The first `max` characters, one less where that would split a surrogate pair. */
export function head(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max);
}

/** Characters of a text inside a JSON string, without the quotes around it. */
export function jsonLength(text: string): number {
  return JSON.stringify(text).length - 2;
}

const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;
const EACH_INVISIBLE = new RegExp(INVISIBLE.source, 'g');

/** Control, zero-width and direction characters as `\x1b` or `\u202e`; tabs and newlines stay. */
export function showControls(text: string): string {
  if (!INVISIBLE.test(text)) return text;
  return text.replace(EACH_INVISIBLE, (c) => {
    if (c === '\r') return '\\r';
    const code = c.charCodeAt(0);
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

const ANSI = /\u001b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\^_])/g;

/** Terminal colours and cursor movements removed. */
export function stripAnsi(text: string): string {
  return text.includes('\u001b') ? text.replace(ANSI, '') : text;
}

/** `1 line`, `2 lines`, `1,234 lines`. */
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;
}

/** `1.2 GB`, in powers of 1,024 as the settings are. */
export function showBytes(bytes: number): string {
  for (const [unit, size] of UNITS) {
    if (bytes >= size) return `${(bytes / size).toFixed(bytes / size < 10 ? 1 : 0).replace(/\.0$/, '')} ${unit}`;
  }
  return `${Math.round(bytes)} B`;
}

const UNITS: readonly (readonly [string, number])[] = [
  ['TB', 1024 ** 4],
  ['GB', 1024 ** 3],
  ['MB', 1024 ** 2],
  ['KB', 1024],
];
