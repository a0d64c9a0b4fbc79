import { describe, expect, test } from 'vitest';
import { fill, readTemplate, stepsFor } from './template.ts';

const HEAD = 'name: try-it\ntitle: Try it\ndescription: Tries it.';
const prompt = (head: string, rest: string) => `---\n${head}\n---\n${rest}`;

describe('a prompt in markdown', () => {
  test('is read: front matter, then messages in order', () => {
    const head = `${HEAD}\narguments:\n- name: error\n  description: What was seen.\n  required: true\n  example: boom`;
    expect(readTemplate(prompt(head, '\n## user\n\nSee {{error}}\n\n## assistant\nYes.\n## user\nGo on.\n'))).toEqual({
      name: 'try-it',
      title: 'Try it',
      description: 'Tries it.',
      arguments: [{ name: 'error', description: 'What was seen.', required: true, example: 'boom' }],
      messages: [
        { role: 'user', text: 'See {{error}}' },
        { role: 'assistant', text: 'Yes.' },
        { role: 'user', text: 'Go on.' },
      ],
    });
  });

  test('reads the same with the line ends of Windows', () => {
    const text = prompt(HEAD, '## user\nOne\n\n## assistant\nTwo\n');
    expect(readTemplate(text.replaceAll('\n', '\r\n'))).toEqual(readTemplate(text));
  });

  test.each([
    ['no front matter', '## user\nx', /^a prompt begins with front matter/],
    ['front matter without end', `---\n${HEAD}\n## user\nx`, /^a prompt begins with front matter/],
    ['no YAML', prompt('name: [', '## user\nx'), /^the front matter of a prompt is no YAML: Flow sequence[^\n]*$/],
    ['a list for a head', prompt('- a', '## user\nx'), /is wrong: all of it: /],
    [
      'no title',
      prompt('name: x\ndescription: d', '## user\nx'),
      /^the front matter of a prompt is wrong: title: [^;]*$/,
    ],
    ['a bad name', prompt(HEAD.replace('try-it', 'Try it'), '## user\nx'), /is wrong: name: /],
    ['an unknown key', prompt(`${HEAD}\nmodel: m`, '## user\nx'), /is wrong: .*"model"/],
    [
      'a bad argument',
      prompt(`${HEAD}\narguments: [{name: a}]`, '## user\nx'),
      /is wrong: arguments\.0\.description: /,
    ],
    ['no section', prompt(HEAD, 'just text'), /^a prompt has at least one section "## user"$/],
  ])('%s is refused in words', (_what, text, message) => {
    expect(() => readTemplate(text)).toThrow(message);
  });
});

test('steps whose tool is not offered go, the others are numbered anew', () => {
  const text = 'Before.\n\n1. See `logs` {"a": 1}\n   more\n2. `metrics` {}, then `logs` {}\n3. think';
  expect(stepsFor(text, (tool) => tool === 'metrics')).toBe('Before.\n\n1. `metrics` {}, then `logs` {}\n2. think');
  expect(stepsFor(text, (tool) => tool === 'logs')).toBe('Before.\n\n1. See `logs` {"a": 1}\n   more\n2. think');
});

test('a value is put in once: places and patterns inside it stay what they are', () => {
  expect(fill('{{a}} {{b}} {{a}}', { a: '{{b}} $& $1', b: 'B' })).toBe('{{b}} $& $1 B {{b}} $& $1');
  expect(() => fill('{{nothing}}', {})).toThrow('the prompt names {{nothing}}, which has no value');
  expect(() => fill('{{constructor}}', {})).toThrow('which has no value');
});
