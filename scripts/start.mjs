#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { BUNDLE, build } from './build.mjs';

// In this very process, so that a signal to it is a signal to the gateway.
if (!existsSync(BUNDLE)) await build();
process.argv.splice(1, process.argv.length, BUNDLE, 'serve', ...process.argv.slice(2));
await import(pathToFileURL(BUNDLE).href);
