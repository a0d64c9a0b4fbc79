import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../testdata/make-token.sh', import.meta.url));
const PASSWORD = 'the admin password';

// The one-shot container of docker-compose.yaml, before a Grafana that has only the routes it needs.
describe.skipIf(!hasCurl())('testdata/make-token.sh', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tokens-'));
  const file = join(folder, 'gateway');
  let accounts: { id: number; name: string; role: string; orgId: number }[] = [];
  let tokens: string[] = [];
  let made = 0;
  let broken = false;
  const grafana = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString('utf8');
    const answer = (status: number, value: unknown) => response.writeHead(status).end(JSON.stringify(value));
    const { authorization = '' } = request.headers;
    const bearer = tokens.some((token) => authorization === `Bearer ${token}`);
    const admin = authorization === `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`;
    if (!bearer && !admin) return answer(401, { message: 'Invalid API key' });
    const [, id] = /^\/api\/serviceaccounts\/(\d+)\/tokens$/.exec(request.url ?? '') ?? [];
    const route = `${request.method} ${request.url}`;
    if (route === 'GET /api/org') return answer(200, { id: 1, name: 'Main Org.' });
    if (!admin) return answer(403, { message: 'Access denied' });
    if (route === 'GET /api/serviceaccounts/search?query=mcp-gateway')
      return answer(200, { totalCount: accounts.length, serviceAccounts: accounts, page: 1, perPage: 1000 });
    if (route === 'POST /api/serviceaccounts') {
      accounts.push({ id: 7, orgId: 1, ...JSON.parse(body) });
      return answer(201, accounts[0]);
    }
    if (request.method !== 'POST' || Number(id) !== accounts[0]?.id) return answer(404, { message: 'Not found' });
    if (broken) return answer(500, { message: 'no' });
    tokens.push(`made-${++made}`);
    return answer(200, { id: made, name: JSON.parse(body).name, key: `made-${made}` });
  });
  let url = '';
  beforeAll(async () => {
    grafana.listen(0, '127.0.0.1');
    await once(grafana, 'listening');
    const address = grafana.address();
    url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  });
  afterAll(() => {
    grafana.close();
    rmSync(folder, { recursive: true });
  });
  const run = async (password = PASSWORD): Promise<number> => {
    const env = { ...process.env, GRAFANA_URL: url, GRAFANA_ADMIN_PASSWORD: password, TOKEN_FILE: file };
    const [code] = await once(spawn('sh', [SCRIPT], { env, stdio: 'ignore' }), 'exit');
    return code;
  };

  test('makes no token with a wrong password, or when Grafana gives none', async () => {
    expect(await run('wrong')).not.toBe(0);
    broken = true;
    expect(await run()).not.toBe(0);
    broken = false;
    expect(existsSync(file)).toBe(false);
  });

  test('makes one viewer and one token, once', async () => {
    expect([await run(), await run()]).toEqual([0, 0]);
    expect(accounts.map(({ name, role }) => [name, role])).toEqual([['mcp-gateway', 'Viewer']]);
    expect([readFileSync(file, 'utf8'), made]).toEqual(['made-1', 1]);
    // The gateway is another user.
    expect(statSync(file).mode & 0o777).toBe(0o444);
  });

  test('makes another for a Grafana that does not know it: the volume outlives the database', async () => {
    [accounts, tokens] = [[], []];
    expect(await run()).toBe(0);
    expect([readFileSync(file, 'utf8'), accounts.length]).toEqual(['made-2', 1]);
  });

  test('takes the account that is there when only the token is gone', async () => {
    tokens = [];
    expect(await run()).toBe(0);
    expect([readFileSync(file, 'utf8'), accounts.length]).toEqual(['made-3', 1]);
  });
});

function hasCurl(): boolean {
  try {
    execFileSync('curl', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
