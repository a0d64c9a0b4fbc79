import { showLabels } from '../answer/table.ts';
import { plural } from '../answer/text.ts';
import type { Series } from '../grafana/upstream.ts';
import { numberFormat } from './numbers.ts';
import { readPromql } from './promql.ts';
import { quoteLabel, withMatcher } from './selectors.ts';
import { sharedLabels } from './table.ts';
import type { Unit } from './units.ts';

export interface ManySeries {
  /** `2,000 series. Labels: user 2,000 values · region 4 · job 1 (demo)` */
  line: string;
  /** The largest by value (of a range: by its last value), and sum, mean and zeros over all. */
  rows: string[];
  /** Ready queries that the grammar has read. */
  rewrites: string[];
}

const TOP = 5;

/** Too many series to show: how many, by which labels, the largest, and what to ask instead. */
export async function manySeries(
  query: string,
  series: readonly Series[],
  opt: { unit?: Unit } = {},
): Promise<ManySeries> {
  const show = await numberFormat(opt.unit);
  const shared = sharedLabels(series);
  /** By label: how many series have each of its values. */
  const values = new Map<string, Map<string, number>>();
  for (const { labels } of series) {
    for (const name in labels) {
      const known = values.get(name) ?? new Map<string, number>();
      const value = labels[name] ?? '';
      known.set(value, (known.get(value) ?? 0) + 1);
      values.set(name, known);
    }
  }
  values.delete('__name__');
  const sizes = [...values].map(([name, known]) => [name, known.size] as const).sort((a, b) => b[1] - a[1]);
  const labels = sizes.map(([name, n], i) => {
    const only = n === 1 && name in shared ? ` (${shared[name]})` : '';
    return `${name} ${n.toLocaleString('en-US')}${i === 0 ? (n === 1 ? ' value' : ' values') : ''}${only}`;
  });
  const known = series
    .map((one) => ({ labels: one.labels, value: one.values.at(-1) ?? Number.NaN }))
    .filter(({ value }) => !Number.isNaN(value))
    .sort((a, b) => b.value - a.value);
  const hide = new Set([...Object.keys(shared), '__name__']);
  const total = known.reduce((sum, { value }) => sum + value, 0);
  const zero = known.filter(({ value }) => value === 0).length;
  const top = known.slice(0, TOP).map(({ labels: own, value }) => `${showLabels(own, hide)} ${show(value)}`.trim());
  return {
    line: `${plural(series.length, 'series', 'series')}.${labels.length > 0 ? ` Labels: ${labels.join(' · ')}` : ''}`,
    rows: [
      ...(top.length > 0 ? [`highest ${top.length}: ${top.join(' · ')}`] : []),
      ...(known.length > 0
        ? [`sum ${show(total)} · mean ${show(total / known.length)} · zero ${zero.toLocaleString('en-US')}`]
        : []),
    ],
    rewrites: rewritesOf(query, values),
  };
}

/**
 * Grouped by the coarsest label that still tells something, the largest ten, the number of them, and the value of that
 * label that holds most series alone.
 */
function rewritesOf(query: string, values: ReadonlyMap<string, ReadonlyMap<string, number>>): string[] {
  const own = query.trim();
  const several = [...values].filter(([, known]) => known.size > 1).sort((a, b) => a[1].size - b[1].size);
  const [coarse, counts] = several.find(([, known]) => known.size <= 30) ?? [];
  const [narrow, all] = counts === undefined ? (several[0] ?? []) : [coarse, counts];
  const [largest = ''] = [...(all ?? [])].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0] ?? [];
  const matched = narrow === undefined || largest === '' ? undefined : withMatcher(own, narrow, largest);
  const candidates = [
    coarse === undefined ? `sum(${own})` : `sum by (${quoteLabel(coarse)}) (${own})`,
    `topk(10, ${own})`,
    ...(matched === undefined ? [] : [matched]),
    `count(${own})`,
  ];
  return candidates.filter((candidate) => readPromql(candidate).fault === undefined);
}
