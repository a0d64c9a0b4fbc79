import type { UpstreamRequest } from './upstream.ts';

/** Query string or form; arrays repeat their key, undefined is left out. */
export function encode(fields: UpstreamRequest['query']): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(fields ?? {})) {
    for (const item of typeof value === 'string' ? [value] : (value ?? [])) params.append(key, item);
  }
  return params.toString();
}
