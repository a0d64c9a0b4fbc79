import { defineConfig } from 'vitest/config';
import { shared } from './vitest.config.ts';

// Needs more than Node: a real Prometheus on the PATH. Run by .ci/run.
export default defineConfig({
  ...shared,
  test: { ...shared.test, include: ['test/integration/**/*.test.ts'], testTimeout: 60_000, fileParallelism: false },
});
