/** Every scope a caller may hold; what each opens stands with the tools and resources that declare it. */
export const SCOPES = [
  'datasources:read',
  'logs:read',
  'metrics:read',
  'traces:read',
  'dashboards:read',
  'alerts:read',
  'sql:read',
  'datasources:query',
  'annotations:write',
  'silences:write',
] as const;
export type Scope = (typeof SCOPES)[number];

/** For callers that bring no scopes of their own (`--default-scopes`): all reading but SQL. */
export const DEFAULT_SCOPES: readonly Scope[] = SCOPES.filter((s) => !s.endsWith(':write') && s !== 'sql:read');

/** Who asks Grafana: everything that can make two callers' answers differ. */
export interface Caller {
  /** SHA-256 (hex) over every credential and header that is identity; every cache key begins with it. */
  readonly cacheKey: string;
  /** Headers that authenticate at Grafana, made anew for each request: files are re-read, JWTs are minted. */
  headers(): Promise<Record<string, string>>;
  /** After a 401: true when a newer credential is at hand and one repeat makes sense. */
  renew?(): Promise<boolean>;
  /** Datasource uids the operator allows this caller; absent = all. Deny wins. */
  readonly allowDatasources?: readonly string[];
  readonly denyDatasources?: readonly string[];
}

/** Who calls the gateway, as the front door established it for this one request. */
export interface Identity {
  readonly kind: 'grafana' | 'jwt' | 'static' | 'anonymous';
  /** Owner of sessions: `grafana:<sha256 of token>`, `jwt:<iss>|<sub>`, `static:<name>` or `anonymous`. Never a token. */
  readonly principal: string;
  /** A name fit for the audit log. */
  readonly subject: string;
  readonly scopes: ReadonlySet<Scope>;
  readonly caller: Caller;
  /** Seconds since epoch at which the credential ends, when known; long streams end with it. */
  readonly expiresAt?: number;
}
