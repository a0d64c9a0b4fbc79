import type { ApiRequest } from '../data/store.ts';
import { pretty } from '../promql/print.ts';
import { badParameter } from './problem.ts';
import { parsed } from './query.ts';

/** `data` of /format_query. */
export function formatQuery(_: unknown, { params }: ApiRequest): string {
  return JSON.stringify(pretty(parsed(params.get('query') ?? '', (text) => badParameter('query', text))));
}
