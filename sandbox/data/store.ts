export type Labels = Record<string, string>;

export interface LogLine {
  /** ns since epoch */
  ts: bigint;
  line: string;
  metadata?: Labels;
}

/** Log data behind the sandbox's Loki: the shop of the demo, a capture's data set, or a person's own files. */
export interface LogStore {
  /** Index labels of every stream that has lines in [start, end). */
  streams(start: bigint, end: bigint): Labels[];
  /** Lines with start <= ts < end of the streams that match, ascending by time (stable). */
  select(match: (labels: Labels) => boolean, start: bigint, end: bigint): { labels: Labels; lines: LogLine[] }[];
}

export interface MetricSeries {
  /** With `__name__`. */
  labels: Labels;
  /** ms since epoch, ascending */
  times: number[];
  values: number[];
}

export interface MetricMetadata {
  type: string;
  help: string;
  unit: string;
}

export interface Exemplar {
  seriesLabels: Labels;
  labels: Labels;
  value: number;
  /** ms since epoch */
  time: number;
}

/** Samples behind the sandbox's Prometheus. */
export interface MetricStore {
  /** Labels of all series that match and have samples in [startMs, endMs] (inclusive). */
  series(match: (labels: Labels) => boolean, startMs: number, endMs: number): Labels[];
  /** Samples with startMs <= t <= endMs of the series that match. A stale marker is the value STALE (see promql). */
  select(match: (labels: Labels) => boolean, startMs: number, endMs: number): MetricSeries[];
  metadata(): Map<string, MetricMetadata>;
  exemplars(startMs: number, endMs: number): Exemplar[];
}

/** A request to one of the sandbox's servers, and its answer: plain values, so that captures are tested without HTTP. */
export interface ApiRequest {
  method: string;
  /** Below the server's root, e.g. `/loki/api/v1/query_range`. */
  path: string;
  /** Query string and form fields, merged. */
  params: URLSearchParams;
  headers: Record<string, string | undefined>;
  /** ms since epoch: the server's clock for this request. */
  now: number;
}
export interface ApiAnswer {
  status: number;
  contentType: string;
  body: string;
}
