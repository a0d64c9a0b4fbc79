import { readFloat } from '../promql/literals.ts';
import type { Exemplar, Labels, MetricMetadata, MetricSeries, MetricStore } from './store.ts';

export interface MetricData {
  series: MetricSeries[];
  metadata?: Map<string, MetricMetadata>;
  exemplars?: Exemplar[];
}

/** A MetricStore over series in memory; their samples must be ascending in time. */
export function memoryMetrics({ series: all, metadata, exemplars = [] }: MetricData): MetricStore {
  const cut = (one: MetricSeries, start: number, end: number): [number, number] => [
    firstAtOrAfter(one.times, start),
    firstAtOrAfter(one.times, end + 0.5),
  ];
  return {
    series: (match, start, end) =>
      all
        .filter((one) => match(one.labels))
        .filter((one) => {
          const [from, to] = cut(one, start, end);
          return from < to;
        })
        .map(({ labels }) => labels),
    select: (match, start, end) =>
      all
        .filter((one) => match(one.labels))
        .flatMap((one) => {
          const [from, to] = cut(one, start, end);
          if (from >= to) return [];
          return [{ labels: one.labels, times: one.times.slice(from, to), values: one.values.slice(from, to) }];
        }),
    metadata: () => metadata ?? new Map(),
    exemplars: (start, end) => exemplars.filter(({ time }) => time >= start && time <= end),
  };
}

function firstAtOrAfter(times: readonly number[], time: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (Number(times[middle]) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The store that Prometheus has after `promtool tsdb create-blocks-from openmetrics`: samples and nothing else. */
export function openMetricsStore(text: string): MetricStore {
  return memoryMetrics({ series: readOpenMetrics(text).series });
}

const LABELS = String.raw`\{((?:[^"}]|"(?:[^"\\]|\\.)*")*)\}`;
const SAMPLE = new RegExp(
  String.raw`^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:${LABELS})? (\S+)(?: (\S+))?(?: # ${LABELS} (\S+)(?: (\S+))?)?$`,
);
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/g;

/**
 * OpenMetrics text with a timestamp on every sample. A line that is neither a sample nor a comment throws with its
 * number. Exemplars without a time take their sample's.
 */
function readOpenMetrics(text: string): Required<MetricData> {
  const byKey = new Map<string, MetricSeries>();
  const metadata = new Map<string, MetricMetadata>();
  const exemplars: Exemplar[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line === '# EOF') break;
    if (line === '') continue;
    if (line.startsWith('#')) {
      readComment(line, metadata);
      continue;
    }
    const parts = SAMPLE.exec(line);
    const value = readFloat(parts?.[3] ?? '');
    const seconds = readFloat(parts?.[4] ?? '');
    if (!parts || value === undefined || seconds === undefined) {
      throw new Error(`line ${index + 1} is no OpenMetrics sample with a timestamp`);
    }
    const time = Math.trunc(seconds * 1000);
    const key = `${parts[1]}{${parts[2] ?? ''}}`;
    const series = byKey.get(key) ?? {
      labels: { __name__: parts[1] ?? '', ...readLabels(parts[2] ?? '') },
      times: [],
      values: [],
    };
    byKey.set(key, series);
    series.times.push(time);
    series.values.push(value);
    if (parts[6] === undefined) continue;
    const at = readFloat(parts[7] ?? '');
    const labels = readLabels(parts[5] ?? '');
    const exemplarTime = at === undefined ? time : Math.trunc(at * 1000);
    exemplars.push({
      seriesLabels: series.labels,
      labels,
      value: readFloat(parts[6]) ?? Number.NaN,
      time: exemplarTime,
    });
  }
  return { series: [...byKey.values()].map(inOrder), metadata, exemplars };
}

function readLabels(text: string): Labels {
  const labels: Labels = {};
  for (const [, name = '', value = ''] of text.matchAll(LABEL)) {
    const plain = value.replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char));
    if (plain !== '') labels[name] = plain;
  }
  return labels;
}

function readComment(line: string, metadata: Map<string, MetricMetadata>): void {
  const [, kind, name = '', rest = ''] = /^# (HELP|TYPE|UNIT) (\S+) ?(.*)$/.exec(line) ?? [];
  if (!kind) return;
  const known = metadata.get(name) ?? { type: 'unknown', help: '', unit: '' };
  if (kind === 'TYPE') known.type = rest;
  if (kind === 'UNIT') known.unit = rest;
  if (kind === 'HELP') known.help = rest.replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char));
  metadata.set(name, known);
}

/** Ascending times, the first of equal ones. */
function inOrder(series: MetricSeries): MetricSeries {
  const { labels, times, values } = series;
  if (times.every((time, i) => i === 0 || time > Number(times[i - 1]))) return series;
  const order = times.map((_, i) => i).sort((a, b) => Number(times[a]) - Number(times[b]));
  const kept = order.filter((index, i) => i === 0 || times[index] !== times[order[i - 1] ?? -1]);
  return { labels, times: kept.map((i) => Number(times[i])), values: kept.map((i) => Number(values[i])) };
}
