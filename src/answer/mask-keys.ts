import { MARK_START, type Marks, mark } from './mask-mark.ts';
import { entryOf, listOf } from './mask-places.ts';

type Group =
  | 'password'
  | 'secret'
  | 'token'
  | 'api-key'
  | 'authorization'
  | 'cookie'
  | 'signature'
  | 'scheme'
  | 'session'
  | 'auth';

// Words that make a name secret, wherever in the name they stand (`DB_PASSWORD`, `clientSecret`). In the order of trial.
const WORDS: readonly (readonly [Group, string])[] = [
  ['password', 'pass(?:word|wd|phrase|code)?|pwd?|identified[ \\t]{1,4}by'],
  ['secret', 'secret(?:[-_ ]?access)?(?:[-_ ]?key)?(?:[-_]?base)?|credentials?'],
  ['api-key', '(?:api|access|account|private|signing|encryption|auth|subscription|license|master|storage)[-_. ]?key'],
  ['token', 'token|jwt|otp'],
  ['authorization', 'authorization'],
  ['cookie', 'cookies?|jsessionid|phpsessid|connect\\.sid|sessionid'],
  ['signature', 'signature|sig'],
  ['scheme', 'bearer|basic'],
  ['session', 'session(?:[-_]?(?:id|key))?'],
  ['auth', 'auth'],
];
const WORD = new RegExp(WORDS.map(([, source]) => `(${source})`).join('|'), 'gi');

