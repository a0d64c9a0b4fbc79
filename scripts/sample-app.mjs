#!/usr/bin/env node
import { runBundled } from './run-bundled.mjs';

await runBundled('sandbox/sample-app/cli.ts');
