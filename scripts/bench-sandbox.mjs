#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

// How much the sandbox is felt: its start, queries of the usual size, its memory. `npm run bench:sandbox`.
const began = performance.now();
const script = fileURLToPath(new URL('sandbox.mjs', import.meta.url));
const child = spawn(process.execPath, [script, '--json', '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
const [line] = await once(createInterface(child.stdout), 'line');
const started = performance.now() - began;
const { loki, prometheus } = JSON.parse(line);
const now = Date.now();
const HOUR = 3_600_000;

const logs = (query, more = {}) =>
  `${loki}/loki/api/v1/query_range?${new URLSearchParams({ query, start: `${now - 6 * HOUR}000000`, end: `${now}000000`, limit: '100', ...more })}`;
const range = (query) =>
  `${prometheus}/api/v1/query_range?${new URLSearchParams({ query, start: `${(now - HOUR) / 1000}`, end: `${now / 1000}`, step: '30' })}`;

const rows = [
  ['log query, six hours of one service', logs('{app="checkout"} |= "error"')],
  ['the same by a regular expression', logs('{app="checkout"} |~ "(?i)time.*out"')],
  [
    'lines counted by a parsed field, six hours',
    logs('sum by (level) (count_over_time({app="checkout"} | logfmt [5m]))', { step: '300' }),
  ],
  ['rate by job and status, an hour', range('sum by (job, status) (rate(http_requests_total[5m]))')],
  ['rate of every series, an hour', range('rate(http_requests_total[5m])')],
];
console.log(`start, the bundling included: ${started.toFixed(0)} ms`);
for (const [name, url] of rows) {
  const times = [];
  let series = 0;
  for (let i = 0; i < 10; i++) {
    const from = performance.now();
    const body = await (await fetch(url)).json();
    times.push(performance.now() - from);
    series = body.data.result.length;
  }
  const [first, ...warm] = times;
  const median = warm.sort((a, b) => a - b)[warm.length >> 1];
  console.log(`${name} (${series} series or streams): first ${first.toFixed(0)} ms, then ${median.toFixed(0)} ms`);
}
const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
console.log(`resident memory: ${(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024).toFixed(0)} MB`);
child.kill('SIGTERM');
