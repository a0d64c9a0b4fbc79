import type { JsonAnswer } from '../answer/answer.ts';
import { didYouMean } from '../nearest.ts';

/** Schema of what the two label tools give: either `labels` or `values`. */
export const labelOutput = {
  labels: { type: 'array', items: { type: 'string' } },
  values: { type: 'array', items: { type: 'string' } },
  total: { type: 'integer' },
} as const;

export interface LabelList {
  /** Absent: `items` are names of labels. */
  label?: string | undefined;
  items: readonly string[];
  datasource: string;
  /** As shown to people. */
  window: string;
  ageMs: number;
  /** What to do when not all fit. */
  narrow: string;
  /** Why there is nothing. */
  nothing?: string;
  /** How this was found, where that is not as usual. */
  remark?: string;
  /** More about the first `shown` items. */
  more?: (shown: readonly string[]) => Record<string, unknown>;
}

export function labelAnswer(list: LabelList): JsonAnswer {
  const { label, items, datasource, window, ageMs } = list;
  return {
    entries: items.length,
    structured: (n) => {
      const shown = items.slice(0, n);
      const notes = [
        ...(n < items.length ? [`${n} of ${items.length} shown; ${list.narrow}`] : []),
        ...(list.remark === undefined ? [] : [list.remark]),
        ...(items.length === 0 && list.nothing !== undefined ? [list.nothing] : []),
      ];
      return {
        ...(label === undefined ? { labels: shown } : { label, values: shown }),
        total: items.length,
        ...list.more?.(shown),
        datasource,
        window,
        ...(ageMs >= 1000 ? { age_seconds: Math.round(ageMs / 1000) } : {}),
        ...(notes.length > 0 ? { note: notes.join(' ') } : {}),
      };
    },
  };
}

/** For a label that has no value: is there such a label, and which may have been meant? */
export function noSuchLabel(label: string, labels: readonly string[]): string {
  if (labels.includes(label)) return `The label ${label} exists, but nothing that fits has a value of it.`;
  const known =
    labels.length === 0 ? ' There are no labels at all in this window.' : ` Labels: ${labels.slice(0, 30).join(', ')}.`;
  return `No label ${label} in this window${didYouMean(label, labels)}${known}`;
}
