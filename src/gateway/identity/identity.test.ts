import { createHmac, createPublicKey, generateKeyPairSync, type KeyPairKeyObjectResult } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import jwt from 'jsonwebtoken';
import { pino } from 'pino';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { settingsSchema } from '../../config/schema.ts';
import { DEFAULT_SCOPES, type Identity } from '../../identity.ts';
import { ANNA, BOB, fakeGrafana, REVOKED, UNREACHABLE } from '../testing/front.ts';
import { sha256 } from './hash.ts';
import { createIdentify } from './identify.ts';
import { serviceCaller } from './service.ts';

const folder = mkdtempSync(join(tmpdir(), 'identity-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
  return path;
};

const SECRET = 'fake-secret-of-a-test-0123456789abcdef';
const rsa = pemOf(generateKeyPairSync('rsa', { modulusLength: 2048 }));
const strange = pemOf(generateKeyPairSync('rsa', { modulusLength: 2048 }));
const ec = pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }));

const ISSUER = { jwtIssuer: 'https://idp.test', jwtAudience: 'gateway' };
const SERVICE = { grafanaToken: 'glsa_fake_service' };
const claims = { iss: ISSUER.jwtIssuer, aud: ISSUER.jwtAudience, sub: 'anna' };
const now = () => Math.floor(Date.now() / 1000);
const sign = (payload: object, key = SECRET, options: jwt.SignOptions = {}) =>
  jwt.sign({ exp: now() + 60, ...payload }, key, { algorithm: 'HS256', ...options });

function identifier(settings: Record<string, unknown>, checks: string[] = [], up: () => boolean = () => true) {
  const parsed = settingsSchema.parse({ grafanaUrl: 'http://grafana.test', ...settings });
  const identify = createIdentify(parsed, fakeGrafana(checks, up), pino({ level: 'silent' }));
  return async (token?: string, headers: Record<string, string> = {}): Promise<Identity | string> => {
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return await identify({ ...authorization, ...headers }).catch(
      (refusal: { kind?: string }) => refusal.kind ?? String(refusal),
    );
  };
}
const shortOf = (identity: Identity | string) =>
  typeof identity === 'string' ? identity : { principal: identity.principal, scopes: [...identity.scopes] };

/** A token of hand-written parts. */
function forged(header: object, payload: object, signature: (input: string) => string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const input = `${part(header)}.${part(payload)}`;
  return `${input}.${signature(input)}`;
}
const hmac = (key: string) => (input: string) => createHmac('sha256', key).update(input).digest('base64url');
const good = { ...claims, exp: now() + 600 };

