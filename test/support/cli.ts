import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { BUNDLE } from '../../scripts/build.mjs';

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the bundle to its end with an environment that holds `env` and PATH alone. */
export async function cli(args: string[], env: Record<string, string> = {}, stdin = ''): Promise<Ran> {
  const child = start(args, env);
  const output = collect(child);
  child.stdin?.end(stdin);
  const [code] = await once(child, 'close');
  return { code, ...output };
}

export interface Running {
  child: ChildProcess;
  /** The first line of stdout. */
  line: string;
  output: { stdout: string; stderr: string };
  /** Sends the signal and waits for the end; `ms` is how long it took. */
  stop(signal: NodeJS.Signals): Promise<{ code: number | null; ms: number }>;
}

/** Starts what goes on running, and waits for its first line on `stream`. Its own process group: killed whole if it stays. */
export async function running(
  args: string[],
  env: Record<string, string> = {},
  stream: 'stdout' | 'stderr' = 'stdout',
): Promise<Running> {
  const child = start(args, env);
  const output = collect(child);
  const source = child[stream];
  if (!source) throw new Error('no output');
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`ended with ${code} before it was ready: ${output.stderr}`);
  });
  const [line] = await Promise.race([once(createInterface(source), 'line'), ended]);
  return {
    child,
    line: String(line),
    output,
    async stop(signal) {
      const begin = performance.now();
      const closed = once(child, 'close');
      child.kill(signal);
      const [code] = await closed;
      return { code, ms: performance.now() - begin };
    },
  };
}

export function start(args: string[], env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [BUNDLE, ...args], { env: { PATH: process.env.PATH ?? '', ...env } });
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const output = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk) => {
    output.stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    output.stderr += chunk;
  });
  return output;
}
