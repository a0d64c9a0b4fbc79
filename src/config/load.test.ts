import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseFlags } from './flags.ts';
import { loadSettings, readSettings } from './load.ts';
import { settingsSchema } from './schema.ts';

let dir: string;
const file = (name: string, text: string) => {
  const path = join(dir, name);
  writeFileSync(path, text);
  return path;
};
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'settings-'));
});
afterAll(() => rmSync(dir, { recursive: true }));

const refusal = (argv: string[], env: Record<string, string> = {}): string => {
  try {
    loadSettings(argv, env);
  } catch (error) {
    if (error instanceof Error && error.name === 'ConfigError') return error.message;
    throw error;
  }
  return 'accepted';
};

describe('where a setting comes from', () => {
  test('without anything the defaults of the schema hold', () => {
    expect(loadSettings([], {})).toEqual(settingsSchema.parse({}));
  });

  test('flags win over the environment, the environment over the file, the file over defaults', () => {
    const config = file('order.yaml', 'host: file\nport: 1\nbasePath: /file\nallowedHosts: [a, b]\ndrain: 3\n');
    const { settings, sources } = readSettings(
      parseFlags(['--host', 'flag', '--config', config, '--allow-datasources=a,b', '--allow-datasources', 'c']),
      { GATEWAY_HOST: 'env', GATEWAY_PORT: '2', GATEWAY_STATELESS: 'yes' },
    );
    expect(settings).toMatchObject({
      host: 'flag',
      port: 2,
      basePath: '/file',
      allowedHosts: ['a', 'b'],
      drain: 3000,
      stateless: true,
      allowDatasources: ['a', 'b', 'c'],
    });
    expect([...sources].map(([key, g]) => [key, g.source])).toEqual(
      expect.arrayContaining([
        ['host', 'flag'],
        ['port', 'environment'],
        ['basePath', 'file'],
      ]),
    );
  });

  test('the plain names of Grafana are enough to start', () => {
    const env = { GRAFANA_URL: 'http://g.test', GRAFANA_TOKEN: 'glsa_fake' };
    expect(loadSettings([], env)).toMatchObject({ grafanaUrl: 'http://g.test', grafanaToken: 'glsa_fake' });
    const token = file('token', 'glsa_fake\n');
    for (const name of ['GRAFANA_SERVICE_ACCOUNT_TOKEN_FILE', 'GRAFANA_TOKEN_FILE']) {
      expect(loadSettings([], { [name]: token }).grafanaTokenFile).toBe(token);
    }
  });

  test('"" is unset; quotes and spaces around a value go with a warning', () => {
    const env = { GATEWAY_PORT: '', GRAFANA_URL: ' "http://g.test/" ', GATEWAY_HOST: "''" };
    const { settings, warnings } = readSettings(parseFlags(['--timezone=', '--base-path', '"/x/"']), env);
    expect(settings).toMatchObject({
      port: 8080,
      grafanaUrl: 'http://g.test',
      host: '127.0.0.1',
      timezone: 'UTC',
      basePath: '/x',
    });
    expect(warnings).toEqual([
      'GRAFANA_URL had quotes or spaces around its value; they were removed.',
      'GATEWAY_HOST had quotes or spaces around its value; they were removed.',
      '--base-path had quotes or spaces around its value; they were removed.',
    ]);
  });

  test("Kubernetes' own variables of a Service called gateway do no harm", () => {
    const env = { GATEWAY_PORT: 'tcp://10.0.0.1:80', GATEWAY_SERVICE_HOST: '10.0.0.1', GATEWAY_PORT_80_TCP_ADDR: 'x' };
    const { settings, warnings } = readSettings(parseFlags([]), env);
    expect([settings.port, warnings.length]).toEqual([8080, 3]);
  });
});

