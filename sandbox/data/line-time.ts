const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/**
 * The time a line of a log file begins with, in ns since epoch: ISO 8601 / RFC 3339 (also after a bracket or
 * `ts=`, `time=`), nginx and Apache, syslog (RFC 3164 and 5424), or a JSON line's field ts, time, timestamp, @timestamp.
 * Times without a zone are read as UTC. `now` (ms) gives syslog its year. Undefined when there is none.
 */
export function lineTime(head: string, now: number): bigint | undefined {
  return head.startsWith('{') ? jsonTime(head) : (isoTime(head) ?? bracketTime(head) ?? syslogTime(head, now));
}

const ISO =
  /^(?:<\d+>\d? ?)?(?:\[|[\w.@]{1,12}=)?"?(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))? ?(Z|[+-]\d\d:?\d\d)?/;
function isoTime(head: string): bigint | undefined {
  const m = ISO.exec(head);
  if (!m) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', zone] = m;
  const ms = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  return nanoseconds(ms - zoneMs(zone), fraction);
}

const BRACKET = /^[^[]{0,120}\[(\d\d)\/(\w{3})\/(\d{4}):(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))? ?([+-]\d{4})?\]/;
function bracketTime(head: string): bigint | undefined {
  const m = BRACKET.exec(head);
  const month = MONTHS.indexOf((m?.[2] ?? '').toLowerCase());
  if (!m || month < 0) return undefined;
  const ms = Date.UTC(Number(m[3]), month, Number(m[1]), Number(m[4]), Number(m[5]), Number(m[6]));
  return nanoseconds(ms - zoneMs(m[8]), m[7] ?? '');
}

const SYSLOG = /^(?:<\d+>)?([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?/;
function syslogTime(head: string, now: number): bigint | undefined {
  const m = SYSLOG.exec(head);
  const month = MONTHS.indexOf((m?.[1] ?? '').toLowerCase());
  if (!m || month < 0) return undefined;
  const at = (year: number): number => Date.UTC(year, month, Number(m[2]), Number(m[3]), Number(m[4]), Number(m[5]));
  const year = new Date(now).getUTCFullYear();
  // No year in the line: the latest that is not in the future.
  return nanoseconds(at(year) > now + 86_400_000 ? at(year - 1) : at(year), m[6] ?? '');
}

const FIELD = /"(?:ts|time|timestamp|@timestamp)"\s*:\s*(?:"([^"]{1,40})"|(\d{9,19}(?:\.\d{1,9})?))/;
function jsonTime(head: string): bigint | undefined {
  const m = FIELD.exec(head);
  if (!m) return undefined;
  return m[2] === undefined ? isoTime(m[1] ?? '') : epochTime(m[2]);
}

/** Seconds, milliseconds, microseconds or nanoseconds, told apart by their length. */
function epochTime(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  const unit = whole.length <= 11 ? 9 : whole.length <= 14 ? 6 : whole.length <= 16 ? 3 : 0;
  return BigInt(whole) * 10n ** BigInt(unit) + BigInt(fraction.padEnd(unit, '0').slice(0, unit) || '0');
}

function nanoseconds(ms: number, fraction: string): bigint | undefined {
  return Number.isFinite(ms) ? BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, '0') || '0') : undefined;
}

function zoneMs(zone: string | undefined): number {
  const m = /^([+-])(\d\d):?(\d\d)$/.exec(zone ?? '');
  return m ? (m[1] === '-' ? -1 : 1) * (Number(m[2]) * 60 + Number(m[3])) * 60_000 : 0;
}
