#!/usr/bin/env node
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build as esbuild, stop } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
export const BUNDLE = join(root, 'dist/grafana-mcp-gateway.mjs');

/** Makes the one file that is shipped: every package and the demo in it, no node_modules needed beside it. */
export async function build() {
  const result = await esbuild({
    absWorkingDir: root,
    entryPoints: ['src/main.ts'],
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    // Names stay, so that a stack or a log line can be read; kept so, they cost no time (as `keepNames` does, at each closure).
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    loader: { '.md': 'text' },
    // CommonJS packages inside the bundle ask for Node's own modules by require.
    banner: {
      js: "#!/usr/bin/env node\nimport { createRequire as _createRequire } from 'node:module'; const require = _createRequire(import.meta.url);",
    },
    logLevel: 'error',
    write: false,
  });
  // Its service process must not stay beside a demo that goes on in this one.
  await stop();
  const [file] = result.outputFiles;
  mkdirSync(dirname(BUNDLE), { recursive: true });
  // By rename, so that a process that starts meanwhile never reads half a file.
  const temporary = `${BUNDLE}.${process.pid}`;
  try {
    writeFileSync(temporary, file.contents);
    chmodSync(temporary, 0o755);
    renameSync(temporary, BUNDLE);
  } finally {
    rmSync(temporary, { force: true });
  }
  return { bytes: file.contents.length };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const start = performance.now();
  const { bytes } = await build();
  console.error(
    `dist/grafana-mcp-gateway.mjs: ${(bytes / 1e6).toFixed(1)} MB in ${Math.round(performance.now() - start)} ms`,
  );
}
