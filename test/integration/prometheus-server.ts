import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

export interface PrometheusServer {
  url: string;
  stop(): Promise<void>;
}

/** The version of the `prometheus` on this machine, undefined without one. */
export function installedPrometheus(): string | undefined {
  try {
    execFileSync('promtool', ['--version'], { stdio: 'ignore' });
    return /version (\S+?)[,+]/.exec(
      execFileSync('prometheus', ['--version'], { encoding: 'utf8', stdio: 'pipe' }),
    )?.[1];
  } catch {
    return undefined;
  }
}

/** A Prometheus of its own, on a free loopback port and in a folder of its own, that holds `openMetrics`. */
export async function startPrometheus(openMetrics: string, config = 'global: {}\n'): Promise<PrometheusServer> {
  const folder = mkdtempSync(join(tmpdir(), 'prometheus-'));
  const inFolder = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const data = join(folder, 'data');
  execFileSync('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', inFolder('data.om', openMetrics), data]);
  const url = `http://127.0.0.1:${await freePort()}`;
  const flags = [
    `--config.file=${inFolder('prometheus.yml', config)}`,
    `--storage.tsdb.path=${data}`,
    '--storage.tsdb.retention.time=100y',
    `--web.listen-address=${new URL(url).host}`,
  ];
  const child = spawn('prometheus', flags, { stdio: 'ignore' });
  await ready(url, child);
  return {
    url,
    async stop() {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address ? address.port : 0;
}

async function ready(url: string, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (child.exitCode !== null) throw new Error(`prometheus ended with ${child.exitCode}`);
    const answer = await fetch(`${url}/-/ready`).catch(() => undefined);
    if (answer?.ok) return;
    await wait(100);
  }
  throw new Error('prometheus did not become ready');
}
