import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

// The rules of the house (AGENTS.md) that a machine can hold.
const root = fileURLToPath(new URL('..', import.meta.url));

const files = ['src', 'sandbox', 'test', 'bench'].flatMap((folder) => typescriptFiles(join(root, folder)));
const code = files.filter((file) => !file.endsWith('.test.ts'));

/** Rooms under src/ that a room may import from, besides itself and the files at the top of src/. */
const DOORS: Record<string, readonly string[]> = {
  time: [],
  logs: ['answer', 'time'],
  metrics: ['answer', 'time'],
  answer: [],
  grafana: ['config'],
  config: [],
  prompts: ['answer', 'grafana', 'logs', 'mcp', 'time'],
  resources: ['answer', 'grafana', 'mcp', 'time'],
  tools: ['answer', 'grafana', 'logs', 'mcp', 'metrics', 'resources', 'time'],
  mcp: ['answer', 'config', 'gateway', 'grafana', 'prompts', 'resources', 'time', 'tools'],
  gateway: ['config', 'grafana', 'mcp'],
  commands: ['answer', 'config', 'gateway', 'grafana', 'logs', 'mcp', 'time'],
};
/** These do no I/O and speak no MCP. */
const PURE = ['time', 'logs', 'metrics', 'answer'];
/** What the rest of the code may take from Node or a package without doing I/O. */
const PURE_PACKAGES = /^(node:(crypto|buffer|util)|zod|@lezer\/.*|@grafana\/lezer-logql|@prometheus-io\/lezer-promql)$/;

describe('the house', () => {
  test('no file is above 300 lines', () => {
    const long = code.map((file) => [name(file), lines(file)] as const).filter(([, count]) => count > 300);
    expect(long).toEqual([]);
  });

  test('dependencies point inwards', () => {
    const wrong: string[] = [];
    for (const file of code.filter((f) => name(f).startsWith('src/'))) {
      const room = roomOf(file);
      for (const target of imports(file)) {
        const other = target.startsWith('.') ? roomOf(resolve(dirname(file), target)) : undefined;
        if (room && other && other !== room && !DOORS[room]?.includes(other)) wrong.push(`${name(file)} → ${target}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('pure rooms import nothing that does I/O', () => {
    const wrong: string[] = [];
    for (const file of code.filter((f) => PURE.includes(roomOf(f) ?? ''))) {
      for (const target of imports(file)) {
        if (!target.startsWith('.') && !PURE_PACKAGES.test(target)) wrong.push(`${name(file)} → ${target}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('the product does not lean on the sandbox', () => {
    const importers = code.filter((f) => name(f).startsWith('src/') && imports(f).some((t) => /\bsandbox\b/.test(t)));
    expect(importers.map(name)).toEqual(['src/commands/demo.ts']);
  });

  test('the product names nothing that only the sandbox has', () => {
    const words = /checkout|payments|loki-demo|prometheus-demo|db_pool|connection pool|hunter2|demo_user_sessions/i;
    const named = code
      .filter((f) => name(f).startsWith('src/') && name(f) !== 'src/commands/demo.ts')
      .flatMap((f) =>
        readFileSync(f, 'utf8')
          .split('\n')
          .map((line, i) => [`${name(f)}:${i + 1}`, line] as const),
      )
      .filter(([, line]) => words.test(line));
    expect(named).toEqual([]);
  });

  test('only the SDK legs and the transports import an SDK server', () => {
    const users = code.filter((f) => name(f).startsWith('src/') && sdkServer(f)).map(name);
    expect(users.filter((f) => !/^src\/(mcp\/(legacy|modern)|gateway\/transports\/\w+)\.ts$/.test(f))).toEqual([]);
  });

  test('the lock file names no host', () => {
    expect(readFileSync(join(root, 'package-lock.json'), 'utf8')).not.toMatch(/"resolved"/);
  });
});

function typescriptFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}
function name(file: string): string {
  return relative(root, file);
}
function lines(file: string): number {
  return readFileSync(file, 'utf8').split('\n').length - 1;
}
function roomOf(file: string): string | undefined {
  return /^src\/([^/]+)\//.exec(name(file))?.[1];
}
/** Every module a file imports, `import type` left out: types do not run. */
function imports(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const from = /^(?:import|export)\s+(?!type\b)[^;]*?from\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)/gm;
  return [...text.matchAll(from)].map((m) => m[1] ?? m[2] ?? m[3] ?? '');
}
function sdkServer(file: string): boolean {
  return imports(file).some((target) => /^@modelcontextprotocol\/(sdk\/(server|shared)|server|node)/.test(target));
}
