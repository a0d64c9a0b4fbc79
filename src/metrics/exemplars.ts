import type { Labels, Series } from '../grafana/upstream.ts';

interface Exemplar {
  series: Labels;
  labels: Labels;
  value: number;
  time: number;
}

export interface Near {
  exemplar: Exemplar;
  /** The point beside which it lies. */
  point: { time: number; value: number };
}

/** Series whose worst points are looked at, and exemplars beside each. */
const SERIES = 2;
const EACH = 3;

/**
 * Exemplars near the worst points: of the series with the largest values, those within `nearMs` of the largest one, the
 * largest first. An exemplar belongs to a series when no label that both have differs.
 */
export function nearWorst(series: readonly Series[], exemplars: readonly Exemplar[], nearMs: number): Near[] {
  const worst = series
    .flatMap((one) => {
      const point = largestOf(one);
      return point === undefined ? [] : [{ labels: one.labels, point }];
    })
    .sort((a, b) => b.point.value - a.point.value)
    .slice(0, SERIES);
  const taken = new Set<Exemplar>();
  return worst.flatMap(({ labels, point }) => {
    const near = exemplars
      .filter((one) => !taken.has(one) && Math.abs(one.time - point.time) <= nearMs && agrees(one.series, labels))
      .sort((a, b) => b.value - a.value || Math.abs(a.time - point.time) - Math.abs(b.time - point.time))
      .slice(0, EACH);
    for (const one of near) taken.add(one);
    return near.map((exemplar) => ({ exemplar, point }));
  });
}

const TRACE_NAMES = ['trace_id', 'traceID', 'traceId', 'TraceID', 'TraceId', 'trace'];

/** The label that holds the trace's id: one that the datasource's settings name, or a usual one. */
export function traceOf(labels: Labels, named: readonly string[] = []): { name: string; id: string } | undefined {
  for (const name of [...named, ...TRACE_NAMES]) {
    const id = labels[name];
    if (id !== undefined && id !== '') return { name, id };
  }
  return undefined;
}

function largestOf({ times, values }: Series): { time: number; value: number } | undefined {
  let found: { time: number; value: number } | undefined;
  for (const [i, value] of values.entries()) {
    if (Number.isFinite(value) && (found === undefined || value > found.value)) found = { time: times[i] ?? 0, value };
  }
  return found;
}

function agrees(own: Labels, wanted: Labels): boolean {
  // `le` is of one bucket, and the name is of the raw series: a query's result says nothing of either.
  return Object.entries(wanted).every(([name, value]) => name === '__name__' || !(name in own) || own[name] === value);
}
