const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec';
const LEADING =
  /^\[?(\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)(?:\s?(Z|[+-]\d\d:?\d\d|UTC))?\]?(?: ?[:|]| -(?= ))?\s{0,2}/;
const COMMON_LOG = /\[(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d\d)(\d\d)\] ?/;
/** A line is often stamped a little before it is shipped. */
const TOLERANCE_MS = 1_000;

/** A line without the time that it repeats: at its beginning, or as web servers write it. Another time stays. */
export function dropTime(line: string, ts: bigint): string {
  const at = Number(ts / 1_000_000n);
  const leading = LEADING.exec(line);
  if (leading && isSame(`${leading[1] ?? ''}${leading[2] ?? 'Z'}`, at)) return line.slice(leading[0].length);
  const common = COMMON_LOG.exec(line.slice(0, 300));
  if (!common) return line;
  const [, day, month = '', year, time, hours, minutes] = common;
  const number = MONTHS.indexOf(month) / 3 + 1;
  const iso = `${year}-${String(number).padStart(2, '0')}-${day}T${time}${hours}:${minutes}`;
  return isSame(iso, at) ? line.slice(0, common.index) + line.slice(common.index + common[0].length) : line;
}

/** Whether a field's value says the entry's own time: RFC 3339 or epoch of any size. */
export function isSame(value: string, atMs: number): boolean {
  const number = /^\d{10,19}(?:\.\d+)?$/.test(value) ? Number(value) : undefined;
  const iso = value.replace(/\//g, '-').replace(' ', 'T').replace(',', '.').replace('UTC', 'Z');
  const digits = value.split('.')[0]?.length ?? 0;
  const ms = number === undefined ? Date.parse(iso) : number / 10 ** (digits - 13);
  return Math.abs(ms - atMs) <= TOLERANCE_MS;
}
