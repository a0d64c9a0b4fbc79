import type { Labels } from '../grafana/upstream.ts';
import { type Change, type LineGroup, spikes } from '../logs/digest.ts';
import { LEVEL_NAMES } from '../logs/level.ts';
import { logRows } from '../logs/rows.ts';
import { showDay, showTime } from '../time/show.ts';
import type { Window } from '../time/window.ts';

type Clock = (ns: bigint) => string;

interface Frame {
  window: Window;
  zone: string;
  /** Labels that all streams share: said once, elsewhere. */
  shared: Labels;
  /** Whether all lines of the window, and of the one before, were read; else their counts are estimates. */
  whole: { now: boolean; before: boolean };
}

const MARKS: Partial<Record<Change, string>> = {
  new: 'NEW ',
  unsure: 'PERHAPS NEW ',
  grown: 'GROWN ',
  shrunk: 'SHRUNK ',
  gone: 'GONE ',
};

/** Groups as rows of a few lines: what changed, how many, when; the template; one example; streams and traces. */
export function groupRows(groups: readonly LineGroup[], frame: Frame): string[] {
  const clock = clockOf(frame.window, frame.zone);
  return groups.map((group) => rowOf(group, frame, clock));
}

function rowOf(group: LineGroup, { window, zone, shared, whole }: Frame, clock: Clock): string {
  const { change, level, count, before = 0, counted = false, first, last, template, buckets, sample, traces } = group;
  const peaks = whole.now ? spikes(buckets, window) : [];
  const mark = (change && MARKS[change]) ?? '';
  const times = count === 0 ? '' : first === last ? ` ${clock(first)}` : ` ${clock(first)}–${clock(last)}`;
  const was = change === undefined ? '' : ` (before ${showCount(before, counted || whole.before)})`;
  const counts = `× ${showCount(count, counted || whole.now)}${was}`;
  const spike =
    peaks.length === 0
      ? ''
      : ` · spike ${peaks
          .slice(0, 2)
          .map(([from, to]) => `${clock(from)}–${clock(to)}`)
          .join(', ')}`;
  const [example] = [...logRows([sample], { zone, detail: 'short', direction: 'backward' }).rows];
  const details = [
    streamsText(group, shared),
    traces.length === 0 ? '' : `traces ${traces.slice(0, MOST_TRACES).join(', ')}`,
  ];
  return [
    `${mark}${level ?? ''}${level === undefined ? '' : ' '}${counts}${times} ${count === 0 ? '' : spark(buckets)}${spike}`.trimEnd(),
    `  ${template}`,
    `  e.g. ${(example?.text ?? sample.line).split('\n').slice(0, 3).join('\n  ')}`,
    ...(details.some((part) => part !== '') ? [`  ${details.filter((part) => part !== '').join(' · ')}`] : []),
  ].join('\n');
}

/** `412`, or of an estimate two places: `≈ 5,300`. */
function showCount(n: number, exact: boolean): string {
  return exact || n === 0 ? n.toLocaleString('en-US') : `≈ ${Number(n.toPrecision(2)).toLocaleString('en-US')}`;
}

const SPARK = ' ▁▂▃▄▅▆▇█';

function spark(buckets: readonly number[]): string {
  const most = Math.max(...buckets, 1);
  return `[${buckets.map((n) => SPARK[n === 0 ? 0 : Math.max(1, Math.round((n / most) * 8))]).join('')}]`;
}

const MOST_VALUES = 4;
const MOST_TRACES = 3;

/** The labels in which the group's streams differ from what all share; the level stands in front. */
function streamsText({ streams }: LineGroup, shared: Labels): string {
  const values = new Map<string, Set<string>>();
  for (const stream of streams) {
    for (const [name, value] of Object.entries(stream)) {
      if (!(name in shared) && !LEVEL_NAMES.includes(name))
        values.set(name, (values.get(name) ?? new Set()).add(value));
    }
  }
  return [...values]
    .map(([name, set]) => {
      const more = set.size > MOST_VALUES ? ` and ${set.size - MOST_VALUES} more` : '';
      return `${name}=${[...set].slice(0, MOST_VALUES).join(', ')}${more}`;
    })
    .join(' ');
}

/** Times of day, with month and day where the window spans days. */
function clockOf({ start, end }: Window, zone: string): Clock {
  const days = showDay(start, zone) !== showDay(end, zone);
  return (ns) => `${days ? `${showDay(ns, zone).slice(5)} ` : ''}${showTime(ns, zone, 'second')}`;
}