/** What may stand between a name and its value: a digit, the closing quote, then `=`, `:`, `:=`, `=>`, `%3D`, or `>` in XML. */
const SEPARATOR =
  /[-_]?\d{0,2}(\\{0,16}["'])?\]?[ \t]{0,4}(=>|:=|={1,2}(?![=~> \t])|=(?![=~>])|\\{1,8}u003[dD]|:(?![:/=])|%3[dD]|>)[ \t]{0,4}/y;
const OPTION_VALUE = /[ \t]{1,4}(?=[^\s-])/y;
const SQL_VALUE = /[ \t]{1,4}(?=\\{0,16}['"][^\s,:;=}\])'"])/y;
/** `aws configure set aws_secret_access_key …`: forty characters of base64. */
const AWS_VALUE = /[ \t]{1,4}(?=[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/]))/y;
/** Escapes of a URL before the value. */
const BLANKS = /(?:%2[027]){1,4}/y;
/** `{"value":"…"}` as the value of a name. */
const NESTED = /\{\s{0,8}\\{0,16}["'](?:_?value|string_?value|plain|raw|text|data)\\{0,16}["'][ \t]{0,4}:[ \t]{0,4}/iy;
const OPENER =
  /[([](?!\[masked:)|<(?!(?:unset|empty|omitted|password|token|secret|value|api[-_]?key|your[-_]\w{1,40})>)(?=[^\s<>"'/]{1,64}(?:>|$))|&(?![\w.%-]{1,40}[=:]|[&\s]|$)/y;
const OPEN_QUOTE = /(\\{0,16})(["'`])/y;
const SCHEME_VALUE = /(?:[ \t]+|%20)([\w.~+/-]{6,}(?:=|%3[dD]){0,2})/iy;
const AUTH_SCHEME =
  /\[?[ \t]?(bearer|basic|token|apikey|api-key|negotiate|ntlm|digest|hawk|aws4-hmac-sha256)(?:[ \t]+|%20|\+)/iy;
const PAIRS = /[^\s=;,"'\\[\]]{1,256}=[^\s;,"'\\\]]*(?:;[ \t]?[^\s=;,"'\\\]]{1,256}(?:=[^\s;"'\\\]]*)?)*/y;
const PAIR = /[^\s=;,"'\\[\]]{1,256}=[^\s;,"'\\\]]*/y;
const MAX_QUOTED = 16_384;
/** A value is judged by its beginning, and only a secret is read to its end: a row of names cannot cost quadratic time. */
const PROBE = 64;

/** Values of secret names in key=value, logfmt, JSON (also JSON within JSON), YAML, XML, URLs, options, headers and cookies. */
export function maskKeyValues(text: string, marks: Marks): string {
  const found: Value[] = [];
  WORD.lastIndex = 0;
  for (let word = WORD.exec(text); word; word = WORD.exec(text)) {
    const end = word.index + word[0].length;
    const group = WORDS[word.slice(1).findIndex((found) => found !== undefined)]?.[0];
    const value =
      group && startsName(text, word.index, word[0], group) ? findValue(text, word.index, end, group) : undefined;
    if (value === undefined || value.to <= value.from) continue;
    // A value that stands before its name may hold what was found already.
    while ((found.at(-1)?.from ?? -1) >= value.from) found.pop();
    if ((found.at(-1)?.to ?? 0) > value.from) continue;
    found.push(value);
    WORD.lastIndex = Math.max(value.to, end);
  }
  let out = '';
  let at = 0;
  for (const { from, to, kind } of found) {
    out += text.slice(at, from) + mark(kind, marks, text.slice(from, to));
    at = to;
  }
  return at === 0 ? text : out + text.slice(at);
}

interface Value {
  from: number;
  to: number;
  kind: string;
}

/** Short words count only where a name begins: `pass`, not `bypass`; `sig=` only as a URL's parameter. */
function startsName(text: string, at: number, word: string, group: Group): boolean {
  const before = text[at - 1] ?? ' ';
  if (/\[masked:[\w-]*$/.test(text.slice(Math.max(0, at - 40), at))) return false;
  const short = word.toLowerCase();
  if (short === 'sig') return /[?&;"_]/.test(before) || text.slice(at - 3, at).toLowerCase() === '%26';
  if (
    short === 'pass' ||
    short === 'otp' ||
    short === 'pwd' ||
    short === 'pw' ||
    short === 'jwt' ||
    group === 'session' ||
    group === 'auth'
  ) {
    return !/[A-Za-z]/.test(before) || (/[A-Z]/.test(word[0] ?? '') && /[a-z]/.test(before));
  }
  return true;
}

function findValue(text: string, wordAt: number, wordEnd: number, group: Group): Value | undefined {
  if (group === 'scheme') return schemeValue(text, wordAt, wordEnd);
  const entry = entryOf(text, wordAt, wordEnd);
  if (entry?.after !== undefined) return readValue(text, entry.after, group, false, wordAt);
  if (entry?.before !== undefined) return readValue(text, entry.before, group, false, wordAt);
  const list = listOf(text, wordEnd);
  if (list !== undefined) {
    const first = judged(text, list.from, Math.min(list.first, list.from + PROBE));
    if (isListed(first, group)) return { from: list.from, to: list.to, kind: group };
  }
  SEPARATOR.lastIndex = wordEnd;
  const separator = SEPARATOR.exec(text);
  if (separator) {
    if (separator[2] === '>' && !closesTag(text, wordAt, SEPARATOR.lastIndex)) return undefined;
    const loose = separator[2] === ':' && separator[1] === undefined;
    return readValue(text, SEPARATOR.lastIndex, group, loose, wordAt);
  }
  // `--db-password s3cret`, and SQL's PASSWORD 's3cret'.
  const option = /--[A-Za-z-]{0,40}$/.test(text.slice(Math.max(0, wordAt - 42), wordAt)) ? OPTION_VALUE : SQL_VALUE;
  if (group === 'cookie' || group === 'signature' || group === 'session' || group === 'auth') return undefined;
  if (group !== 'secret' && option === SQL_VALUE && group !== 'password') return undefined;
  AWS_VALUE.lastIndex = wordEnd;
  if (group === 'secret' && AWS_VALUE.test(text)) return readValue(text, AWS_VALUE.lastIndex, group, false, wordAt);
  option.lastIndex = wordEnd;
  return option.test(text) ? readValue(text, option.lastIndex, group, false, wordAt) : undefined;
}

/** `<db-password>x`, and no placeholder (`password=<your-password>`). */
function closesTag(text: string, wordAt: number, valueAt: number): boolean {
  const before = text.slice(Math.max(0, wordAt - 40), wordAt);
  return before.includes('<') && !/[=:][ \t]?<[\w.-]*$/.test(before) && text[valueAt] !== '<';
}

function readValue(text: string, at: number, group: Group, loose: boolean, wordAt: number): Value | undefined {
  const from = skip(text, skip(text, at, NESTED), BLANKS);
  if (text.startsWith(MARK_START, from)) return undefined;
  const bracket = text[from] === '[' ? from + 1 : from;
  OPEN_QUOTE.lastIndex = bracket;
  const quote = OPEN_QUOTE.exec(text);
  const open = !quote && !loose && group !== 'signature';
  const start = quote ? OPEN_QUOTE.lastIndex : open ? skip(text, from, OPENER) : from;
  if (text.startsWith(MARK_START, start)) return undefined;
  const end = quote ? closingQuote(text, start, quote[1] ?? '', quote[2] ?? '"') : -1;
  if (group === 'authorization') return authorizationValue(text, quote ? start : bracket, end);
  if (group === 'cookie')
    return cookieValue(text, quote ? start : bracket, end, /set[-_]$/i.test(text.slice(wordAt - 4, wordAt)));
  const closing = text[start - 1] === '<' && start > from ? text.indexOf('>', start) : -1;
  const last = closing === -1 || closing > start + PROBE ? text.length : closing;
  const probe = quote ? Math.min(end, start + PROBE) : bareEnd(text, start, Math.min(last, start + PROBE));
  if (!isSecret(judged(text, start, probe), group, loose && !quote)) return undefined;
  return {
    from: start,
    to: quote ? end : bareEnd(text, start, last),
    kind: group === 'auth' ? 'authorization' : group,
  };
}

function skip(text: string, at: number, what: RegExp): number {
  what.lastIndex = at;
  return what.test(text) ? what.lastIndex : at;
}

/** The tokens of a language model are words; its secrets are not. */
function isListed(first: string, group: Group): boolean {
  if (group === 'password' || group === 'secret') return isSecret(first, 'password', false);
  return (group === 'api-key' || group === 'token') && first.length >= 8 && /\d/.test(first);
}

/** The part of a value that decides: what is masked already decides nothing. */
function judged(text: string, from: number, to: number): string {
  const value = text.slice(from, to);
  const mark = value.indexOf(MARK_START);
  return mark === -1 ? value : value.slice(0, mark);
}

/** The quote that closes: same character behind as many backslashes; without one, the rest of the line. */
function closingQuote(text: string, from: number, slashes: string, quote: string): number {
  const limit = Math.min(text.length, from + MAX_QUOTED);
  let run = 0;
  for (let i = from; i < limit; i++) {
    const c = text[i];
    if (c === '\\') run++;
    else {
      if (c === quote && (slashes === '' ? run % 2 === 0 : run === slashes.length)) return slashes === '' ? i : i - run;
      if (c === '\n') return i;
      run = 0;
    }
  }
  return limit;
}

const NEXT_NAME = /[,;&)\]}][ \t]{0,2}[\w .\-%]{1,40}[=:]/y;

/** End of a value without quotes. A comma, semicolon or ampersand ends it only where another name follows, or nothing. */
function bareEnd(text: string, from: number, limit = text.length): number {
  for (let i = from; i < limit; i++) {
    const c = text[i] ?? '';
    if (c <= ' ' || c === '"' || c === "'" || c === '`' || c === '<') return i;
    if (c === '[' && text.startsWith(MARK_START, i)) return i;
    if (c === '\\' && /["'nrt]/.test(text[i + 1] ?? '')) return i;
    if (c === '\\' && /^\\{1,8}u00(?:2[0267]|3[ce])/i.test(text.slice(i, i + 13))) return i;
    if (c === '%' && /^%(?:26|20|22)/.test(text.slice(i, i + 3))) return i;
    if (c === '&' || c === ',' || c === ';' || c === ')' || c === ']' || c === '}') {
      if (c === '&' || /^[\s,;)\]}"'\\]?$/.test(text[i + 1] ?? '')) return i;
      NEXT_NAME.lastIndex = i;
      if (NEXT_NAME.test(text)) return i;
    }
  }
  return limit;
}

const NO_VALUE =
  /^(?:true|false|null|none|nil|undefined|yes|no|\*+|x{3,}|\.{3}.*|<.*|\$\{.*|\$[A-Z_]+|\{\{.*|%[sdvq@]|\[?(?:redacted|filtered|hidden|masked|secret)\b.*)$/i;
// In prose after a colon: "invalid token: expired".
const PROSE =
  /^(?:changed|reset|expired|invalid|incorrect|wrong|missing|required|empty|ok|failed|denied|must|is|not|and|or|the|for|set|unset|string|access|cannot|unable|no|authentication|unauthorized|mismatch|too|should|has|was|update|updated)[.,;!]?$/i;

function isSecret(value: string, group: Group, prose: boolean): boolean {
  if (value === '' || NO_VALUE.test(value) || /^(?:[{([]|[;,&)\]}]+$)/.test(value)) return false;
  if (group === 'signature') return value.length >= 16;
  // A word (`session=established`, `auth=kerberos`) is a state.
  if (group === 'session' || group === 'auth') {
    const token = group === 'session' ? value.length >= 8 : /^[\w.~+/=-]{8,}$/.test(value);
    return token && (/\d/.test(value) || /[a-z][A-Z]/.test(value) || (!prose && value.length >= 20));
  }
  if (group === 'password') return !(prose && PROSE.test(value)) && !/^(?:[/~.]\/?[\w.-]+\/|~$|[A-Z]:\\)/.test(value);
  if (/^\d{1,5}$/.test(value)) return false;
  if (!prose) return value.length >= 3;
  return !PROSE.test(value) && value.length >= 6 && /\d/.test(value);
}

function authorizationValue(text: string, from: number, quotedEnd: number): Value | undefined {
  AUTH_SCHEME.lastIndex = from;
  const scheme = AUTH_SCHEME.exec(text);
  const start = scheme ? AUTH_SCHEME.lastIndex : from;
  if (text.startsWith(MARK_START, start)) return undefined;
  const name = scheme?.[1]?.toLowerCase() ?? 'authorization';
  // These schemes carry a list of parameters, up to the end of the header.
  const list = name === 'digest' || name === 'hawk' || name === 'aws4-hmac-sha256';
  const limit = Math.min(text.length, start + PROBE);
  const value = judged(
    text,
    start,
    quotedEnd !== -1 ? Math.min(quotedEnd, limit) : list ? limit : bareEnd(text, start, limit),
  );
  const secret = scheme ? value !== '' : value.length >= 16 || (value.length >= 8 && /\d/.test(value));
  if (!secret || NO_VALUE.test(value)) return undefined;
  const to = quotedEnd !== -1 ? quotedEnd : list ? lineEnd(text, start) : bareEnd(text, start);
  return { from: start, to, kind: name === 'basic' || name === 'bearer' ? name : 'authorization' };
}

function cookieValue(text: string, from: number, quotedEnd: number, first: boolean): Value | undefined {
  const pairs = first ? PAIR : PAIRS;
  pairs.lastIndex = from;
  const found = pairs.exec(text);
  if (found)
    return {
      from,
      to:
        quotedEnd !== -1 && !first ? quotedEnd : Math.min(pairs.lastIndex, quotedEnd === -1 ? text.length : quotedEnd),
      kind: 'cookie',
    };
  const limit = Math.min(text.length, from + PROBE);
  const value = judged(text, from, quotedEnd !== -1 ? Math.min(quotedEnd, limit) : bareEnd(text, from, limit));
  if (value.length < 8 || !/\d/.test(value) || NO_VALUE.test(value)) return undefined;
  return { from, to: quotedEnd !== -1 ? quotedEnd : bareEnd(text, from), kind: 'cookie' };
}

/** `Bearer x` and `Basic x` without a header's name: kept when the word that follows is only a word. */
function schemeValue(text: string, wordAt: number, wordEnd: number): Value | undefined {
  if (/\w/.test(text[wordAt - 1] ?? ' ') && text.slice(wordAt - 3, wordAt) !== '%20') return undefined;
  SCHEME_VALUE.lastIndex = wordEnd;
  const found = SCHEME_VALUE.exec(text);
  const value = found?.[1];
  if (value === undefined) return undefined;
  const basic = text[wordAt + 1]?.toLowerCase() === 'a';
  const secret = basic
    ? value.length < 4096 && isBasic(value)
    : value.length >= 8 && (/\d/.test(value) || /^(?=.*[a-z].*[A-Z]|.*[A-Z].*[a-z]).{20}/.test(value.slice(0, PROBE)));
  const to = SCHEME_VALUE.lastIndex;
  return secret ? { from: to - value.length, to, kind: basic ? 'basic' : 'bearer' } : undefined;
}

function isBasic(value: string): boolean {
  if (!/^[A-Za-z0-9+/_-]{8,}(?:=|%3[dD]){0,2}$/.test(value)) return false;
  return /^[\x20-\x7e]+$/.test(decode(value)) && decode(value).includes(':');
}

function decode(value: string): string {
  return Buffer.from(value.replace(/%3d/gi, '='), 'base64').toString('latin1');
}

function lineEnd(text: string, from: number): number {
  const end = text.slice(from, from + MAX_QUOTED).search(/[\n\r]|\\[nr"]/);
  return end === -1 ? Math.min(text.length, from + MAX_QUOTED) : from + end;
}
