import { badAnswer, readList, type Source } from './envelope.ts';
import type { Labels, Series } from './upstream.ts';

type Histogram = NonNullable<Series['histograms']>[number];

/**
 * Reads the `result` of a matrix or a vector. Written by hand: a matrix of 10 MB goes from the parsed JSON straight into
 * its number arrays, without a checked copy in between. Throws bad_upstream_answer.
 */
export function readSeries(result: unknown, source: Source): Series[] {
  return readList(result, source).map((item) => {
    if (!isRecord(item)) throw badAnswer(source, 'a series is not an object');
    const series: Series = { labels: readLabels(item.metric, source), times: [], values: [] };
    // A vector has one sample under `value`, a matrix has many under `values`; native histograms lie beside them.
    if (item.value !== undefined) pushSample(series, item.value, source);
    for (const sample of readList(item.values, source)) pushSample(series, sample, source);
    const histograms = readList(item.histograms, source).map((h) => readHistogram(h, source));
    if (item.histogram !== undefined) histograms.push(readHistogram(item.histogram, source));
    if (histograms.length > 0) series.histograms = histograms;
    return series;
  });
}

/** `[seconds, "value"]` → ms since epoch and a number. Throws bad_upstream_answer. */
export function readSample(sample: unknown, source: Source): { time: number; value: number } {
  const [time, value] = pair(sample, source);
  return { time, value: readNumber(value, source) };
}

/** `[seconds, "text"]` of a string result. */
export function readText(sample: unknown, source: Source): { time: number; text: string } {
  const [time, text] = pair(sample, source);
  if (typeof text !== 'string') throw badAnswer(source, 'a text is missing');
  return { time, text };
}

/** Labels as they are, checked but not copied. A missing object is no labels. */
export function readLabels(value: unknown, source: Source): Labels {
  if (value === undefined || value === null) return {};
  if (!isLabels(value)) throw badAnswer(source, 'labels are not texts');
  return value;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isLabels(value: unknown): value is Labels {
  if (!isRecord(value)) return false;
  for (const name in value) if (typeof value[name] !== 'string') return false;
  return true;
}

function pushSample(series: Series, sample: unknown, source: Source): void {
  if (!Array.isArray(sample) || typeof sample[0] !== 'number') throw badAnswer(source, 'a sample is not [time, value]');
  series.times.push(Math.round(sample[0] * 1000));
  series.values.push(readNumber(sample[1], source));
}

function pair(sample: unknown, source: Source): [number, unknown] {
  if (!Array.isArray(sample) || typeof sample[0] !== 'number') throw badAnswer(source, 'a sample is not [time, value]');
  return [Math.round(sample[0] * 1000), sample[1]];
}

/** Values come as text, for the sake of "NaN", "+Inf" and "-Inf". */
export function readNumber(value: unknown, source: Source): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'string' && value !== '') {
    const number = Number(value);
    if (!Number.isNaN(number)) return number;
    if (value === 'NaN') return Number.NaN;
    if (value === '+Inf' || value === 'Inf') return Number.POSITIVE_INFINITY;
    if (value === '-Inf') return Number.NEGATIVE_INFINITY;
  }
  throw badAnswer(source, 'a value is not a number');
}

/** `[seconds, {count, sum, buckets: [[boundary rule, lower, upper, count]]}]`, all numbers but the rule as text. */
function readHistogram(value: unknown, source: Source): Histogram {
  const [time, body] = pair(value, source);
  if (!isRecord(body)) throw badAnswer(source, 'a histogram is not an object');
  return {
    time,
    count: readNumber(body.count, source),
    sum: readNumber(body.sum, source),
    buckets: readList(body.buckets, source).map((bucket) => {
      const [rule, lower, upper, count] = readList(bucket, source).map((n) => readNumber(n, source));
      if (rule === undefined || lower === undefined || upper === undefined || count === undefined) {
        throw badAnswer(source, 'a bucket of a histogram is incomplete');
      }
      return [rule, lower, upper, count];
    }),
  };
}
