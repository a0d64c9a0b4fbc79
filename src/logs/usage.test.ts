import { expect, it } from 'vitest';
import { checkPromql } from '../metrics/promql.ts';
import { promqlUsage } from '../metrics/usage.ts';
import { classifyLogql } from './logql.ts';
import { logqlUsage } from './usage.ts';

const STAGES = [
  'json',
  'logfmt',
  'pattern',
  'regexp',
  'unpack',
  'decolorize',
  'line_format',
  'label_format',
  'drop',
  'keep',
];
const FUNCTIONS = ['rate', 'topk', 'sum', 'count_over_time', 'quantile_over_time', 'sum_over_time', 'label_replace'];

it.each(STAGES)('the form of | %s is LogQL', (stage) => {
  const broken = `{a="b"} | ${stage} ]`;
  const form = /^Its form: (\| .*?)(?:, or .*|, with .*|, every .*)?\.$/.exec(
    logqlUsage(broken, broken.length - 1),
  )?.[1];
  expect(classifyLogql(`{a="b"} ${form}`).kind).toBe('log');
});

it.each(FUNCTIONS)('the form of %s() is LogQL', (name) => {
  const form = /^Its form: (.*)\.$/.exec(logqlUsage(`${name}(`, name.length + 1))?.[1] ?? '';
  expect(classifyLogql(form).kind).toBe('metric');
});

it.each([
  'topk',
  'quantile',
  'sum',
  'rate',
  'histogram_quantile',
  'label_replace',
  'clamp',
  'predict_linear',
  'avg_over_time',
])('the form of %s() is PromQL', (name) => {
  const form = /^Its form: (.*)\.$/.exec(promqlUsage(`${name}(`, name.length + 1))?.[1] ?? '';
  expect(checkPromql(form).valid).toBe(true);
});
