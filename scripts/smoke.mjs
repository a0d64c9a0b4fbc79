#!/usr/bin/env node
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

// The bundle alone, in an empty folder, as a user has it: starts the demo, lists tools over HTTP, stops it.
// `node scripts/smoke.mjs [NODE]`: NODE is another node binary to run the bundle with.
const node = process.argv[2] ? resolve(process.argv[2]) : process.execPath;
const folder = mkdtempSync(join(tmpdir(), 'gateway-smoke-'));
const bundle = join(folder, 'grafana-mcp-gateway.mjs');
copyFileSync(fileURLToPath(new URL('../dist/grafana-mcp-gateway.mjs', import.meta.url)), bundle);

const child = spawn(node, [bundle, 'demo', '--json', '--port', '0'], {
  cwd: folder,
  stdio: ['ignore', 'pipe', 'pipe'],
});
let stderr = '';
child.stderr.on('data', (chunk) => {
  stderr += chunk;
});
const lines = [];
const exited = once(child, 'exit');
try {
  const start = performance.now();
  const reader = createInterface(child.stdout);
  reader.on('line', (line) => lines.push(line));
  await Promise.race([once(reader, 'line'), exited, after(20_000)]);
  assert.equal(lines.length, 1, `the demo printed no line on stdout; stderr:\n${stderr}`);
  const readyMs = Math.round(performance.now() - start);
  const ready = JSON.parse(lines[0]);
  assert.deepEqual(Object.keys(ready), ['mcp', 'sse', 'grafana', 'token', 'otherToken', 'pid']);

  const headers = {
    authorization: `Bearer ${ready.token}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  };
  const post = async (message) => {
    const response = await fetch(ready.mcp, {
      method: 'POST',
      headers,
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
    const text = await response.text();
    assert.ok(response.ok, `${message.method}: ${response.status} ${text}`);
    return { response, answer: text === '' ? undefined : JSON.parse(text.match(/^data: (\{.*\})$/m)?.[1] ?? text) };
  };
  const clientInfo = { name: 'smoke', version: '1' };
  const opened = await post({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
  });
  headers['mcp-session-id'] = opened.response.headers.get('mcp-session-id');
  headers['mcp-protocol-version'] = opened.answer.result.protocolVersion;
  await post({ method: 'notifications/initialized' });
  const { answer } = await post({ id: 2, method: 'tools/list', params: {} });
  const names = answer.result.tools.map((tool) => tool.name);
  assert.ok(names.includes('query_loki_logs'), `tools: ${names}`);

  const stopping = performance.now();
  child.kill('SIGTERM');
  const [code] = await Promise.race([exited, after(5_000)]);
  assert.equal(code, 0, `exit code after SIGTERM; stderr:\n${stderr}`);
  assert.equal(lines.length, 1, 'stdout holds the ready line alone');
  const stopMs = Math.round(performance.now() - stopping);
  console.log(`smoke: ready in ${readyMs} ms, ${names.length} tools, stopped in ${stopMs} ms (${await version()})`);
} finally {
  child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

function after(ms) {
  return new Promise((_, reject) =>
    setTimeout(() => reject(new Error(`nothing within ${ms} ms; stderr:\n${stderr}`)), ms).unref(),
  );
}
async function version() {
  const asked = spawn(node, ['--version'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface(asked.stdout), 'line');
  return `Node ${line}`;
}
