import { parse } from 'yaml';
import { z } from 'zod';
import { SCOPES } from '../identity.ts';

const argumentSchema = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_]*$/),
  description: z.string(),
  required: z.boolean().default(false),
  example: z.string().optional(),
});
const headSchema = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9-]*$/),
  title: z.string(),
  description: z.string(),
  arguments: z.array(argumentSchema).default([]),
});

export interface PromptTemplate extends z.output<typeof headSchema> {
  messages: { role: 'user' | 'assistant'; text: string }[];
}

/**
 * Reads a prompt: YAML front matter between `---` lines, then messages under `## user` and `## assistant`, with
 * `{{name}}` where a value goes; a numbered step may begin with the scope that it needs, `3. [logs:read] …`. Throws an
 * Error that says what is wrong.
 */
export function readTemplate(markdown: string): PromptTemplate {
  const match = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(markdown.replaceAll('\r\n', '\n'));
  if (match === null) throw new Error('a prompt begins with front matter between two lines "---"');
  const head = readHead(match[1] ?? '');
  const parts = (match[2] ?? '').split(/^## (user|assistant)$/m).slice(1);
  const messages: PromptTemplate['messages'] = [];
  for (let i = 0; i + 1 < parts.length; i += 2) {
    messages.push({ role: parts[i] === 'user' ? 'user' : 'assistant', text: (parts[i + 1] ?? '').trim() });
  }
  if (messages.length === 0) throw new Error('a prompt has at least one section "## user"');
  const wrong = messages.flatMap(({ text }) => stepsOf(text)).find(({ scope }) => !isScope(scope ?? SCOPES[0]));
  if (wrong !== undefined) throw new Error(`a step of a prompt needs the scope ${wrong.scope}, which does not exist`);
  return { ...head, messages };
}

function readHead(text: string): z.output<typeof headSchema> {
  let yaml: unknown;
  try {
    yaml = parse(text);
  } catch (error) {
    const [first] = (error instanceof Error ? error.message : '').split('\n');
    throw new Error(`the front matter of a prompt is no YAML: ${first}`);
  }
  const read = headSchema.safeParse(yaml);
  if (read.success) return read.data;
  const wrong = read.error.issues.map(({ path, message }) => `${path.join('.') || 'all of it'}: ${message}`);
  throw new Error(`the front matter of a prompt is wrong: ${wrong.join('; ')}`);
}

/** The text without the steps whose scope is not held; those that stay are numbered anew. Before `fill`: data is no step. */
export function stepsFor(text: string, scopes: ReadonlySet<string>): string {
  let number = 0;
  return stepsOf(text)
    .filter(({ scope }) => scope === undefined || scopes.has(scope))
    .map(({ begins, rest }) => (begins ? `${++number}. ${rest}` : rest))
    .join('')
    .trimEnd();
}

interface Step {
  /** False for the text before the first step. */
  begins: boolean;
  scope: string | undefined;
  rest: string;
}

function stepsOf(text: string): Step[] {
  return text.split(/^(?=\d+\. )/m).map((part) => {
    const [start = '', scope] = /^\d+\. (?:\[([a-z]+:[a-z]+)\] )?/.exec(part) ?? [];
    return { begins: start !== '', scope, rest: part.slice(start.length) };
  });
}

function isScope(text: string): boolean {
  return SCOPES.some((scope) => scope === text);
}

/** Puts the values in, once: what a value holds is never looked at again. Throws for a place without a value. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{\{(\w+)\}\}/g, (_place, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) throw new Error(`the prompt names {{${name}}}, which has no value`);
    return value;
  });
}
