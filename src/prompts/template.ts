import { parse } from 'yaml';
import { z } from 'zod';

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
 * `{{name}}` where a value goes. Throws an Error that says what is wrong.
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

/**
 * The text without the numbered steps whose call the caller does not have (the first `tool` {arguments} in it); those that
 * stay are numbered anew. Before `fill`: data is no step.
 */
export function stepsFor(text: string, offers: (tool: string) => boolean): string {
  let number = 0;
  return text
    .split(/^(?=\d+\. )/m)
    .filter((step) => {
      const tool = /^\d+\. /.test(step) ? /`(\w+)` \{/.exec(step)?.[1] : undefined;
      return tool === undefined || offers(tool);
    })
    .map((step) => step.replace(/^\d+(?=\. )/, () => `${++number}`))
    .join('')
    .trimEnd();
}

/** Puts the values in, once: what a value holds is never looked at again. Throws for a place without a value. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{\{(\w+)\}\}/g, (_place, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) throw new Error(`the prompt names {{${name}}}, which has no value`);
    return value;
  });
}
