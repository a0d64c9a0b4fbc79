/** The date functions of a time in seconds since the epoch, UTC; undefined when `name` is none. */
export function dateFunction(name: string): ((seconds: number) => number) | undefined {
  const part = PARTS[name];
  return part ? (seconds) => part(civil(seconds)) : undefined;
}

/** A Date within 400 years of the epoch, and the years to add to it. */
interface Civil {
  date: Date;
  years: number;
}

const PARTS: Record<string, (time: Civil) => number> = {
  minute: ({ date }) => date.getUTCMinutes(),
  hour: ({ date }) => date.getUTCHours(),
  day_of_week: ({ date }) => date.getUTCDay(),
  day_of_month: ({ date }) => date.getUTCDate(),
  day_of_year: ({ date }) => {
    const today = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());
    return (today - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000 + 1;
  },
  days_in_month: ({ date }) => new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate(),
  month: ({ date }) => date.getUTCMonth() + 1,
  year: ({ date, years }) => date.getUTCFullYear() + years,
};

/** 400 years, after which the calendar repeats, in seconds. */
const CYCLE = 12_622_780_800n;
/** What Go on amd64 makes of NaN, infinities and anything beyond int64. */
const OVERFLOW = 2n ** 63n;

/** JavaScript's dates end where Prometheus's go on, so the calendar is moved by whole cycles. */
function civil(value: number): Civil {
  const seconds = Math.abs(value) < 2 ** 63 ? BigInt(Math.trunc(value)) : OVERFLOW;
  const cycles = seconds / CYCLE;
  return { date: new Date(Number(seconds - cycles * CYCLE) * 1000), years: Number(cycles) * 400 };
}
