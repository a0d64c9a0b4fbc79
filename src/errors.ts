/** Whose fault: the words that `check_access`, the answers and docs/errors.md use for the hop that failed. */
export type Fault = 'caller' | 'gateway' | 'grafana' | 'datasource';

interface ErrorKind {
  readonly fault: Fault;
  /** What is meant, for docs/errors.md. */
  readonly meaning: string;
  /** What to do about it; the default remedy of the answer. */
  readonly remedy: string;
}

// The one table of errors. docs/errors.md is generated from it; a test holds the two equal.
export const ERRORS = {
  bad_argument: {
    fault: 'caller',
    meaning: 'An argument is missing, of the wrong type or out of range.',
    remedy: 'Correct the argument that the message names and call again.',
  },
  unknown_argument: {
    fault: 'caller',
    meaning: 'The tool has no argument of that name.',
    remedy: 'Use the name that the message offers.',
  },
  unknown_tool: {
    fault: 'caller',
    meaning: 'There is no tool of that name, or the caller may not see it.',
    remedy: 'Call tools/list and use a name from it.',
  },
  unknown_resource: {
    fault: 'caller',
    meaning: 'No resource has this URI.',
    remedy: 'Take a URI from resources/list, or fill in a template.',
  },
  unknown_prompt: {
    fault: 'caller',
    meaning: 'There is no prompt of that name.',
    remedy: 'Call prompts/list and use a name from it.',
  },
  bad_time: {
    fault: 'caller',
    meaning: 'A time or a duration cannot be read, or start is not before end.',
    remedy: 'Use RFC 3339, epoch seconds, milliseconds or nanoseconds, "now-1h", or a bare duration such as "15m".',
  },
  bad_cursor: {
    fault: 'caller',
    meaning: 'The cursor was altered, or belongs to another query, window or datasource.',
    remedy: 'Repeat the call without cursor, or with the arguments that the cursor came from.',
  },
  bad_query: {
    fault: 'caller',
    meaning: 'Loki or Prometheus cannot read the query.',
    remedy: 'Correct the place that is marked.',
  },
  too_many_points: {
    fault: 'caller',
    meaning: 'The step is too small for the window (more than 11,000 points a series).',
    remedy: 'Use the step that the message offers, or leave it out.',
  },
  scan_budget: {
    fault: 'gateway',
    meaning: 'The query would make Loki read more than a call or a session may (--scan-budget, --session-scan-budget).',
    remedy: 'Take the shorter window or the narrower selector that the message offers.',
  },
  missing_scope: {
    fault: 'caller',
    meaning: 'The caller lacks the scope that this needs.',
    remedy: 'Ask the operator of the gateway for the scope that the message names.',
  },
  no_datasource: {
    fault: 'caller',
    meaning: 'No datasource fits: none of that name, or none of that type.',
    remedy: 'Call list_datasources and pass a uid from it.',
  },
  ambiguous_datasource: {
    fault: 'caller',
    meaning: 'More than one datasource fits.',
    remedy: 'Pass one of these uids as "datasource".',
  },
  wrong_datasource_type: {
    fault: 'caller',
    meaning: 'The datasource is of another type than the tool queries.',
    remedy: 'Use the tool that the message names, or another datasource.',
  },
  unauthenticated: {
    fault: 'caller',
    meaning: 'No bearer token arrived, or it was refused.',
    remedy: 'Send "Authorization: Bearer <token>" with a valid token.',
  },
  path_not_allowed: {
    fault: 'gateway',
    meaning: 'The gateway does not call this path of Grafana or of a datasource.',
    remedy: 'This is a limit of the gateway; nothing can be done by the caller.',
  },
  cancelled: {
    fault: 'caller',
    meaning: 'The client cancelled the call.',
    remedy: 'Call again if the answer is still wanted.',
  },
  deadline: {
    fault: 'gateway',
    meaning: "The gateway's own deadline for one upstream call passed (--upstream-timeout).",
    remedy: 'Narrow the window or the selector, or raise --upstream-timeout.',
  },
  busy: {
    fault: 'gateway',
    meaning: 'Too many calls to one datasource wait already.',
    remedy: 'Run fewer queries at once and call again.',
  },
  shutting_down: {
    fault: 'gateway',
    meaning: 'The gateway was stopped while the call ran, and its time to drain (--drain) was over.',
    remedy: 'Call again in some seconds, in a new session.',
  },
  response_too_large: {
    fault: 'gateway',
    meaning: 'The upstream answer is larger than --max-response-bytes.',
    remedy: 'Narrow the window, the selector or the limit.',
  },
  internal: {
    fault: 'gateway',
    meaning: 'A fault of the gateway itself.',
    remedy: 'Report it with the request id; the log of the gateway has the details.',
  },
  grafana_unreachable: {
    fault: 'grafana',
    meaning: 'Grafana cannot be reached: DNS, connection or TLS.',
    remedy: 'Check --grafana-url and the network between gateway and Grafana; "doctor" walks every hop.',
  },
  grafana_refused: {
    fault: 'grafana',
    meaning: 'Grafana refused the credential (401).',
    remedy: 'The token is expired, revoked or of another organisation: use a fresh one.',
  },
  grafana_forbidden: {
    fault: 'grafana',
    meaning: 'Grafana knows the credential but denies this (403).',
    remedy: "Give the token's role the permission that the message names.",
  },
  grafana_error: {
    fault: 'grafana',
    meaning: 'Grafana answered with an error of its own.',
    remedy: 'Read the status and the message; the fault is in Grafana, not in the query.',
  },
  not_grafana: {
    fault: 'grafana',
    meaning: "The answer does not look like Grafana's: a proxy or a login page in front answered, or a redirect.",
    remedy:
      'Correct --grafana-url (scheme, host, sub-path), or let the gateway past the proxy (--grafana-headers-file).',
  },
  rate_limited: {
    fault: 'datasource',
    meaning: 'Upstream answered 429 and went on doing so.',
    remedy: 'Wait as long as the message says, run fewer queries at once, or shorten the window.',
  },
  datasource_unreachable: {
    fault: 'datasource',
    meaning: 'Grafana could not reach the datasource (502), or it did not answer in time (504).',
    remedy: 'Grafana itself is well. Check the datasource; check_access tells which hop fails.',
  },
  datasource_auth: {
    fault: 'datasource',
    meaning: 'The datasource refused the credential that Grafana uses for it.',
    remedy: "Correct the datasource's credentials, or its tenant header, in Grafana.",
  },
  datasource_limit: {
    fault: 'datasource',
    meaning: 'The query exceeds a limit of the datasource.',
    remedy: 'Narrow the query as the message says.',
  },
  datasource_error: {
    fault: 'datasource',
    meaning: 'The datasource answered with an error.',
    remedy: 'Read the status and the message of the datasource.',
  },
  bad_upstream_answer: {
    fault: 'datasource',
    meaning: 'The upstream answer is not of the documented form.',
    remedy: 'Check that the datasource is of the type that Grafana says.',
  },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof ERRORS;

export interface ErrorDetails {
  /** HTTP status of the hop that failed, when one answered. */
  status?: number;
  /** Replaces the table's remedy where a better one is known here. */
  remedy?: string;
  /** Lines below the first sentence: the caller's own query with its place marked. Masked at the edge. */
  lines?: string[];
  /** Another server's own words below that: fenced as data and masked at the edge. */
  said?: string[];
  /**
   * What the hop said, verbatim and unmasked, at most 1 KB: for the rooms that explain a query's error.
   * Never shown as it is; `said` holds the form that may be.
   */
  upstreamText?: string;
  retryAfterSeconds?: number;
  cause?: unknown;
}

/** An error whose message may be shown to a caller as it is: one plain sentence, no secret, no stack, no header. */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;
  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'GatewayError';
    this.code = code;
    this.details = details;
  }
  get fault(): Fault {
    return ERRORS[this.code].fault;
  }
  get remedy(): string {
    return this.details.remedy ?? ERRORS[this.code].remedy;
  }
}
