import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { type Sandbox, startSandbox } from '../sandbox/main.ts';
import { cli, running } from './support/cli.ts';

let sandbox: Sandbox;
let folder: string;
beforeAll(async () => {
  sandbox = await startSandbox({ port: 0 });
  folder = mkdtempSync(join(tmpdir(), 'command-line-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await sandbox.close();
});
const grafana = () => ({ GRAFANA_URL: sandbox.url, GRAFANA_SERVICE_ACCOUNT_TOKEN: sandbox.tokens.viewer });

describe('usage', () => {
  test('every command is listed and has help of its own', async () => {
    const { code, stdout } = await cli(['--help']);
    expect(code).toBe(0);
    for (const name of ['serve', 'stdio', 'demo', 'token', 'doctor', 'call', 'config']) {
      expect(stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
      const help = await cli([name, '--help']);
      expect([help.code, help.stdout.split('\n')[0]]).toEqual([
        0,
        expect.stringMatching(`^Usage: grafana-mcp-gateway ${name}`),
      ]);
    }
  });

  test.each<[string[], number, string]>([
    [['--version'], 0, `grafana-mcp-gateway ${manifest.version}`],
    [[], 2, 'Usage: grafana-mcp-gateway COMMAND [flags]'],
    [['sevre'], 2, 'Unknown command "sevre"; did you mean serve?'],
    [['check'], 2, 'Unknown command "check".'],
    [['serve', '--prot', '1'], 2, 'Unknown flag --prot; did you mean --port?'],
    [['serve'], 2, 'Set GRAFANA_URL (or --grafana-url) to the address of Grafana.'],
    [['serve', 'x'], 2, 'Unexpected argument "x".'],
    [['call'], 2, 'call needs the name of a tool, such as list_datasources.'],
    [['token'], 2, 'token is followed by mint, inspect or hash.'],
    [['demo', '--grafana-url', 'http://x'], 2, 'demo brings its own Grafana: leave --grafana-url out, or use serve.'],
    [['demo', '--logs', '/nowhere/a.log'], 2, '--logs names /nowhere/a.log, which cannot be read (ENOENT).'],
    [['demo', '--seed', 'x'], 2, '--seed must be a whole number, not "x".'],
  ])('%j → %i', async (args, code, first) => {
    const ran = await cli(args);
    const [said, other] = code === 0 ? [ran.stdout, ran.stderr] : [ran.stderr, ran.stdout];
    expect([ran.code, said.split('\n')[0], other]).toEqual([code, first, '']);
  });
});

describe('config', () => {
  test('shows each setting and its source, never a secret, and can be read again', async () => {
    const env = {
      GRAFANA_URL: 'https://bot:fakepassword@g.test/grafana/',
      GATEWAY_JWT_SECRET: 'fake-jwt-secret-of-thirty-two-chars',
      GATEWAY_DRAIN: '90s',
      GATEWAY_RATE_LIMIT: '7/s',
      GATEWAY_ALLOWED_HOSTS: 'a.test,b.test',
    };
    const { code, stdout } = await cli(['config', '--max-response-bytes', '5MB'], env);
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/fakepassword|fake-jwt-secret|Ym90OmZha2/);
    expect(stdout.split('\n')).toEqual(
      expect.arrayContaining([
        'grafanaUrl: https://g.test/grafana  # GRAFANA_URL',
        '# jwtSecret: (secret, 35 characters)  # GATEWAY_JWT_SECRET',
        'drain: 90s  # GATEWAY_DRAIN',
        'maxResponseBytes: 5MB  # --max-response-bytes',
        'port: 8080  # default',
      ]),
    );
    const file = join(folder, 'again.yaml');
    writeFileSync(file, stdout);
    const values = (text: string) => text.replace(/ {2}# .*$/gm, '').replace(/^# .*\n/gm, '');
    expect(values((await cli(['config', '--config', file])).stdout)).toBe(values(stdout));
  });
});

describe('token', () => {
  const settings = ['--jwt-issuer', 'https://idp.test', '--jwt-audience', 'gateway'];
  const env = { GATEWAY_JWT_SECRET: 'fake-jwt-secret-of-thirty-two-chars' };

  test('what mint makes, inspect accepts; another audience or an expired token it does not', async () => {
    const minted = await cli(['token', 'mint', '--sub', 'ada', '--scope', 'logs:read', ...settings], env);
    expect([minted.code, minted.stderr]).toEqual([0, '']);
    const fine = await cli(['token', 'inspect', ...settings], env, minted.stdout);
    expect(fine.code).toBe(0);
    expect(fine.stdout).toContain('ada');
    expect(fine.stdout).toContain('logs:read');
    const other = await cli(
      ['token', 'inspect', '--jwt-issuer', 'https://idp.test', '--jwt-audience', 'other'],
      env,
      minted.stdout,
    );
    expect([other.code, other.stdout]).toEqual([1, expect.stringContaining('Refused: aud')]);
    const forged = await cli(
      ['token', 'inspect', ...settings],
      { GATEWAY_JWT_SECRET: 'another-fake-secret-of-32-chars!' },
      minted.stdout,
    );
    expect([forged.code, forged.stdout]).toEqual([1, expect.stringContaining('Refused: signature')]);
    expect(forged.stdout).not.toContain('another-fake');
    const critical = Buffer.from('{"alg":"HS256","typ":"JWT","crit":["x"]}').toString('base64url');
    const odd = await cli(['token', 'inspect', ...settings], env, minted.stdout.replace(/^[^.]+/, critical));
    expect([odd.code, odd.stdout]).toEqual([1, expect.stringContaining('Refused: crit')]);
  });

  test('hash gives the SHA-256 of the key without its line end', async () => {
    const key = 'fake-static-key-0123456789';
    const hash = `sha256:${createHash('sha256').update(key).digest('hex')}\n`;
    expect((await cli(['token', 'hash'], {}, `${key}\n`)).stdout).toBe(hash);
    expect((await cli(['token', 'hash'], { GATEWAY_KEY: key })).stdout).toBe(hash);
    const made = /^key: {2}(\S+)\nhash: (\S+)\n$/.exec((await cli(['token', 'hash', '--generate'])).stdout);
    expect((await cli(['token', 'hash'], {}, made?.[1])).stdout).toBe(`${made?.[2]}\n`);
  });
});

describe('doctor', () => {
  const states = (text: string) => text.split('\n').map((line) => line.slice(0, 20).trim().replace(/\s+/g, ' '));

  test('walks every hop; a dead datasource fails alone', async () => {
    const { code, stdout } = await cli(['doctor'], grafana());
    const walked = states(stdout);
    expect(walked.slice(0, 7)).toEqual([
      'ok configuration',
      'ok proxy',
      'ok dns',
      'ok connection',
      'ok grafana',
      'ok token',
      'ok permissions',
    ]);
    expect(walked.slice(7)).toEqual(expect.arrayContaining(['ok datasource', 'FAIL datasource']));
    expect(code).toBe(1);
  });

  test.each<[string, () => Record<string, string>, string, RegExp]>([
    ['a URL without scheme', () => ({ GRAFANA_URL: 'g.test' }), 'FAIL configuration', /needs http:/],
    ['a host without address', () => ({ GRAFANA_URL: 'http://nowhere.invalid' }), 'FAIL dns', /correct the host/],
    ['a closed port', () => ({ GRAFANA_URL: 'http://127.0.0.1:9' }), 'FAIL connection', /nothing listens there/],
    [
      'https on a port of http',
      () => ({ GRAFANA_URL: sandbox.url.replace('http:', 'https:') }),
      'FAIL connection',
      /does not speak TLS/,
    ],
    ['a wrong sub-path', () => ({ GRAFANA_URL: `${sandbox.url}/elsewhere` }), 'FAIL grafana', /GRAFANA_URL/],
    [
      'a revoked token',
      () => ({ ...grafana(), GRAFANA_SERVICE_ACCOUNT_TOKEN: sandbox.tokens.revoked }),
      'FAIL token',
      /token/,
    ],
  ])('%s', async (_, env, state, remedy) => {
    const { code, stdout } = await cli(['doctor'], env());
    const last = stdout.trimEnd().split('\n').at(-1) ?? '';
    expect([code, states(last)[0]]).toEqual([1, state]);
    expect(last).toMatch(remedy);
    expect(stdout).not.toContain(sandbox.tokens.revoked);
  });
});

describe('call', () => {
  test('prints the answer of a tool, or its error with exit 1', async () => {
    const fine = await cli(['call', 'list_datasources', 'type=loki'], grafana());
    expect([fine.code, fine.stderr]).toEqual([0, '']);
    expect(fine.stdout).toContain('"uid"');
    const failed = await cli(['call', 'query_prometheus', 'promql=up{'], grafana());
    expect([failed.code, failed.stderr]).toEqual([1, '']);
    const json = await cli(['call', 'query_prometheus', 'promql=up', '--json'], grafana());
    expect(JSON.parse(json.stdout)).toMatchObject({ content: [{ type: 'text' }] });
    const unknown = await cli(['call', 'query_prometeus', 'promql=up'], grafana());
    expect([unknown.code, unknown.stderr.split('\n')[0]]).toEqual([
      2,
      'There is no tool "query_prometeus"; did you mean query_prometheus?',
    ]);
  });
});

describe('serve', () => {
  test('says in one line what an operator asks first, and ends with 0 on SIGTERM', async () => {
    const gateway = await running(['serve', '--port', '0', '--audit-file', '/dev/null'], grafana(), 'stderr');
    const ready = JSON.parse(gateway.line);
    expect(ready).toMatchObject({ msg: 'ready', version: manifest.version, grafana: sandbox.url, mode: 'read-only' });
    expect(ready.auth).toEqual(['grafana', 'anonymous']);
    expect(ready.tools).toBeGreaterThan(0);
    expect(ready.grafanaVersion).toMatch(/^\d+\.\d+/);
    expect((await fetch(`${ready.url}/healthz`)).status).toBe(200);
    const { code, ms } = await gateway.stop('SIGTERM');
    expect([code, gateway.output.stdout]).toEqual([0, '']);
    expect(ms).toBeLessThan(5_000);
  });

  test('starts without Grafana and says why it does not answer', async () => {
    const gateway = await running(['serve', '--port', '0'], { GRAFANA_URL: 'http://127.0.0.1:9' }, 'stderr');
    expect(JSON.parse(gateway.line)).toMatchObject({ msg: 'ready', grafanaFault: expect.stringContaining('cannot') });
    expect((await gateway.stop('SIGINT')).code).toBe(0);
  });
});
