#!/usr/bin/env node
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

// Writes the documents that are made of tables in the source. Tests hold them equal.
const root = fileURLToPath(new URL('..', import.meta.url));
const outfile = `${root}node_modules/.cache/docs.mjs`;
await build({
  absWorkingDir: root,
  stdin: {
    contents: `
      export { configurationMarkdown } from './src/config/reference.ts';
      export { errorsMarkdown } from './src/errors-doc.ts';`,
    resolveDir: root,
  },
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  logLevel: 'error',
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
});
const { configurationMarkdown, errorsMarkdown } = await import(pathToFileURL(outfile).href);
mkdirSync(`${root}docs`, { recursive: true });
for (const [file, text] of [
  ['docs/configuration.md', configurationMarkdown()],
  ['docs/errors.md', errorsMarkdown()],
]) {
  writeFileSync(root + file, text);
  console.log(file);
}
