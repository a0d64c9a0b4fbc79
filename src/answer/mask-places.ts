/** Where a secret's value stands when it does not follow its name: as another entry, or as a list. */

const KEY = /(?:name|key|header|parameter)\\{0,16}["']?[ \t]{0,4}[:=][ \t]{0,4}(\\{0,16}["'])?[\w.-]{0,64}$/i;
const VALUE_AFTER =
  /[\w.-]{0,32}(?:\\{0,16}["'])?[ \t]{0,4},?\s{1,8}(?:-[ \t])?value[ \t]{0,4}[:=][ \t]{0,4}|[\w.-]{0,32}\\{0,16}["'],?\s{0,8}\\{0,16}["']value\\{0,16}["'][ \t]{0,4}[:=][ \t]{0,4}/iy;
const VALUE_BEFORE = /value\\{0,16}["']?[ \t]{0,4}[:=][ \t]{0,4}$/i;
const BETWEEN = /(\\{0,16})(["']),?\s{0,8}\\{0,16}["']?$/;
const MAX_BACK = 512;

/** Where the value's quote begins in `{"name":"X_PASSWORD","value":"…"}`, in either order, also in XML, YAML and logfmt. */
export function entryOf(
  text: string,
  wordAt: number,
  wordEnd: number,
): { after?: number; before?: number } | undefined {
  const back = text.slice(Math.max(0, wordAt - 110), wordAt);
  const key = KEY.exec(back);
  if (key === null) return undefined;
  VALUE_AFTER.lastIndex = wordEnd;
  if (VALUE_AFTER.test(text)) return { after: VALUE_AFTER.lastIndex };
  const keyAt = wordAt - back.length + key.index;
  const between = BETWEEN.exec(text.slice(Math.max(0, keyAt - 44), keyAt));
  if (between === null) return undefined;
  const [all, slashes = '', quote = '"'] = between;
  const open = openingQuote(text, keyAt - all.length, slashes.length, quote);
  return open !== -1 && VALUE_BEFORE.test(text.slice(Math.max(0, open - 48), open)) ? { before: open } : undefined;
}

/** The quote before `end` with as many backslashes; where it and its backslashes begin. */
function openingQuote(text: string, end: number, slashes: number, quote: string): number {
  for (let i = end - 1; i >= 0 && i > end - MAX_BACK; i--) {
    if (text[i] !== quote) continue;
    let run = 0;
    while (run <= 16 && text[i - 1 - run] === '\\') run++;
    if (run === slashes) return i - run;
  }
  return -1;
}

const LIST = /s?(?:\\{0,16}["'])?[ \t]{0,4}[:=][ \t]{0,4}\[\s{0,8}(?!masked:)/y;
const ITEM = /(\\{0,16})(["'])((?:(?!\1\2)[^\n]){0,256})\1\2/y;
const COMMA = /\s{0,8},\s{0,8}/y;
const MAX_ITEMS = 1_000;

/** `"passwords":["a","b"]`: from the first item to the end of the last, and where the first ends. */
export function listOf(text: string, wordEnd: number): { from: number; first: number; to: number } | undefined {
  LIST.lastIndex = wordEnd;
  if (!LIST.test(text)) return undefined;
  const from = LIST.lastIndex;
  ITEM.lastIndex = from;
  const item = ITEM.exec(text);
  if (item === null) {
    const inner = text.slice(from, from + 256);
    const close = inner.search(/[\]["'\n{]/);
    if (close < 1 || inner[close] !== ']') return undefined;
    const comma = inner.indexOf(',');
    return { from, first: from + (comma === -1 ? close : Math.min(comma, close)), to: from + close };
  }
  const width = (item[1] ?? '').length + 1;
  const first = ITEM.lastIndex - width;
  let to = first;
  for (let n = 0; n < MAX_ITEMS; n++) {
    COMMA.lastIndex = ITEM.lastIndex;
    if (!COMMA.test(text)) break;
    ITEM.lastIndex = COMMA.lastIndex;
    if (!ITEM.test(text)) break;
    to = ITEM.lastIndex - width;
  }
  return { from: from + width, first, to };
}
