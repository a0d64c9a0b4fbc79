#!/usr/bin/env node
import { pathToFileURL } from 'node:url';
import { BUNDLE, build } from './build.mjs';

// The demo runs in this very process, so that a signal to it is a signal to the demo.
await build();
process.argv.splice(1, process.argv.length, BUNDLE, 'demo', ...process.argv.slice(2));
await import(pathToFileURL(BUNDLE).href);
