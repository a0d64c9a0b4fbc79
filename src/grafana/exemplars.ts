import { badAnswer, readEnvelope, readList, type Source } from './envelope.ts';
import { callDatasource } from './route.ts';
import { isRecord, readLabels, readNumber } from './series.ts';
import type { Datasource, Labels, Upstream } from './upstream.ts';

/** One observed value with the labels that lead to its request. `time` in ms since epoch. */
export interface Exemplar {
  /** Of the series that holds it, `__name__` among them. */
  series: Labels;
  labels: Labels;
  value: number;
  time: number;
}

/** Exemplars of all series that the selectors of the query match. Times in ms. Empty where the server keeps none. */
export async function promExemplars(
  up: Upstream,
  ds: Datasource,
  q: { query: string; start: number; end: number },
): Promise<Exemplar[]> {
  const fields = { query: q.query, start: String(q.start / 1000), end: String(q.end / 1000) };
  const answer = await callDatasource(up, ds, { path: 'query_exemplars', fields, post: true, twin: true });
  // 204: a query without a selector.
  if (answer.text === '') return [];
  return readExemplars(readEnvelope(answer, ds).data, ds);
}

function readExemplars(data: unknown, source: Source): Exemplar[] {
  return readList(data, source).flatMap((group) => {
    if (!isRecord(group)) throw badAnswer(source, 'a series of exemplars is not an object');
    const series = readLabels(group.seriesLabels, source);
    return readList(group.exemplars, source).map((exemplar) => {
      if (!isRecord(exemplar) || typeof exemplar.timestamp !== 'number') {
        throw badAnswer(source, 'an exemplar has no time');
      }
      return {
        series,
        labels: readLabels(exemplar.labels, source),
        value: readNumber(exemplar.value, source),
        time: Math.round(exemplar.timestamp * 1000),
      };
    });
  });
}
