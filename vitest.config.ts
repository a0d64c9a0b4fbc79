import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { defineConfig, type Plugin, type ViteUserConfig } from 'vitest/config';

// @grafana/data's own ESM build cannot be imported by Node (moment-timezone), so the tests, like the product,
// run it bundled. Built once here (0.2 s); the alias makes every test file load the same 1 MB instead of 2.6 s of sources.
const grafanaData = fileURLToPath(new URL('node_modules/.cache/grafana-data.mjs', import.meta.url));
buildSync({
  entryPoints: [fileURLToPath(new URL('node_modules/@grafana/data/dist/esm/index.mjs', import.meta.url))],
  outfile: grafanaData,
  bundle: true,
  platform: 'node',
  format: 'esm',
  minify: true,
  logLevel: 'error',
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
});

/** Prompts are markdown files; the bundle holds them as text (scripts/build.mjs), and so do the tests. */
const markdown: Plugin = {
  name: 'markdown-as-text',
  enforce: 'pre',
  load(id) {
    const file = id.replace(/\?.*$/, '');
    return file.endsWith('.md') ? `export default ${JSON.stringify(readFileSync(file, 'utf8'))};` : undefined;
  },
};

export const shared = {
  plugins: [markdown],
  resolve: { alias: { '@grafana/data': grafanaData } },
  test: { testTimeout: 20_000, hookTimeout: 60_000 },
} satisfies ViteUserConfig;

export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    // Vitest leaves one core free, which on the usual two is half of them.
    maxWorkers: '100%',
    projects: [
      { extends: true, test: { name: 'unit', include: ['src/**/*.test.ts', 'sandbox/**/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'black box',
          include: ['test/**/*.test.ts'],
          exclude: ['test/integration/**'],
          globalSetup: 'test/support/build.ts',
        },
      },
    ],
  },
});
