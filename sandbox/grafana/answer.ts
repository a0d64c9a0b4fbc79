/** A request as the facade sees it: plain values, so that captures are tested without HTTP. */
export interface GrafanaRequest {
  method: string;
  /** As sent, still percent-encoded, without query string. */
  path: string;
  query: URLSearchParams;
  /** Names in lower case. */
  headers: Record<string, string | undefined>;
  body: string;
  /** ms since epoch */
  now: number;
  /** What every datasource answers to this request, instead of its own answer (a fault on demand). */
  upstream?: { status: number; contentType: string; body: string };
}

export interface GrafanaAnswer {
  status: number;
  /** '' sends none. */
  contentType: string;
  body: string;
  headers?: Record<string, string>;
}

/** As Grafana's handlers write it. */
export function json(status: number, value: unknown): GrafanaAnswer {
  return { status, contentType: 'application/json', body: JSON.stringify(value) };
}

/** As Grafana's middleware writes it. */
export function charsetJson(status: number, value: unknown): GrafanaAnswer {
  return { status, contentType: 'application/json; charset=UTF-8', body: JSON.stringify(value) };
}

/** A handler's error; `traced` ones carry the empty trace id that Grafana adds to errors with a cause. */
export function message(status: number, text: string, traced = false): GrafanaAnswer {
  return json(status, traced ? { message: text, traceID: '' } : { message: text });
}

export function html(status: number, body: string, headers?: Record<string, string>): GrafanaAnswer {
  return { status, contentType: 'text/html; charset=utf-8', body, ...(headers && { headers }) };
}

export const LOGIN_PAGE =
  '<!DOCTYPE html>\n<html lang="en"><head><title>Grafana</title></head><body><form action="/login" method="post"><input name="user"><input name="password" type="password"><button>Log in</button></form></body></html>\n';
