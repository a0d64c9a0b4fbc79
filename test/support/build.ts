import { rmSync } from 'node:fs';
import { BUNDLE, build } from '../../scripts/build.mjs';

/**
 * Before the black-box tests, once: stdio, the demo and the command line are tested as they are shipped. When the build
 * fails, no older bundle stays, so that the tests that need one fail and the others still tell what they know.
 */
export default async function setup(): Promise<void> {
  try {
    await build();
  } catch (error) {
    rmSync(BUNDLE, { force: true });
    process.stderr.write(`The bundle does not build: ${error instanceof Error ? error.message : String(error)}\n`);
  }
}
