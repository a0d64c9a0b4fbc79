import { expect, test } from 'vitest';
import { createLog } from './log.ts';

const written = (logFormat: 'json' | 'pretty', write: (log: ReturnType<typeof createLog>) => void): string => {
  let text = '';
  write(createLog({ logLevel: 'info', logFormat }, { write: (line) => (text += line) }));
  return text;
};

test('an error leaves its request, and with it the headers, behind', () => {
  const config = { headers: { Authorization: 'Bearer fake-token' } };
  const error = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', config, request: config });
  for (const format of ['json', 'pretty'] as const) {
    const text = written(format, (log) =>
      log.error({ err: error, headers: config.headers, call: { token: 'fake-token' } }, 'failed'),
    );
    expect(text).toContain('ECONNREFUSED');
    expect(text).not.toContain('fake-token');
  }
});

test('json has the level as a word and an ISO time; pretty is one line for a person', () => {
  expect(JSON.parse(written('json', (log) => log.info({ port: 1 }, 'ready')))).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    port: 1,
    msg: 'ready',
  });
  expect(written('pretty', (log) => log.warn({ port: 1 }, 'careful'))).toMatch(/^[\d:.]{12} WARN {2}careful port=1\n$/);
  expect(written('json', (log) => log.debug('hidden'))).toBe('');
});
