import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { SETTINGS } from '../src/config/table.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (file: string) => readFileSync(join(root, file), 'utf8');

test('the image is built from what .dockerignore lets in, runs as no root and checks its health without a shell', () => {
  const lines = read('Dockerfile').split('\n');
  const let_in = read('.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1));
  const copied = lines.filter((line) => /^COPY (?!--from)/.test(line)).flatMap((line) => line.split(' ').slice(1, -1));
  expect(copied.filter((file) => !let_in.includes(file) || !existsSync(join(root, file)))).toEqual([]);
  // Both images: the gateway's and the sample app's.
  expect(lines.filter((line) => line.startsWith('USER '))).toEqual(['USER node', 'USER node']);
  const health = /^HEALTHCHECK .*?CMD (\[.*\])$/.exec(lines.find((line) => line.startsWith('HEALTHCHECK ')) ?? '');
  expect(JSON.parse(health?.[1] ?? '')[0]).toBe('node');
});

test('every flag and variable that the documents name exists', () => {
  const flags = new Set([...SETTINGS.map((row) => row.flag), '--config', '--help', '--version', '--json']);
  const commands = read('src/commands/token.ts') + read('src/commands/demo.ts');
  const variables = new Set(['GATEWAY_CONFIG', 'GATEWAY_KEY', ...SETTINGS.flatMap((row) => row.env)]);
  const documents = readdirSync(join(root, 'docs')).map((file) => `docs/${file}`);
  const wrong: string[] = [];
  for (const file of ['README.md', 'SECURITY.md', ...documents].filter((f) => existsSync(join(root, f)))) {
    // Lines of other programs carry their own flags.
    const lines = read(file)
      .split('\n')
      .filter((line) => !/\b(npx|claude|docker|curl|npm|mcp-remote)\b/.test(line));
    const text = lines.join('\n');
    for (const [, flag = ''] of text.matchAll(/(?<![\w-])(--[a-z][a-z-]+)/g)) {
      if (!flags.has(flag) && !commands.includes(` ${flag} `)) wrong.push(`${file}: ${flag}`);
    }
    for (const [name] of text.matchAll(/\bGATEWAY_[A-Z_]+\b/g))
      if (!variables.has(name)) wrong.push(`${file}: ${name}`);
  }
  expect(wrong).toEqual([]);
});
