import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { cli, running } from './support/cli.ts';

test.each(['SIGINT', 'SIGTERM'] as const)('demo --json prints one line and ends with 0 on %s', async (signal) => {
  const demo = await running(['demo', '--json', '--port', '0'], { GRAFANA_URL: 'http://not.used.invalid' });
  const ready = JSON.parse(demo.line);
  expect(Object.keys(ready)).toEqual(['mcp', 'sse', 'grafana', 'token', 'otherToken', 'pid']);
  expect(ready).toMatchObject({
    mcp: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/),
    sse: ready.mcp.replace(/mcp$/, 'sse'),
    token: expect.stringMatching(/^glsa_/),
    otherToken: expect.stringMatching(/^glsa_/),
    pid: demo.child.pid,
  });
  const { code, ms } = await demo.stop(signal);
  expect(code).toBe(0);
  expect(ms).toBeLessThan(5_000);
  expect(demo.output.stdout).toBe(`${demo.line}\n`);
  // The ready block holds what can be pasted.
  expect(demo.output.stderr).toContain(`"type": "streamableHttp",\n      "url": "${ready.mcp}"`);
  expect(demo.output.stderr).toContain(`"type": "sse",\n      "url": "${ready.sse}"`);
});

test('a port in use is said, with the way out', async () => {
  const demo = await running(['demo', '--json', '--port', '0']);
  const port = new URL(JSON.parse(demo.line).mcp).port;
  const second = await cli(['demo', '--port', port]);
  expect([second.code, second.stderr]).toEqual([
    1,
    `Port ${port} is in use: choose another with --port N, or a free one with --port 0.\n`,
  ]);
  await demo.stop('SIGTERM');
});

test.each(['the process', 'its group', 'npm'] as const)(
  'npm run demo ends with 0 when the signal reaches %s',
  async (whom) => {
    const root = fileURLToPath(new URL('..', import.meta.url));
    const npm = spawn('npm', ['run', '--silent', 'demo', '--', '--json', '--port', '0'], {
      cwd: root,
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [line] = await once(createInterface(npm.stdout), 'line');
    const { pid, mcp } = JSON.parse(String(line));
    const closed = once(npm, 'close');
    process.kill(whom === 'its group' ? -(npm.pid ?? 0) : whom === 'npm' ? (npm.pid ?? 0) : pid, 'SIGTERM');
    const [code] = await closed;
    expect(code).toBe(0);
    await expect(fetch(mcp)).rejects.toThrow();
  },
);