describe('addresses of Grafana', () => {
  test.each([
    ['http://g.test', 'http://g.test'],
    ['https://g.test//', 'https://g.test'],
    ['https://G.test:443/grafana/', 'https://g.test/grafana'],
    ['HTTP://g.test:3000/a/b', 'http://g.test:3000/a/b'],
  ])('%s → %s', (given, url) => {
    expect(loadSettings([], { GRAFANA_URL: given }).grafanaUrl).toBe(url);
  });

  test('user and password go into a header', () => {
    expect(loadSettings([], { GRAFANA_URL: 'https://bot:p%40ss%3A@g.test/x/' })).toMatchObject({
      grafanaUrl: 'https://g.test/x',
      grafanaAuthorization: `Basic ${Buffer.from('bot:p@ss:').toString('base64')}`,
    });
  });

  test.each([
    ['g.test', 'GRAFANA_URL needs http:// or https:// at its beginning, e.g. https://grafana.example.com.'],
    ['localhost:3000', 'GRAFANA_URL needs http:// or https:// at its beginning, e.g. https://grafana.example.com.'],
    ['https://g.test/x/api/', 'GRAFANA_URL must not end with /api: leave it out, the gateway adds it.'],
    ['https://u:fakepw@g.test/api', 'GRAFANA_URL must not end with /api: leave it out, the gateway adds it.'],
    ['http://u:fakepw@g.test:x', 'GRAFANA_URL is not a valid address such as https://grafana.example.com/grafana.'],
    [
      'https://g.test/?orgId=1',
      'GRAFANA_URL must end with the host or the sub-path, without "?" and "#" (an organisation is given by --org-id).',
    ],
  ])('%s is refused', (given, message) => {
    expect(refusal([], { GRAFANA_URL: given })).toBe(message);
  });
});

