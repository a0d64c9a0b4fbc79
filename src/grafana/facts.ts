import { serverName } from './families.ts';
import type { RawAnswer } from './send.ts';
import type { UpstreamRequest } from './upstream.ts';

/** How much of an upstream text is kept. */
const MAX_SAID = 1024;

/** Where on the way the request was answered, as far as its path tells. */
export type Hop = 'grafana' | 'proxy' | 'resources';

/** An answer that is a failure, read once for all rules. */
export interface Facts {
  status: number;
  hop: Hop;
  /** What it says, at most 1 KB: the message of a JSON body, or the text. */
  said: string;
  messageId: string;
  /** Prometheus's `errorType`. */
  errorType: string;
  json: boolean;
  /** Grafana speaks itself: its JSON has a `message`, and its proxy has not marked the answer as passed on. */
  own: boolean;
  html: boolean;
  viaGrafana: boolean;
  rateLimit: string;
  /** Seconds. */
  retryAfter?: number;
  tries: number;
  /** `the datasource "Name" (uid)`, or `Grafana`. */
  who: string;
  /** Loki, Prometheus or "The datasource". */
  server: string;
  family: string;
}

export function readFacts(raw: RawAnswer, request: UpstreamRequest, tries: number, retryAfterMs?: number): Facts {
  const body = readJson(raw.text);
  const ds = request.datasource;
  return {
    status: raw.status,
    hop: hopOf(request.path),
    said: bounded(textOf(body, 'message') || textOf(body, 'error') || (body ? '' : raw.text)),
    messageId: textOf(body, 'messageId'),
    errorType: textOf(body, 'errorType'),
    json: body !== undefined,
    own: textOf(body, 'message') !== '' && textOf(body, 'errorType') === '' && !raw.viaGrafana,
    html: isHtml(raw),
    viaGrafana: raw.viaGrafana,
    rateLimit: /^[\w;=, "-]{1,60}$/.test(raw.rateLimit ?? '') ? (raw.rateLimit ?? '') : '',
    tries,
    who: ds ? datasourceName(ds) : 'Grafana',
    server: ds ? serverName(ds.type) : 'Grafana',
    family: ds?.type ?? '',
    ...(retryAfterMs === undefined ? {} : { retryAfter: Math.ceil(retryAfterMs / 1000) }),
  };
}

export function hopOf(path: string): Hop {
  if (path.startsWith('/api/datasources/proxy/')) return 'proxy';
  return /^\/api\/datasources\/uid\/[^/]+\/resources\//.test(path) ? 'resources' : 'grafana';
}

export function datasourceName(ds: { uid: string; name: string }): string {
  return `the datasource "${ds.name.slice(0, 100)}" (${ds.uid})`;
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function isHtml(raw: { contentType: string; text: string }): boolean {
  return /^text\/html/i.test(raw.contentType) || /^\s*<(!doctype html|html)\b/i.test(raw.text.slice(0, 200));
}

/** At most 1 KB, never inside a surrogate pair. */
export function bounded(text: string): string {
  const trimmed = text.slice(0, MAX_SAID * 2).trim();
  if (trimmed.length <= MAX_SAID) return trimmed;
  return `${trimmed.slice(0, MAX_SAID).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** What an upstream says of its own network is nothing for a caller: addresses inside an error become `[address]`. */
export function withoutAddresses(text: string): string {
  return text
    .replace(/\bhttps?:\/\/[^\s"'<>]+/gi, '[address]')
    .replace(/\b(dial|read|write) (tcp|udp)[46]? \S+?(?=:? (?:->|[a-z])|:?$|: )/gi, '$1 $2 [address]')
    .replace(/->\S+?(?=: )/g, '->[address]')
    .replace(/\blookup \S+?( on \S+?)?(?=: )/g, 'lookup [address]');
}

/** A JSON object, or undefined: Loki says its errors in plain text. */
function readJson(text: string): object | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function textOf(body: object | undefined, key: string): string {
  const value: unknown = body === undefined ? undefined : Reflect.get(body, key);
  return typeof value === 'string' ? value : '';
}
