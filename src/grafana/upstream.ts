import type { Caller } from '../identity.ts';

export type Labels = Record<string, string>;

/** One upstream request below Grafana's root. The path is built with encoded segments only, and checked against the allow-list. */
export interface UpstreamRequest {
  method?: 'GET' | 'POST';
  /** Begins with `/api/…`; each variable segment already percent-encoded. */
  path: string;
  query?: Record<string, string | readonly string[] | undefined>;
  /** Form-encoded body (POST). */
  form?: Record<string, string | readonly string[] | undefined>;
  /** JSON body (POST). */
  json?: unknown;
  headers?: Record<string, string>;
  /** For the error that names the hop, and for the per-datasource concurrency cap. */
  datasource?: { uid: string; name: string; type: string };
  /** Statuses that are an answer, not an error, for this request (e.g. 400 of ds/query, 404 of health). */
  accept?: readonly number[];
  /** For a question beside the one that was asked: its deadline in ms, where that is below --upstream-timeout. */
  deadlineMs?: number;
}

export interface UpstreamAnswer {
  status: number;
  contentType: string;
  /** The body, decoded as UTF-8, within --max-response-bytes. */
  text: string;
}

/** Grafana as one call sees it: bound to a caller, a signal and a deadline. */
export interface Upstream {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  /** Told how many bytes of logs an answer cost Loki, as it says itself. */
  readonly scanned?: (bytes: number) => void;
  /** Upstream requests made so far in this call (for the audit). */
  readonly calls: () => number;
  /** Throws GatewayError naming the hop for every status outside 2xx and `accept`. */
  request(request: UpstreamRequest): Promise<UpstreamAnswer>;
  /**
   * Cached per caller; identical concurrent loads reach upstream once. `ageMs` is 0 for a fresh value.
   * The load must send its requests through the upstream it is handed: that one lives as long as anybody waits,
   * not as long as the call that happened to come first.
   */
  cached<T>(kind: CacheKind, key: string, load: (shared: Upstream) => Promise<T>): Promise<{ value: T; ageMs: number }>;
  /** The operator's and the caller's own restriction by uid; deny wins. Absent: everything. `request` enforces it too. */
  readonly datasourceAllowed?: (uid: string) => boolean;
  /** What the operator fixed and links need: Grafana's address without slash at its end, its public one, the organisation. */
  readonly fixed?: { baseUrl: string; publicUrl?: string; orgId?: number };
  /** Which way worked for a datasource, per caller and for some minutes. */
  readonly routes?: { get(key: string): string | undefined; set(key: string, route: string): void };
}

/** Each kind has its own size and time to live (cache.ts). */
export type CacheKind = 'datasources' | 'settings' | 'labels' | 'stats' | 'health' | 'metadata';

export interface Datasource {
  uid: string;
  name: string;
  /** Plugin id, e.g. `loki`, `prometheus`, `grafana-amazonprometheus-datasource`. */
  type: string;
  isDefault: boolean;
  /** As Grafana shows it; may be an internal address, absent in the limited view. */
  url?: string;
  readOnly?: boolean;
  jsonData: Record<string, unknown>;
}

/** One series of a matrix or a vector (one point). Times in ms since epoch; values are JavaScript numbers, NaN and ±Inf as such. */
export interface Series {
  labels: Labels;
  times: number[];
  values: number[];
  /** Native histograms: [ms, {count, sum, buckets}] beside or instead of floats. */
  histograms?: { time: number; count: number; sum: number; buckets: [number, number, number, number][] }[];
}

/** One log entry. `ts` is ns since epoch; metadata and parsed are empty when the server did not categorise labels. */
export interface LogEntry {
  ts: bigint;
  line: string;
  metadata: Labels;
  parsed: Labels;
}
export interface LogStream {
  labels: Labels;
  /** In the order of the query's direction. */
  entries: LogEntry[];
}

/** What an answer says besides its data. */
interface Remarks {
  warnings: string[];
  infos: string[];
  /** Bytes of logs that Loki read for it, as it says itself. */
  bytesRead?: number;
}

export type QueryResult = Remarks &
  (
    | {
        type: 'streams';
        streams: LogStream[];
        /** Set when the server's cap on entries is below the limit that was asked for: the cap. */
        loweredTo?: number;
        /** The limit that was sent at last (one more than asked for, or the cap): as many entries mean "more may exist". */
        sentLimit?: number;
      }
    | { type: 'matrix' | 'vector'; series: Series[] }
    | { type: 'scalar'; time: number; value: number }
    | { type: 'string'; time: number; text: string }
  );
