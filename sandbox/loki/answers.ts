import type { ApiAnswer } from '../data/store.ts';

const JSON_TYPE = 'application/json; charset=UTF-8';
const TEXT_TYPE = 'text/plain; charset=utf-8';

export function json(value: unknown, contentType = JSON_TYPE): ApiAnswer {
  return { status: 200, contentType, body: `${JSON.stringify(value)}\n` };
}

/** `{"status":"success","data":…}`; an empty list of labels has no `data` at all. */
export function success(data: unknown): ApiAnswer {
  return json({ status: 'success', ...(data === undefined ? {} : { data }) });
}

export function text(status: number, body: string): ApiAnswer {
  return { status, contentType: TEXT_TYPE, body };
}
