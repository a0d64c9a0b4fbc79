import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

export interface Started {
  url: string;
  child: ChildProcess;
  /** ms from spawn to the first sign of readiness */
  readyMs: number;
}

// Whatever ends this run, its programs end with it: one left behind would hold the pipe that somebody reads.
const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});
function keep(child: ChildProcess): void {
  children.add(child);
  child.once('exit', () => children.delete(child));
}

/** Starts a program that prints its address as the first line of stdout. */
export async function startPrinter(file: string, args: string[] = []): Promise<Started> {
  const start = performance.now();
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  keep(child);
  if (!child.stdout) throw new Error('no stdout');
  const [line] = await once(createInterface(child.stdout), 'line');
  return { url: String(line), child, readyMs: performance.now() - start };
}

/** Starts the bundled gateway in front of `grafana` and waits until /healthz answers. */
export async function startServe(bundle: string, grafana: string): Promise<Started> {
  const port = await freePort();
  const start = performance.now();
  const child = spawn(
    process.execPath,
    [bundle, 'serve', '--port', String(port), '--rate-limit', '0', '--log-level', 'warn'],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...process.env,
        GRAFANA_URL: grafana,
        GRAFANA_SERVICE_ACCOUNT_TOKEN: 'glsa_fakefakefakefakefakefakefakefake_00000000',
        GATEWAY_AUDIT_FILE: '/dev/null',
      },
    },
  );
  keep(child);
  const url = `http://127.0.0.1:${port}`;
  for (;;) {
    const up = await fetch(`${url}/healthz`).then(
      (r) => r.ok,
      () => false,
    );
    if (up) return { url, child, readyMs: performance.now() - start };
    if (child.exitCode !== null) throw new Error(`the gateway ended with ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export async function stop(started: Started): Promise<void> {
  if (started.child.exitCode !== null) return;
  const ended = once(started.child, 'exit');
  started.child.kill('SIGTERM');
  await ended;
}

/** Resident memory of a process in MB (Linux). */
export function residentMb(child: ChildProcess): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (!address || typeof address !== 'object') throw new Error('no port');
  return address.port;
}
