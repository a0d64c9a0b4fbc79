const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const LAYOUT =
  /January|Jan|Monday|Mon|MST|2006|Z07:00|-07:00|-0700|[.,](?:0+|9+)(?!\d)|01|02|03|04|05|06|15|PM|pm|_2|1|2|3|4|5/g;

/** Go `time.Format`, in UTC. `ns` since epoch. */
export function goDate(layout: string, ns: bigint): string {
  const fraction = ((ns % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  const at = new Date(Number((ns - fraction) / 1_000_000n));
  const two = (value: number): string => String(value).padStart(2, '0');
  const hour12 = at.getUTCHours() % 12 === 0 ? 12 : at.getUTCHours() % 12;
  const parts: Record<string, string> = {
    January: MONTHS[at.getUTCMonth()] ?? '',
    Jan: (MONTHS[at.getUTCMonth()] ?? '').slice(0, 3),
    Monday: DAYS[at.getUTCDay()] ?? '',
    Mon: (DAYS[at.getUTCDay()] ?? '').slice(0, 3),
    MST: 'UTC',
    '2006': String(at.getUTCFullYear()).padStart(4, '0'),
    '06': two(at.getUTCFullYear() % 100),
    '01': two(at.getUTCMonth() + 1),
    '1': String(at.getUTCMonth() + 1),
    '02': two(at.getUTCDate()),
    '2': String(at.getUTCDate()),
    _2: String(at.getUTCDate()).padStart(2),
    '15': two(at.getUTCHours()),
    '03': two(hour12),
    '3': String(hour12),
    '04': two(at.getUTCMinutes()),
    '4': String(at.getUTCMinutes()),
    '05': two(at.getUTCSeconds()),
    '5': String(at.getUTCSeconds()),
    PM: at.getUTCHours() < 12 ? 'AM' : 'PM',
    pm: at.getUTCHours() < 12 ? 'am' : 'pm',
    'Z07:00': 'Z',
    '-07:00': '+00:00',
    '-0700': '+0000',
  };
  return layout.replace(LAYOUT, (part) => {
    if (!/^[.,]/.test(part)) return parts[part] ?? part;
    const digits = String(fraction)
      .padStart(9, '0')
      .slice(0, part.length - 1);
    if (part[1] === '0') return part[0] + digits;
    const trimmed = digits.replace(/0+$/, '');
    return trimmed === '' ? '' : part[0] + trimmed;
  });
}
