/** A data frame as grafana-plugin-sdk-go writes it (data/frame_json.go). */
export interface Frame {
  schema: { refId: string; meta: Record<string, unknown>; fields: Record<string, unknown>[] };
  data: Record<string, unknown[]>;
}

export const TIME = { name: 'Time', type: 'time', typeInfo: { frame: 'time.Time' } } as const;

export function emptyFrame(refId: string, executedQueryString: string): Frame {
  return {
    schema: { refId, meta: { typeVersion: [0, 0], executedQueryString }, fields: [] },
    data: { values: [] },
  };
}

/** One series: times in ms, values as the server wrote them. NaN and infinities become null with an entity. */
export function seriesFrame(
  refId: string,
  meta: Record<string, unknown>,
  series: { name: string; labels: Record<string, string>; displayName: string; points: readonly [number, string][] },
  intervalMs: number | undefined,
): Frame {
  const numbers = series.points.map(([, text]) => sampleOf(text));
  const entities = entitiesOf(numbers);
  return {
    schema: {
      refId,
      meta,
      fields: [
        { ...TIME, ...(intervalMs !== undefined && { config: { interval: intervalMs } }) },
        {
          name: series.name,
          type: 'number',
          typeInfo: { frame: 'float64' },
          labels: series.labels,
          config: { displayNameFromDS: series.displayName },
        },
      ],
    },
    data: {
      values: [series.points.map(([ms]) => ms), numbers.map((n) => (Number.isFinite(n) ? n : null))],
      ...(entities && { entities: [null, entities] }),
    },
  };
}

function sampleOf(text: string): number {
  if (text === '+Inf') return Number.POSITIVE_INFINITY;
  return text === '-Inf' ? Number.NEGATIVE_INFINITY : Number(text);
}

function entitiesOf(numbers: readonly number[]): Record<string, number[]> | undefined {
  const found: Record<string, number[]> = {};
  numbers.forEach((n, i) => {
    if (Number.isFinite(n)) return;
    const key = Number.isNaN(n) ? 'NaN' : n > 0 ? 'Inf' : 'NegInf';
    found[key] = [...(found[key] ?? []), i];
  });
  return Object.keys(found).length > 0 ? found : undefined;
}

/** `name{a="b", c="d"}`, or the legend with its `{{label}}`s filled in. */
export function displayName(labels: Record<string, string>, legend: string | undefined, expr: string): string {
  if (legend && legend !== '__auto') return legend.replace(/\{\{\s*([^}\s]+)\s*\}\}/g, (_, key) => labels[key] ?? '');
  const { __name__ = '', ...rest } = labels;
  const keys = Object.keys(rest).sort();
  if (keys.length === 0) return __name__ || expr;
  return `${__name__}{${keys.map((key) => `${key}="${rest[key]}"`).join(', ')}}`;
}
