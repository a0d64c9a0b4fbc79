import { readJsonFields, readLogfmt } from './fields.ts';
import { LEVEL_NAMES, leadingLevel, readLevel } from './level.ts';

/** Stands for what varies from line to line. */
export const VARIES = '<*>';

const MESSAGE_NAMES = /^(?:msg|message|@message|error|err|event)$/i;
const DATE = /^\[?(?:\d{4}[-/.]\d\d[-/.]\d\d|[A-Z][a-z]{2} +\d{1,2}|\d{1,2}\/[A-Z][a-z]{2}\/\d{4})[T: ]?/;

/**
 * A line as what is said in it, and what it holds of numbers, ids, addresses, times and sizes as `<*>`: of JSON and
 * logfmt the level and the message, of several lines the first and the last cause. `content`: without time and level before it.
 */
export function normalLine(line: string, content: boolean): string {
  const brace = line.endsWith('}') ? line.indexOf('{"') : -1;
  if (brace !== -1) {
    const said = messageOf(line.slice(brace));
    if (said !== undefined) return said;
  }
  if (brace !== -1 || line.includes('=')) {
    const json = brace === -1 ? undefined : readJsonFields(line.slice(brace));
    const fields = json ?? readLogfmt(line.slice(pairsAt(line)));
    if (fields !== undefined) {
      const message = fields.find(({ name, value }) => MESSAGE_NAMES.test(name) && value !== '');
      const level = fields.find(({ name, value }) => LEVEL_NAMES.includes(name.toLowerCase()) && readLevel(value));
      const said = message?.value ?? fields.map(({ name, value }) => `${name}=${value}`).join(' ');
      return `${level === undefined ? '' : `${readLevel(level.value)} `}${masked(firstOf(said))}`;
    }
  }
  const first = firstOf(line);
  if (content) return masked(first);
  const timeless = DATE.test(first)
    ? first.replace(/^\[?[\d\-/.:,TZ+ ]*(?:[A-Z][a-z]{2} +\d{1,2} [\d:.,]+)?\]? */, '')
    : first;
  const leading = leadingLevel(timeless);
  return leading === undefined ? masked(timeless) : `${leading.level} ${masked(leading.rest)}`;
}

/** Level and message of a JSON object that has one: the way most lines go, without its other fields. */
function messageOf(json: string): string | undefined {
  let object: unknown;
  try {
    object = JSON.parse(json);
  } catch {
    return undefined;
  }
  let level = '';
  let message = '';
  for (const [name, value] of Object.entries(object ?? {})) {
    if (typeof value !== 'string' || value === '') continue;
    if (message === '' && MESSAGE_NAMES.test(name)) message = value;
    else if (level === '' && LEVEL_NAMES.includes(name.toLowerCase())) level = readLevel(value) ?? '';
  }
  return message === '' ? undefined : `${level === '' ? '' : `${level} `}${masked(firstOf(message))}`;
}

/** Where `key=value key=value …` begins behind a prefix of words; 0 when it is no such line. */
function pairsAt(line: string): number {
  const at = line.search(/(?:^| )[A-Za-z_][\w.]*=\S* [A-Za-z_][\w.]*=/);
  return at <= 0 ? 0 : at + 1;
}

/** The first line, and of a stack trace the class of its last cause. */
function firstOf(text: string): string {
  const end = text.indexOf('\n');
  if (end === -1) return text;
  const cause = /\nCaused by: ([\w.$]+)(?![\s\S]*\nCaused by: )/.exec(text.slice(0, 20_000))?.[1];
  return cause === undefined ? text.slice(0, end) : `${text.slice(0, end)} <-${cause}`;
}

// What a character is to a word.
const WORD = 0;
const DIGIT = 1;
const BLANK = 2;
const MARK = 3;

const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code >= 48 && code <= 57) return DIGIT;
  if (code <= 32) return BLANK;
  // What stands between words without being one: ( ) [ ] { } < > = : , ; " ' ` | # &
  return '()[]{}<>=:,;"\'`|#&'.includes(String.fromCharCode(code)) ? MARK : WORD;
});

/** Longest message that is looked at. */
const LONGEST = 2_000;

/** One pass: a word that holds a digit varies; several that vary, with only marks between them, are one. */
function masked(text: string): string {
  let out = '';
  let from = 0;
  let digit = false;
  /** Where in `out` the last `<*>` ended with nothing but marks behind it, or -1. */
  let last = -1;
  const length = Math.min(text.length, LONGEST);
  for (let i = 0; i <= length; i++) {
    const code = i < length ? text.charCodeAt(i) : 32;
    const kind = code < 128 ? (KINDS[code] ?? WORD) : WORD;
    if (kind === DIGIT) digit = true;
    if (kind === WORD || kind === DIGIT) continue;
    if (i > from) {
      if (digit) {
        // Lists, addresses with ports and times become one.
        if (last !== -1) out = out.slice(0, last);
        else out += VARIES;
        last = out.length;
      } else {
        out += text.slice(from, i);
        last = -1;
      }
    }
    if (kind === MARK) {
      out += text[i];
      // A name before its value, and a bracket that opens, begin anew.
      if (code === 61 || code === 40 || code === 91 || code === 123) last = -1;
    } else if (out !== '' && !out.endsWith(' ')) out += ' ';
    from = i + 1;
    digit = false;
  }
  return out.trimEnd();
}