describe('JWT', () => {
  const bySecret = identifier({ auth: 'jwt', jwtSecret: SECRET, ...ISSUER, ...SERVICE });
  const byPem = identifier({ auth: 'jwt', jwtKeyFile: file('rsa.pem', rsa.publicKey), ...ISSUER, ...SERVICE });
  const byEc = identifier({ auth: 'jwt', jwtKeyFile: file('ec.pem', ec.publicKey), ...ISSUER, ...SERVICE });

  test.each([
    ['HS256', bySecret, () => sign(claims)],
    ['HS512', bySecret, () => sign(claims, SECRET, { algorithm: 'HS512' })],
    ['RS256', byPem, () => sign(claims, rsa.privateKey, { algorithm: 'RS256' })],
    ['PS256', byPem, () => sign(claims, rsa.privateKey, { algorithm: 'PS256' })],
    ['ES256', byEc, () => sign(claims, ec.privateKey, { algorithm: 'ES256' })],
    ['several audiences', bySecret, () => sign({ ...claims, aud: ['other', 'gateway'] })],
  ])('%s is good', async (_name, identify, token) => {
    expect(shortOf(await identify(token()))).toEqual({
      principal: 'jwt:https://idp.test|anna',
      scopes: [...DEFAULT_SCOPES],
    });
  });

  test.each([
    ['none', bySecret, forged({ alg: 'none' }, good, () => '')],
    ['None', bySecret, forged({ alg: 'None' }, good, () => '')],
    ['no algorithm', bySecret, forged({}, good, hmac(SECRET))],
    ['another secret', bySecret, sign(claims, 'another-fake-secret')],
    ['an empty secret', bySecret, forged({ alg: 'HS256' }, good, hmac(''))],
    ['the public key as HMAC secret', byPem, forged({ alg: 'HS256', typ: 'JWT' }, good, hmac(rsa.publicKey))],
    ['an RSA key where a secret is', bySecret, sign(claims, rsa.privateKey, { algorithm: 'RS256' })],
    ["a stranger's RSA key", byPem, sign(claims, strange.privateKey, { algorithm: 'RS256' })],
    [
      'a key that the token brings along',
      byPem,
      sign(claims, strange.privateKey, {
        algorithm: 'RS256',
        header: { alg: 'RS256', jku: 'https://evil.test', kid: '../../x' },
      }),
    ],
    ['another issuer', bySecret, sign({ ...claims, iss: 'https://evil.test' })],
    ['no issuer', bySecret, sign({ aud: 'gateway', sub: 'anna' })],
    ['another audience', bySecret, sign({ ...claims, aud: 'other' })],
    ['no audience', bySecret, sign({ iss: claims.iss, sub: 'anna' })],
    ['no subject', bySecret, sign({ iss: claims.iss, aud: claims.aud })],
    ['expired', bySecret, sign({ ...claims, exp: now() - 1 })],
    ['no expiry', bySecret, forged({ alg: 'HS256' }, claims, hmac(SECRET))],
    ['an expiry that is a text', bySecret, forged({ alg: 'HS256' }, { ...claims, exp: '9999999999' }, hmac(SECRET))],
    ['not yet valid', bySecret, sign({ ...claims, nbf: now() + 600 })],
    [
      'an altered payload',
      bySecret,
      sign(claims).replace(
        /\.[^.]+\./,
        `.${Buffer.from(JSON.stringify({ ...good, sub: 'root' })).toString('base64url')}.`,
      ),
    ],
    ['a critical extension', bySecret, sign(claims, SECRET, { header: { alg: 'HS256', crit: ['b64'] } })],
    ['no signature', bySecret, sign(claims).replace(/[^.]+$/, '')],
    ['a text', bySecret, 'hello'],
    ['three dots', bySecret, 'eyJ.eyJ.'],
  ])('%s is refused as invalid', async (_name, identify, token) => {
    expect(await identify(token)).toBe('invalid');
  });

  test('scopes from scope or scp, text or list; unknown ones count for nothing; none at all gives the default', async () => {
    const scopes = async (more: object) => {
      const identity = await bySecret(sign({ ...claims, ...more }));
      return typeof identity === 'string' ? identity : [...identity.scopes];
    };
    expect(await scopes({ scope: 'logs:read openid sql:read' })).toEqual(['logs:read', 'sql:read']);
    expect(await scopes({ scp: ['metrics:read'] })).toEqual(['metrics:read']);
    expect(await scopes({ scope: 'openid' })).toEqual([]);
    expect(await scopes({})).toEqual([...DEFAULT_SCOPES]);
  });

  test('a claim narrows the datasources; the end of the token is known', async () => {
    const exp = now() + 100;
    const identity = await bySecret(sign({ ...claims, exp, datasources: ['a'] }));
    expect(identity).toMatchObject({ expiresAt: exp, caller: { allowDatasources: ['a'] } });
  });

  test('algorithms that the operator names are a subset of what the key can do', async () => {
    const settings = { auth: 'jwt', jwtKeyFile: join(folder, 'rsa.pem'), ...ISSUER, ...SERVICE };
    const strict = identifier({ ...settings, jwtAlgorithms: 'PS256' });
    expect(await strict(sign(claims, rsa.privateKey, { algorithm: 'RS256' }))).toBe('invalid');
    expect(() => identifier({ ...settings, jwtAlgorithms: 'HS256' })).toThrow(/--jwt-algorithms names HS256/);
    expect(() => identifier({ ...settings, jwtAlgorithms: 'none' })).toThrow(/--jwt-algorithms names none/);
  });

  test('keys of a JWKS address: fetched once, by kid; an unreachable one is no proof of a bad token', async () => {
    const { n, e } = jwkOf(rsa.publicKey);
    let fetched = 0;
    const issuer = createServer((_request, response) => {
      fetched += 1;
      response.setHeader('content-type', 'application/json');
      const secret = { kty: 'oct', kid: 'oct', k: Buffer.from(SECRET).toString('base64url') };
      response.end(JSON.stringify({ keys: [{ kty: 'RSA', kid: 'one', use: 'sig', alg: 'RS256', n, e }, secret] }));
    });
    await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
    const address = issuer.address();
    const jwtJwksUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/jwks`;
    const identify = identifier({ auth: 'jwt', jwtJwksUrl, ...ISSUER, ...SERVICE });
    const token = (kid: string, key = rsa.privateKey) => sign(claims, key, { algorithm: 'RS256', keyid: kid });
    for (let i = 0; i < 3; i++) expect(await identify(token('one'))).toMatchObject({ kind: 'jwt' });
    expect(fetched).toBe(1);
    expect(await identify(token('one', strange.privateKey))).toBe('invalid');
    expect(await identify(token('two'))).toBe('invalid');
    expect(await identify(sign(claims, SECRET, { keyid: 'oct' }))).toBe('invalid');
    expect(await identify(forged({ alg: 'HS256', kid: 'one' }, good, hmac(rsa.publicKey)))).toBe('invalid');
    await new Promise((resolve) => issuer.close(resolve));
    const fresh = identifier({ auth: 'jwt', jwtJwksUrl, ...ISSUER, ...SERVICE });
    expect(await fresh(token('one'))).toBe('unavailable');
  });

  test('--upstream-identity jwt: Grafana is told who the user is, by a token of the gateway', async () => {
    const upstreamJwtKeyFile = file('mint.pem', ec.privateKey);
    const identify = identifier({
      auth: 'jwt',
      jwtSecret: SECRET,
      upstreamIdentity: 'jwt',
      upstreamJwtKeyFile,
      ...ISSUER,
    });
    const callerOf = async (sub: string) => {
      const identity = await identify(sign({ ...claims, sub, email: `${sub}@example.test` }));
      if (typeof identity === 'string') throw new Error(identity);
      return identity.caller;
    };
    const anna = await callerOf('anna');
    const headers = await anna.headers();
    const minted = jwt.verify(String(headers['x-jwt-assertion']), ec.publicKey, { algorithms: ['ES256'] });
    expect(minted).toMatchObject({ sub: 'anna', email: 'anna@example.test', exp: expect.any(Number) });
    expect(Number((minted as jwt.JwtPayload).exp) - now()).toBeLessThanOrEqual(120);
    expect(Object.keys(headers)).toEqual(['x-jwt-assertion']);
    expect((await callerOf('anna')).cacheKey).toBe(anna.cacheKey);
    expect((await callerOf('bob')).cacheKey).not.toBe(anna.cacheKey);
  });
});

describe('static keys', () => {
  const entry = (name: string, key: string, more = '') =>
    `- {name: ${name}, hash: "sha256:${sha256(key)}", scopes: [logs:read]${more}}\n`;
  test('by hash, with scopes, datasources and an end', async () => {
    const keysFile = file(
      'keys.yaml',
      entry('team', 'fake-1', ', datasources: [x]') + entry('old', 'fake-2', ', expires: 2020-01-01'),
    );
    const identify = identifier({ auth: 'static', keysFile, ...SERVICE });
    expect(await identify('fake-1')).toMatchObject({
      principal: 'static:team',
      subject: 'team',
      caller: { allowDatasources: ['x'] },
    });
    expect(shortOf(await identify('fake-1'))).toMatchObject({ scopes: ['logs:read'] });
    expect(await identify('fake-2')).toBe('invalid');
    expect(await identify('fake-3')).toBe('invalid');
    expect(await identify(sha256('fake-1'))).toBe('invalid');
    expect(await identify()).toBe('missing');
  });

  test('the file is read again: a rotated key is the same principal, a removed one is refused, a broken file changes nothing', async () => {
    const keysFile = file('rotating.yaml', entry('team', 'fake-old'));
    const identify = identifier({ auth: 'static', keysFile, ...SERVICE });
    const clock = vi.spyOn(Date, 'now');
    const later = (text: string) => {
      file('rotating.yaml', text);
      clock.mockReturnValue(Date.now() + 2000);
    };
    const before = await identify('fake-old');
    later(entry('team', 'fake-old') + entry('team', 'fake-new'));
    expect(shortOf(await identify('fake-new'))).toEqual(shortOf(before));
    later(entry('team', 'fake-new'));
    expect(await identify('fake-old')).toBe('invalid');
    later('- {name: team}');
    expect(await identify('fake-new')).toMatchObject({ principal: 'static:team' });
    clock.mockRestore();
  });

  test.each([
    ['no YAML', '- {', /is not YAML/],
    ['a plain key instead of its hash', '- {name: a, hash: fake-key, scopes: []}', /entry 0\.hash must be "sha256:"/],
    ['an unknown scope', `- {name: a, hash: "sha256:${sha256('x')}", scopes: [all]}`, /entry 0\.scopes/],
    ['an unknown field', entry('a', 'x', ', scope: b'), /entry 0/],
    ['a date that is none', entry('a', 'x', ', expires: soon'), /is not a date/],
  ])('%s stops the start', (_what, text, message) => {
    const keysFile = file('wrong.yaml', text);
    expect(() => identifier({ auth: 'static', keysFile, ...SERVICE })).toThrow(message);
  });
});

describe('Grafana tokens', () => {
  test('asked once for a minute when good, for ten seconds when bad; equal checks at one time are one', async () => {
    const checks: string[] = [];
    const identify = identifier({ auth: 'grafana' }, checks);
    const clock = vi.spyOn(performance, 'now');
    const start = performance.now();
    clock.mockReturnValue(start);
    const all = await Promise.all(Array.from({ length: 5 }, () => identify(ANNA)));
    expect(all.every((identity) => typeof identity !== 'string')).toBe(true);
    expect(await identify(REVOKED)).toBe('invalid');
    expect(checks).toEqual([ANNA, REVOKED]);
    clock.mockReturnValue(start + 11_000);
    await identify(ANNA);
    expect(await identify(REVOKED)).toBe('invalid');
    expect(checks).toEqual([ANNA, REVOKED, REVOKED]);
    clock.mockReturnValue(start + 61_000);
    await identify(ANNA);
    expect(checks).toEqual([ANNA, REVOKED, REVOKED, ANNA]);
    clock.mockRestore();
  });

  test('out of reach is neither good nor bad, and not remembered', async () => {
    const checks: string[] = [];
    let up = false;
    const identify = identifier({ auth: 'grafana' }, checks, () => up);
    expect([await identify(ANNA), await identify(UNREACHABLE)]).toEqual(['unavailable', 'unavailable']);
    up = true;
    expect(await identify(ANNA)).toMatchObject({ kind: 'grafana' });
  });

  test('the token is used as it is; another one is another principal and another cache', async () => {
    const identify = identifier({ auth: 'grafana' });
    const [anna, bob] = [await identify(ANNA), await identify(BOB)];
    if (typeof anna === 'string' || typeof bob === 'string') throw new Error('refused');
    expect(await anna.caller.headers()).toEqual({ authorization: `Bearer ${ANNA}` });
    expect(anna.principal).toBe(`grafana:${sha256(ANNA)}`);
    expect([anna.principal === bob.principal, anna.caller.cacheKey === bob.caller.cacheKey]).toEqual([false, false]);
    expect(JSON.stringify(anna)).not.toContain(ANNA);
  });
});

describe('several kinds at once', () => {
  const checks: string[] = [];
  const keysFile = file('several.yaml', `- {name: k, hash: "sha256:${sha256('fake-static')}", scopes: [logs:read]}`);
  const identify = identifier(
    { auth: 'grafana,jwt,static,anonymous', keysFile, jwtSecret: SECRET, ...ISSUER, ...SERVICE },
    checks,
  );
  test.each([
    ['a Grafana token', ANNA, 'grafana'],
    ['a JWT', sign(claims), 'jwt'],
    ['a static key', 'fake-static', 'static'],
    ['nothing', undefined, 'anonymous'],
  ])('%s is told by its shape', async (_what, token, kind) => {
    expect(await identify(token)).toMatchObject({ kind });
  });
  test('a refused credential is not tried as another kind, and makes nobody anonymous', async () => {
    checks.length = 0;
    for (const token of [sign({ ...claims, aud: 'other' }), 'fake-unknown', REVOKED])
      expect(await identify(token)).toBe('invalid');
    expect(checks.filter((token) => token !== REVOKED)).toEqual([]);
  });
  test('X-Gateway-Scopes takes away and never adds', async () => {
    const scopes = { 'x-gateway-scopes': 'logs:read, sql:read,silences:write' };
    expect(shortOf(await identify('fake-static', scopes))).toMatchObject({ scopes: ['logs:read'] });
    expect(shortOf(await identify(ANNA, { 'x-gateway-scopes': 'metrics:read' }))).toMatchObject({
      scopes: ['metrics:read'],
    });
  });
  test.each(['jwt', 'static', 'anonymous'])('%s needs the service account at the start', (auth) => {
    const settings = { auth, keysFile, jwtSecret: SECRET, ...ISSUER };
    expect(() => identifier(settings)).toThrow(/GRAFANA_SERVICE_ACCOUNT_TOKEN/);
  });
});

test("the service account's file is read again on change and on a 401; an empty one is no new token", async () => {
  const grafanaTokenFile = file('token', 'glsa_fake_one\n');
  const caller = serviceCaller(settingsSchema.parse({ grafanaTokenFile }));
  expect(await caller?.headers()).toEqual({ authorization: 'Bearer glsa_fake_one' });
  expect(await caller?.renew?.()).toBe(false);
  file('token', '');
  expect(await caller?.renew?.()).toBe(false);
  file('token', 'glsa_fake_two');
  expect(await caller?.renew?.()).toBe(true);
  expect(await caller?.headers()).toEqual({ authorization: 'Bearer glsa_fake_two' });
  expect(serviceCaller(settingsSchema.parse({}))).toBeUndefined();
});

function jwkOf(publicKey: string): { n?: string; e?: string } {
  return createPublicKey(publicKey).export({ format: 'jwk' });
}

function pemOf({ publicKey, privateKey }: KeyPairKeyObjectResult) {
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