describe('refusals', () => {
  const secret = 'fake-secret-value';
  test.each<[string[], Record<string, string>, string]>([
    [['--grafana-ulr', 'x'], {}, 'Unknown flag --grafana-ulr; did you mean --grafana-url?'],
    [['--zzz'], {}, 'Unknown flag --zzz.'],
    [['-p', '1'], {}, 'Unknown flag -p.'],
    [['--scan-budget', 'much'], {}, '--scan-budget must be a size such as 32MB or 5GB, not "much".'],
    [['--port'], {}, '--port needs a value.'],
    [['extra'], {}, 'Unexpected argument "extra".'],
    [[], { GATEWAY_PROT: '1' }, 'Unknown setting GATEWAY_PROT in the environment; did you mean GATEWAY_PORT?'],
    [['--port', '70000'], {}, '--port must be a port from 0 to 65535, not "70000".'],
    [[], { GATEWAY_PORT: 'eighty' }, 'GATEWAY_PORT must be a port from 0 to 65535, not "eighty".'],
    [['--drain', 'soon'], {}, '--drain must be a duration such as 45s, 10m or 4h, not "soon".'],
    [['--stateless=maybe'], {}, '--stateless must be true or false, not "maybe".'],
    [['--mask', 'of'], {}, '--mask must be one of secrets, secrets+pii, off, not "of"; did you mean off?'],
    [
      ['--auth', 'grafana,jtw'],
      {},
      '--auth must be a list of grafana, jwt, static, anonymous, not "jtw"; did you mean jwt?',
    ],
    [['--timezone', 'Mars/North'], {}, '--timezone must be a zone such as UTC or Europe/Berlin.'],
    [['--tls-cert-file', '/dev/null'], {}, '--tls-cert-file needs --tls-key-file as well.'],
    [['--keys-file', '/nowhere/keys'], {}, '--keys-file names /nowhere/keys, which cannot be read (ENOENT).'],
    [['--auth', 'jwt'], {}, '--auth jwt needs --jwt-issuer.'],
    [['--auth', 'jwt', '--jwt-issuer', 'i'], {}, '--auth jwt needs --jwt-audience.'],
    [
      ['--auth', 'jwt', '--jwt-issuer', 'i', '--jwt-audience', 'a'],
      {},
      '--auth jwt needs a key: --jwt-secret-file, --jwt-key-file, --jwt-jwks-url or GATEWAY_JWT_SECRET.',
    ],
    [['--auth', 'static'], {}, '--auth static needs --keys-file.'],
    [
      ['--jwt-jwks-url', 'https://idp.test/jwks'],
      { GATEWAY_JWT_SECRET: secret },
      'Set only one of GATEWAY_JWT_SECRET and --jwt-jwks-url.',
    ],
    [
      [`--grafana-token=${secret}`],
      {},
      '--grafana-token is refused: secrets are never read from flags, since the process list shows them to everyone; ' +
        'set GRAFANA_SERVICE_ACCOUNT_TOKEN, or GRAFANA_SERVICE_ACCOUNT_TOKEN_FILE.',
    ],
    [
      ['--jwt-secret', secret],
      {},
      '--jwt-secret is refused: secrets are never read from flags, since the process list shows them to everyone; ' +
        'set GATEWAY_JWT_SECRET, or --jwt-secret-file.',
    ],
    [
      [],
      { GRAFANA_TOKEN: `Bearer ${secret}` },
      'GRAFANA_TOKEN holds 24 characters with spaces, line breaks or letters that no token has: give the bare token, without "Bearer".',
    ],
    [
      [],
      { GRAFANA_URL: `https://bot:${secret}@g.test`, GRAFANA_SERVICE_ACCOUNT_TOKEN: 'glsa_fake' },
      'GRAFANA_URL holds a user and password, and GRAFANA_SERVICE_ACCOUNT_TOKEN is set: keep one of them.',
    ],
    [
      ['--grafana-url', `https://bot:${secret}@g.test`],
      { GRAFANA_TOKEN: 'glsa_fake', GRAFANA_TOKEN_FILE: '/dev/null' },
      '--grafana-url holds a user and password, and GRAFANA_TOKEN and GRAFANA_TOKEN_FILE are set: keep one of them.',
    ],
    [
      [],
      { GATEWAY_JWT_SECRET: secret },
      'GATEWAY_JWT_SECRET holds 17 bytes; an HMAC secret needs at least 32 (RFC 7518). ' +
        'Make one with: openssl rand -base64 48',
    ],
    [['--config', '/nowhere.yaml'], {}, '--config names /nowhere.yaml, which cannot be read (ENOENT).'],
  ])('%j %j', (argv, env, message) => {
    expect(refusal(argv, env)).toBe(message);
    expect(message).not.toContain(secret);
  });

  test("of a file with a secret that is too short, counted in bytes and without the file's last line end", () => {
    const told = (text: string) => {
      const path = file('jwt-secret', text);
      return refusal(['--jwt-secret-file', path]).replace(path, 'FILE');
    };
    const short = (bytes: number) =>
      `--jwt-secret-file names FILE, which holds ${bytes} bytes; an HMAC secret needs at least 32 (RFC 7518). ` +
      'Make one with: openssl rand -base64 48';
    expect([told('\n'), told(`${'x'.repeat(31)}\n`)]).toEqual([short(0), short(31)]);
    expect([told('x'.repeat(32)), told('ä'.repeat(16))]).toEqual(['accepted', 'accepted']);
    expect(refusal([], { GATEWAY_JWT_SECRET: 'x'.repeat(32) })).toBe('accepted');
  });

  test('of a CA file that holds no certificate, or a broken one that Node would pass over in silence', () => {
    const good = readFileSync(new URL('../../test/fixtures/tls/cert.pem', import.meta.url), 'utf8');
    const key = readFileSync(new URL('../../test/fixtures/tls/key.pem', import.meta.url), 'utf8');
    const told = (text: string, env = 'GATEWAY_GRAFANA_CA_FILE') => {
      const path = file('ca.pem', text);
      return refusal([], { [env]: path }).replace(path, 'FILE');
    };
    const none =
      'GATEWAY_GRAFANA_CA_FILE names FILE, which holds no certificate in PEM form (-----BEGIN CERTIFICATE-----).';
    expect([told(''), told('hello'), told(key)]).toEqual([none, none, none]);
    const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
    expect(told(broken)).toBe('GATEWAY_GRAFANA_CA_FILE names FILE, whose certificate 1 of 1 cannot be read.');
    expect(told(good + good.slice(0, 200))).toMatch(/certificate 2 of 2 cannot be read/);
    expect(told(broken + good)).toMatch(/certificate 1 of 2 cannot be read/);
    const path = file('ca.pem', 'hello');
    expect(refusal(['--grafana-ca-file', path])).toMatch(/^--grafana-ca-file names .*ca\.pem, which holds no cert/);
    const bundle = `# one\r\n${good.replaceAll('\n', '\r\n')}\n# two\n${good}`;
    expect([told(good), told(bundle)]).toEqual(['accepted', 'accepted']);
  });

  test('of the file', () => {
    const typo = file('typo.yaml', 'public-url: http://x\n');
    expect(refusal(['--config', typo])).toBe(`Unknown setting public-url in ${typo}; did you mean publicUrl?`);
    const secretly = file('secret.yaml', 'jwtSecret: fake\n');
    expect(refusal([], { GATEWAY_CONFIG: secretly })).toBe(
      `jwtSecret may not stand in ${secretly}: set GATEWAY_JWT_SECRET in the environment.`,
    );
    const listed = file('list.yaml', '- 1\n');
    expect(refusal(['--config', listed])).toContain('must hold one mapping of settings');
    expect(refusal(['--config', file('broken.yaml', 'a: [')])).toContain('is not valid YAML');
    const empty = file('empty-token', '\n');
    expect(refusal([], { GRAFANA_TOKEN_FILE: empty })).toBe(`GRAFANA_TOKEN_FILE names ${empty}, which is empty.`);
  });
});
