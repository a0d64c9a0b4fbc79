import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../scripts/sandbox.mjs', import.meta.url));
const capture = (path: string) => fileURLToPath(new URL(`../test/fixtures/captures/${path}`, import.meta.url));

function run(...args: string[]) {
  const child = spawn(process.execPath, [SCRIPT, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  return { child, errors: () => errors };
}

test('serves files of data, by themselves and behind Grafana, until it is told to end', async () => {
  const files = ['--loki-data', capture('loki/dataset.jsonl'), '--prometheus-data', capture('prometheus/dataset.om')];
  const { child } = run(...files, '--json', '--port', '0');
  const [line] = await once(createInterface(child.stdout), 'line');
  const ready: unknown = JSON.parse(String(line));
  expect(ready).toEqual({
    grafana: expect.stringMatching(/^http:/),
    loki: expect.stringMatching(/^http:/),
    prometheus: expect.stringMatching(/^http:/),
    token: expect.stringMatching(/^glsa_/),
  });
  const { grafana, loki, prometheus, token } = ready as Record<string, string>;
  const get = async (url: string, init?: RequestInit) => JSON.stringify(await (await fetch(url, init)).json());
  const labels = '/loki/api/v1/labels?start=1796032800000000000&end=1796034600000000000';
  const count = '/api/v1/query?query=count(up)&time=1796033400';
  expect(await get(loki + labels)).toContain('["app","env","namespace"]');
  expect(await get(prometheus + count)).toContain('"4"');
  const form = { method: 'POST', body: new URLSearchParams({ query: 'count(up)', time: '1796033400' }) };
  expect(await get(`${prometheus}/api/v1/query`, form)).toContain('"4"');
  const headers = { Authorization: `Bearer ${token}` };
  expect(await get(`${grafana}/api/datasources/proxy/uid/loki-demo${labels}`, { headers })).toContain('"app"');
  expect(await get(`${grafana}/api/datasources/proxy/uid/prometheus-demo${count}`, { headers })).toContain('"4"');
  child.kill('SIGTERM');
  expect((await once(child, 'exit'))[0]).toBe(0);
});

test.each([
  [['--loki-data', capture('prometheus/dataset.om')], /dataset\.om:1 is not JSON/],
  [['--loki-data', '/nowhere'], /\/nowhere cannot be read/],
  [['--port', 'x'], /--port must be a whole number/],
  [['--nope'], /--nope/],
])('%j is refused in words', async (args, words) => {
  const { child, errors } = run(...args);
  expect((await once(child, 'close'))[0]).toBe(2);
  expect(errors()).toMatch(words);
});
