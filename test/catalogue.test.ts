import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { loadSettings } from '../src/config/load.ts';
import { createGrafanaClient } from '../src/grafana/client.ts';
import { SCOPES, type Scope } from '../src/identity.ts';
import type { Call } from '../src/mcp/call.ts';
import { createSurface } from '../src/mcp/catalogue.ts';

const FILE = fileURLToPath(new URL('fixtures/catalogue.json', import.meta.url));
const log = pino({ level: 'silent' });

function surfaceWith(...flags: string[]) {
  const settings = loadSettings(flags, { GRAFANA_URL: 'http://grafana.test' });
  return createSurface({ settings, grafana: createGrafanaClient(settings, log), log, audit: () => {} });
}
function as(scopes: readonly Scope[]): Call {
  const caller = { cacheKey: 'x', headers: async () => ({}) };
  const identity = { kind: 'static' as const, principal: 'static:x', subject: 'x', scopes: new Set(scopes), caller };
  return { identity, signal: new AbortController().signal, requestId: 'r' };
}
async function names(scopes: readonly Scope[], ...flags: string[]): Promise<string[]> {
  return (await surfaceWith(...flags).listTools(as(scopes))).tools.map((tool) => tool.name);
}

const catalogue = await surfaceWith().listTools(as(SCOPES));

describe('the catalogue', () => {
  test('is as the file says; UPDATE_CATALOGUE=1 writes it', () => {
    const text = `${JSON.stringify(catalogue, null, 2)}\n`;
    if (process.env.UPDATE_CATALOGUE === '1') writeFileSync(FILE, text);
    expect(text).toBe(readFileSync(FILE, 'utf8'));
  });

  test('takes at most 24 tools and 1,100 characters for each of them', () => {
    expect(catalogue.tools.length).toBeLessThanOrEqual(24);
    expect(JSON.stringify(catalogue).length).toBeLessThanOrEqual(1_100 * catalogue.tools.length);
  });

  test('of the nine tools of the main job takes at most 10,000 characters', () => {
    const nine = catalogue.tools.filter(({ name }) => name !== 'summarize_loki_logs');
    expect(nine.length).toBe(9);
    expect(JSON.stringify({ tools: nine }).length).toBeLessThanOrEqual(10_000);
  });

  test('scopes filter the list', async () => {
    expect(await names([])).toEqual([]);
    expect(await names(['logs:read'])).toEqual([
      'query_loki_logs',
      'summarize_loki_logs',
      'list_loki_labels',
      'read_resource',
      'check_access',
    ]);
    expect(await names(['metrics:read', 'datasources:read'])).toEqual([
      'list_datasources',
      'describe_datasource',
      'query_prometheus',
      'search_metrics',
      'list_prometheus_labels',
      'read_resource',
      'check_access',
    ]);
  });

  test('--tools takes groups and names, and refuses others', async () => {
    expect(await names(SCOPES, '--tools', 'metrics,check_access')).toEqual([
      'query_prometheus',
      'search_metrics',
      'list_prometheus_labels',
      'check_access',
    ]);
    expect(() => surfaceWith('--tools', 'logs,metrix')).toThrow(
      '--tools names "metrix", which is no group or tool; did you mean metrics?',
    );
  });

  test('what --tools leaves out is advised nowhere', async () => {
    const surface = surfaceWith('--tools', 'metrics');
    const overview = JSON.stringify(await surface.readResource('grafana:overview', as(SCOPES)));
    const prompt = JSON.stringify(await surface.getPrompt('debug-error', { error: 'x' }, as(SCOPES)));
    for (const text of [surface.instructions, overview, prompt])
      expect(text).not.toMatch(/loki_l|list_data|check_access/);
    expect(prompt).toContain('1. Metrics that could tell');
  });
});

// mcp-protocol: what Anthropic, Gemini, VS Code, Cursor and the Inspector each refuse.
describe.each(catalogue.tools.map((tool) => [tool.name, tool] as const))('%s', (name, tool) => {
  test('has a name that every client takes, a title and a description', () => {
    expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
    expect(name.length).toBeLessThanOrEqual(40);
    expect(tool.title?.length ?? 0).toBeGreaterThan(3);
    expect(tool.description?.length ?? 0).toBeGreaterThan(40);
    // Plain words: nobody is shouted at or steered.
    expect(tool.description).not.toMatch(/\b(?:MUST|ALWAYS|NEVER|IMPORTANT)\b/);
    expect(tool.annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
  });

  test('has a plain input schema', () => {
    expect(faults(tool.inputSchema, 'input')).toEqual([]);
    expect(tool.inputSchema.additionalProperties).toBe(false);
    for (const [key, property] of Object.entries(tool.inputSchema.properties ?? {})) {
      expect(key).toMatch(/^[A-Za-z0-9_.-]{1,64}$/);
      expect(property).toHaveProperty('description', expect.stringMatching(/^.{8,}$/));
    }
    for (const key of tool.inputSchema.required ?? []) expect(tool.inputSchema.properties).toHaveProperty(key);
  });

  test('has a loose output schema, if any', () => {
    if (tool.outputSchema === undefined) return;
    expect(faults(tool.outputSchema, 'output')).toEqual([]);
    expect(JSON.stringify(tool.outputSchema)).not.toContain('additionalProperties');
    expect(tool.outputSchema.required).toBeUndefined();
  });
});

const KNOWN = [
  'type',
  'properties',
  'required',
  'additionalProperties',
  'description',
  'enum',
  'items',
  'minimum',
  'maximum',
];

/** Every node is an object with one plain type and known words only: no $ref, anyOf, const, format, exclusiveMinimum … */
function faults(schema: Tool['inputSchema'] | object, at: string): string[] {
  const node = schema as Record<string, unknown>;
  const found = Object.keys(node)
    .filter((key) => !KNOWN.includes(key))
    .map((key) => `${at}: ${key}`);
  if (typeof node.type !== 'string') found.push(`${at}: type ${JSON.stringify(node.type)}`);
  if (node.type === 'array' && typeof node.items !== 'object') found.push(`${at}: array without items`);
  if ('enum' in node && node.type !== 'string') found.push(`${at}: enum of ${String(node.type)}`);
  if (typeof node.items === 'object' && node.items !== null) found.push(...faults(node.items, `${at}[]`));
  for (const [key, child] of Object.entries(node.properties ?? {})) {
    if (typeof child !== 'object' || child === null) found.push(`${at}.${key}: ${String(child)}`);
    else found.push(...faults(child, `${at}.${key}`));
  }
  return found;
}
