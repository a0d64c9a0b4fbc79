import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GatewayError } from '../errors.ts';
import { readArguments } from './arguments.ts';

const query = {
  logql: { type: 'string', required: true, description: 'LogQL.' },
  datasource: { type: 'string', description: '' },
  start: { type: 'string', description: '' },
  end: { type: 'string', description: '' },
  step: { type: 'string', description: '' },
  limit: { type: 'integer', minimum: 1, maximum: 5000, description: '' },
  direction: { type: 'string', enum: ['backward', 'forward'], description: '' },
  starred: { type: 'boolean', description: '' },
  kinds: { type: 'array', items: { type: 'string' }, description: '' },
} as const;
/** Has parameters of its own that are aliases elsewhere. */
const check = { query: { type: 'string', description: '' }, promql: { type: 'string', description: '' } } as const;

describe('readArguments', () => {
  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['null and "" are absent', { logql: '{}', start: '', limit: null, starred: undefined }, { logql: '{}' }],
    ['digits are a number', { logql: '{}', limit: '10' }, { logql: '{}', limit: 10 }],
    ['10.0 is a whole number', { logql: '{}', limit: 10.0 }, { logql: '{}', limit: 10 }],
    ['"true" is true', { logql: '{}', starred: 'true' }, { logql: '{}', starred: true }],
    ['"false" is false', { logql: '{}', starred: 'False' }, { logql: '{}', starred: false }],
    ['a list as JSON', { logql: '{}', kinds: '["a","b"]' }, { logql: '{}', kinds: ['a', 'b'] }],
    ['one text is a list of one', { logql: '{}', kinds: 'a' }, { logql: '{}', kinds: ['a'] }],
    ['a number where text is due', { logql: '{}', step: 15, start: 1.5 }, { logql: '{}', step: '15', start: '1.5' }],
    ['epoch ns keep their digits', { logql: '{}', start: 1e21 }, { logql: '{}', start: '1000000000000000000000' }],
    ['words in any case', { logql: '{}', direction: 'FORWARD' }, { logql: '{}', direction: 'forward' }],
    [
      "other servers' spellings",
      { expr: '{}', datasourceUid: 'x', startRfc3339: 'now-1h', endTime: 'now', stepSeconds: 60 },
      { logql: '{}', datasource: 'x', start: 'now-1h', end: 'now', step: '60' },
    ],
    ['two spellings that agree', { logql: '{}', query: '{}' }, { logql: '{}' }],
    ['an empty one beside the real one', { logql: '{}', expr: '' }, { logql: '{}' }],
  ])('%s', (_, given, read) => {
    expect(readArguments(query, given)).toEqual(read);
  });

  test('a parameter of the name wins over the alias', () => {
    expect(readArguments(check, { query: 'up' })).toEqual({ query: 'up' });
    expect(readArguments(check, { expr: 'up' })).toEqual({ promql: 'up' });
  });

  test.each<[Record<string, unknown>, string, string]>([
    [{}, 'bad_argument', 'The argument "logql" is missing. LogQL.'],
    [{ logql: ' x', limt: 5 }, 'unknown_argument', 'Unknown argument "limt"; did you mean "limit"?'],
    [{ logql: 'x', form: 1 }, 'unknown_argument', 'Unknown argument "form"; did you mean "start"?'],
    [{ logql: 'x', start_time: 1 }, 'unknown_argument', 'Unknown argument "start_time"; did you mean "start"?'],
    [{ logql: 'x', promql: 1 }, 'unknown_argument', 'Unknown argument "promql"; did you mean "logql"?'],
    [{ logql: 'x', zebra: 1 }, 'unknown_argument', 'Unknown argument "zebra".'],
    [{ logql: 'x', constructor: 1 }, 'unknown_argument', 'Unknown argument "constructor".'],
    [JSON.parse('{"logql":"x","__proto__":1}'), 'unknown_argument', 'Unknown argument "__proto__".'],
    [{ logql: {} }, 'bad_argument', 'The argument "logql" must be a text, not an object.'],
    [{ logql: 'x', limit: 'abc' }, 'bad_argument', 'The argument "limit" must be a whole number, not "abc".'],
    [{ logql: 'x', limit: 1.5 }, 'bad_argument', 'The argument "limit" must be a whole number, not 1.5.'],
    [{ logql: 'x', limit: 0 }, 'bad_argument', 'The argument "limit" must be between 1 and 5000, not 0.'],
    [{ logql: 'x', starred: 'yes' }, 'bad_argument', 'The argument "starred" must be true or false, not "yes".'],
    [
      { logql: 'x', kinds: [1, {}] },
      'bad_argument',
      'The argument "kinds" must be a list of texts; it holds an object.',
    ],
    [
      { logql: 'x', direction: 'up' },
      'bad_argument',
      'The argument "direction" must be one of backward, forward, not "up".',
    ],
    [
      { logql: 'x', expr: 'y' },
      'bad_argument',
      'The argument "logql" is given twice with different values, as logql and as expr.',
    ],
  ])('%j', (given, code, message) => {
    const error = errorOf(() => readArguments(query, given));
    expect([error.code, error.message]).toEqual([code, message]);
  });

  test('the remedy of an unknown argument names the valid ones', () => {
    expect(errorOf(() => readArguments(check, { x: 1 })).remedy).toBe('Arguments of this tool: query, promql.');
    expect(errorOf(() => readArguments({}, { x: 1 })).remedy).toBe('This tool takes no arguments.');
  });

  test('anything gives arguments of the declared types, or an error that names the fault', () => {
    const name = fc.oneof(fc.constantFrom(...Object.keys(query), 'expr', 'stepSeconds', '__proto__'), fc.string());
    fc.assert(
      fc.property(fc.dictionary(name, fc.oneof(fc.jsonValue(), fc.constant(Number.NaN))), (given) => {
        let read: Record<string, unknown>;
        try {
          read = readArguments(query, given);
        } catch (error) {
          expect(error).toBeInstanceOf(GatewayError);
          expect((error as GatewayError).message.length).toBeLessThan(400);
          return;
        }
        for (const [key, value] of Object.entries(read)) {
          const { type } = query[key as keyof typeof query];
          if (type === 'array') expect(Array.isArray(value)).toBe(true);
          else expect(typeof value).toBe(type === 'integer' ? 'number' : type);
        }
        expect(typeof read.logql).toBe('string');
      }),
      { numRuns: 2000 },
    );
  });
});

function errorOf(work: () => unknown): GatewayError {
  try {
    work();
  } catch (error) {
    if (error instanceof GatewayError) return error;
  }
  throw new Error('no GatewayError was thrown');
}
