import { z } from 'zod';
import { GatewayError } from '../errors.ts';
import { bounded, capital, datasourceName, withoutAddresses } from './facts.ts';
import type { UpstreamAnswer } from './upstream.ts';

/** Whose answer it is, for the error. */
export type Source = { uid: string; name: string } | 'Grafana';

export interface Envelope {
  /** Undefined and null alike where the server left it out. */
  data: unknown;
  warnings: string[];
  infos: string[];
}

// Loose: Mimir, Thanos and VictoriaMetrics add keys of their own. `data` is passed on without a copy.
const schema = z.looseObject({
  status: z.string().optional(),
  data: z.unknown().optional(),
  error: z.unknown().optional(),
  warnings: z.unknown().optional(),
  infos: z.unknown().optional(),
});

/** The envelope that Loki and Prometheus share: `{"status":"success","data":…,"warnings":[…]}`. */
export function readEnvelope(answer: UpstreamAnswer, source: Source): Envelope {
  const parsed = schema.safeParse(parseJson(answer, source));
  if (!parsed.success) throw badAnswer(source, 'it is not a JSON object');
  const { status, data, error, warnings, infos } = parsed.data;
  if (status !== undefined && status !== 'success') {
    const text = typeof error === 'string' ? bounded(error) : '';
    throw new GatewayError(
      'datasource_error',
      `${nameOf(source)} reports "${bounded(status).slice(0, 40)}" inside a good answer.`,
      {
        status: answer.status,
        ...(text === '' ? {} : { said: [withoutAddresses(text)], upstreamText: text }),
      },
    );
  }
  return { data, warnings: strings(warnings), infos: strings(infos) };
}

/** Parsed by content: some Grafanas and proxies label JSON as text/plain. Throws bad_upstream_answer. */
export function parseJson(answer: UpstreamAnswer, source: Source): unknown {
  try {
    return JSON.parse(answer.text);
  } catch {
    const start = bounded(answer.text).slice(0, 200);
    throw badAnswer(source, start === '' ? 'it is empty' : 'it is not JSON, or cut off', start);
  }
}

export function badAnswer(source: Source, why: string, start = ''): GatewayError {
  return new GatewayError(
    'bad_upstream_answer',
    `The answer of ${source === 'Grafana' ? source : datasourceName(source)} is not of the documented form: ${why}.`,
    start === '' ? {} : { said: [`It begins: ${withoutAddresses(start)}`] },
  );
}

/** `null` and a missing list are an empty one (Loki leaves `data` out when there is nothing). */
export function readList(value: unknown, source: Source): unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw badAnswer(source, 'a list is missing');
  return value;
}

export function readStrings(value: unknown, source: Source): string[] {
  const list = readList(value, source);
  if (!list.every((item) => typeof item === 'string')) throw badAnswer(source, 'a list of texts holds something else');
  return list;
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

function nameOf(source: Source): string {
  return source === 'Grafana' ? source : capital(datasourceName(source));
}
