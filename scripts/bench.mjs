#!/usr/bin/env node
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

// Builds the product and the programs of bench/ into a temporary folder and runs them: see bench/README.md.
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
try {
  const built = spawnSync(process.execPath, [join(root, 'scripts/build.mjs')], { stdio: ['ignore', 2, 2] });
  if (built.status !== 0) process.exit(1);
  await build({
    entryPoints: ['run', 'bare', 'upstream'].map((name) => join(root, `bench/${name}.ts`)),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  const env = { ...process.env, BENCH_BUNDLE: join(root, 'dist/grafana-mcp-gateway.mjs') };
  process.exitCode = spawnSync(process.execPath, [join(folder, 'run.mjs')], { stdio: 'inherit', env }).status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
