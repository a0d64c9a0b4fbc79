import type { ApiAnswer, Labels } from '../data/store.ts';
import { sortedByLabels } from '../promql/labels.ts';
import { sampleNumber } from '../promql/numbers.ts';
import { type Grid, STALE, type StepSeries, timeAt } from '../promql/values.ts';
import type { ApiProblem } from './problem.ts';

/** `data` is JSON already: sample times keep their three decimals. */
export function success(data: string): ApiAnswer {
  return json(200, `{"status":"success","data":${data}}`);
}

export function failure({ status, type, message }: ApiProblem): ApiAnswer {
  return json(status, JSON.stringify({ status: 'error', errorType: type, error: message }));
}

export function plainText(status: number, body: string): ApiAnswer {
  return { status, contentType: 'text/plain; charset=utf-8', body };
}

function json(status: number, body: string): ApiAnswer {
  return { status, contentType: 'application/json', body: escapeHtml(body) };
}

/** Go's encoder escapes what could end a script. */
function escapeHtml(text: string): string {
  return text.replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export function result(type: string, items: string): string {
  return `{"resultType":"${type}","result":${items}}`;
}

export function sample(time: number, value: number): string {
  return `[${seconds(time)},"${sampleNumber(value)}"]`;
}

/** ms as seconds: whole, or with three decimals. */
export function seconds(ms: number): string {
  const whole = Math.trunc(ms / 1000);
  const rest = Math.abs(ms - whole * 1000);
  const sign = ms < 0 && whole === 0 ? '-' : '';
  return rest === 0 ? String(whole) : `${sign}${whole}.${String(Math.floor(rest)).padStart(3, '0')}`;
}

export function labelsJson(labels: Labels): string {
  return `{${Object.keys(labels)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${JSON.stringify(labels[name])}`)
    .join(',')}}`;
}

export function vectorJson(series: readonly StepSeries[], time: number): string {
  const items = series
    .filter(({ values }) => values[0] !== STALE)
    .map(({ labels, values }) => `{"metric":${labelsJson(labels)},"value":${sample(time, Number(values[0]))}}`);
  return `[${items.join(',')}]`;
}

export function matrixJson(series: readonly StepSeries[], grid: Grid): string {
  // Every series repeats the times: written once.
  const times = Array.from({ length: grid.count }, (_, i) => `[${seconds(timeAt(grid, i))},"`);
  const items: string[] = [];
  for (const { labels, values } of sortedByLabels(series)) {
    let points = '';
    for (let i = 0; i < times.length; i++) {
      const value = values[i];
      if (value === undefined || value === STALE) continue;
      points += `${points === '' ? '' : ','}${times[i]}${sampleNumber(value)}"]`;
    }
    if (points !== '') items.push(`{"metric":${labelsJson(labels)},"values":[${points}]}`);
  }
  return `[${items.join(',')}]`;
}
