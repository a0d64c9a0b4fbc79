#!/usr/bin/env node
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, stop } from 'esbuild';

// The sandbox alone, in this very process, so that a signal to it is a signal to the sandbox.
const outfile = fileURLToPath(new URL('../node_modules/.cache/sandbox.mjs', import.meta.url));
await build({
  entryPoints: [fileURLToPath(new URL('../sandbox/cli.ts', import.meta.url))],
  outfile,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  logLevel: 'error',
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
});
await stop();
await import(pathToFileURL(outfile).href);
