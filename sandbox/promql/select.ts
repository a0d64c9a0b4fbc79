import type { RangeSelector, Selector, Shift } from './ast.ts';
import { sortedByLabels } from './labels.ts';
import { matchesAll } from './matchers.ts';
import { type Context, emptySteps, type Grid, type Points, STALE, type StepSeries, timeAt } from './values.ts';

/** Where a selector looks at each step: `time(i) - offset`, or one time for all steps with `@`. */
export interface Aim {
  fixed: number | undefined;
  offset: number;
}

export function aimOf(shift: Shift, { queryStart, queryEnd }: Context): Aim {
  const at = shift.at === 'start' ? queryStart : shift.at === 'end' ? queryEnd : shift.at;
  return { fixed: at === undefined ? undefined : at - shift.offset, offset: shift.offset };
}

export function aimAt({ fixed, offset }: Aim, grid: Grid, i: number): number {
  return fixed ?? timeAt(grid, i) - offset;
}

/** The newest sample at each step, not older than the lookback and not stale. `what`: its value or its time (s). */
export function selectInstant(selector: Selector, context: Context, what: 'value' | 'time' = 'value'): StepSeries[] {
  const { grid, lookback } = context;
  const aim = aimOf(selector, context);
  const found: StepSeries[] = [];
  for (const { labels, times, values } of stored(selector, context, aim, lookback)) {
    const out = emptySteps(grid);
    let newest = -1;
    let any = false;
    for (let i = 0; i < grid.count; i++) {
      const at = aimAt(aim, grid, i);
      while (newest + 1 < times.length && Number(times[newest + 1]) <= at) newest++;
      const time = times[newest];
      const value = values[newest];
      if (time === undefined || value === undefined || value === STALE || time < at - lookback) continue;
      out[i] = what === 'time' ? time / 1000 : value;
      any = true;
    }
    if (any) found.push({ labels, values: out });
  }
  return found;
}

/** All samples that some step's range can reach. */
export function selectRange({ selector, range }: RangeSelector, context: Context): { points: Points[]; aim: Aim } {
  const aim = aimOf(selector, context);
  return { points: stored(selector, context, aim, range).map(withoutStale), aim };
}

function stored(selector: Selector, { store, grid }: Context, aim: Aim, reach: number): Points[] {
  const first = aimAt(aim, grid, 0) - reach;
  const last = aimAt(aim, grid, grid.count - 1);
  return sortedByLabels(store.select(matchesAll(selector.matchers), first, last));
}

function withoutStale(points: Points): Points {
  const { labels, times, values } = points;
  if (!Array.prototype.includes.call(values, STALE)) return points;
  const kept = Array.from(values, (value, i) => (value === STALE ? -1 : i)).filter((i) => i >= 0);
  return { labels, times: kept.map((i) => Number(times[i])), values: kept.map((i) => Number(values[i])) };
}
