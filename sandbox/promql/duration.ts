const UNITS: readonly (readonly [string, number])[] = [
  ['y', 365 * 86_400_000],
  ['w', 7 * 86_400_000],
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
];
const DURATION = /^(?:(\d+)y)?(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/;
/** Go's time.Duration ends here: 2^63 ns. */
const LIMIT_MS = 9_223_372_036_854;

/** A duration as Prometheus writes it (`1h30m`, units in falling order, each once) in ms; a message when it is none. */
export function parseDuration(text: string): number | { message: string } {
  if (text === '0') return 0;
  if (text === '') return { message: 'empty duration string' };
  const parts = DURATION.exec(text);
  if (!parts) return { message: `not a valid duration string: ${JSON.stringify(text)}` };
  const total = UNITS.reduce((sum, [, size], i) => sum + Number(parts[i + 1] ?? 0) * size, 0);
  return total > LIMIT_MS ? { message: 'duration out of range' } : total;
}

/** The shortest form in which Prometheus prints a duration: years and weeks only when they divide it. */
export function formatDuration(ms: number): string {
  if (ms === 0) return '0s';
  let rest = ms;
  let text = '';
  for (const [unit, size] of UNITS) {
    if ((unit === 'y' || unit === 'w') && rest % size !== 0) continue;
    const count = Math.floor(rest / size);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * size;
  }
  return text;
}
