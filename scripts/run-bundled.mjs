import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, stop } from 'esbuild';

/** Runs a TypeScript program of the sandbox in this very process, so that a signal to it is a signal to the program. */
export async function runBundled(entry) {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
  const outfile = join(folder, 'program.mjs');
  try {
    await build({
      entryPoints: [fileURLToPath(new URL(`../${entry}`, import.meta.url))],
      outfile,
      bundle: true,
      platform: 'node',
      target: 'node20',
      format: 'esm',
      logLevel: 'error',
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    });
    await stop();
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    await import(pathToFileURL(outfile).href);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}
