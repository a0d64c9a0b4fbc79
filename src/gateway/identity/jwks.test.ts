import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import jwt from 'jsonwebtoken';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { settingsSchema } from '../../config/schema.ts';
import { fakeGrafana } from '../testing/front.ts';
import { createIdentify } from './identify.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;

const pair = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const [one, two] = [pair(), pair()];
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwk = (key: KeyObject, more: object = {}) => ({ ...key.export({ format: 'jwk' }), ...more });
const ONE = jwk(one.publicKey, { kid: 'one' });
const TWO = jwk(two.publicKey, { kid: 'two' });

/** The identity provider: what it answers, and how often it was asked. */
let answer: (response: ServerResponse) => void;
let fetched = 0;
let server: Server;
let url = '';
const keys = (...set: object[]) => {
  answer = (response) => void response.end(JSON.stringify({ keys: set }));
};
const down = () => {
  answer = (response) => void response.writeHead(500).end('{}');
};

/** Time that has passed besides the real one, ms. */
let passed = 0;

beforeEach(async () => {
  fetched = 0;
  passed = 0;
  const real = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => real() + passed);
  server = createServer((_request, response) => {
    fetched += 1;
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`;
});
afterEach(async () => {
  vi.restoreAllMocks();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function gateway() {
  const settings = settingsSchema.parse({
    grafanaUrl: 'http://grafana.test',
    grafanaToken: 'glsa_fake_service',
    auth: 'jwt',
    jwtIssuer: 'i',
    jwtAudience: 'a',
    jwtJwksUrl: url,
  });
  const identify = createIdentify(
    settings,
    fakeGrafana([], () => true),
    pino({ level: 'silent' }),
  );
  return async (token: string): Promise<string> =>
    await identify({ authorization: `Bearer ${token}` }).then(
      (identity) => identity.subject,
      (refusal: { kind?: string }) => refusal.kind ?? String(refusal),
    );
}

interface Header {
  kid?: string;
  alg?: jwt.Algorithm;
  crit?: string[];
}
function token(key: KeyObject, { alg = 'RS256', ...header }: Header = {}): string {
  const exp = Math.floor(Date.now() / 1000) + 600;
  return jwt.sign({ iss: 'i', aud: 'a', sub: 'anna', exp }, key, { algorithm: alg, header: { alg, ...header } });
}
const byOne = (header: Header = {}) => token(one.privateKey, { kid: 'one', ...header });
const byTwo = (header: Header = {}) => token(two.privateKey, { kid: 'two', ...header });

describe('the set is fetched whole, and seldom', () => {
  test('once for all its keys and all who need it at once; anew after ten minutes', async () => {
    keys(ONE, TWO);
    const ask = gateway();
    const all = await Promise.all(Array.from({ length: 20 }, (_, i) => ask(i % 2 ? byOne() : byTwo())));
    expect([new Set(all), fetched]).toEqual([new Set(['anna']), 1]);
    passed += 599 * SECOND;
    await ask(byOne());
    expect(fetched).toBe(1);
    keys(TWO);
    passed += 2 * SECOND;
    expect(await ask(byTwo())).toBe('anna');
    expect(await ask(byOne())).toBe('invalid');
  });

  test('invented kids cause one fetch in thirty seconds, and cost no genuine key its place', async () => {
    keys(ONE);
    const ask = gateway();
    await ask(byOne());
    for (let i = 0; i < 30; i++) expect(await ask(byOne({ kid: `invented-${i}` }))).toBe('invalid');
    const many = Array.from({ length: 30 }, (_, i) => ask(byOne({ kid: `more-${i}` })));
    expect(new Set(await Promise.all(many))).toEqual(new Set(['invalid']));
    expect(await ask(byOne())).toBe('anna');
    expect(fetched).toBe(2);
    passed += 31 * SECOND;
    await ask(byOne({ kid: 'invented' }));
    expect(fetched).toBe(3);
  });

  test('an invented kid that comes first fetches once, not twice', async () => {
    keys(ONE);
    const ask = gateway();
    const many = Array.from({ length: 10 }, (_, i) => ask(byOne({ kid: `invented-${i}` })));
    expect(new Set(await Promise.all(many))).toEqual(new Set(['invalid']));
    expect(fetched).toBe(1);
  });

  test('a rotated key is found at once, or after thirty seconds at the latest', async () => {
    keys(ONE);
    const ask = gateway();
    await ask(byOne());
    keys(ONE, TWO);
    expect(await ask(byTwo())).toBe('anna');
    const three = pair();
    keys(jwk(three.publicKey, { kid: 'three' }));
    const byThree = token(three.privateKey, { kid: 'three' });
    expect(await ask(byThree)).toBe('invalid');
    passed += 31 * SECOND;
    expect(await ask(byThree)).toBe('anna');
    expect(await ask(byOne())).toBe('invalid');
  });
});

describe('an identity provider that fails', () => {
  test('is told when there never was a set, and asked again a second later', async () => {
    down();
    const ask = gateway();
    expect(await ask(byOne())).toBe('unavailable');
    for (let i = 0; i < 5; i++) expect(await ask(byOne())).toBe('unavailable');
    expect(fetched).toBe(1);
    keys(ONE);
    passed += 1.1 * SECOND;
    expect(await ask(byOne())).toBe('anna');
  });

  test('leaves the old set in force for a day; unknown kids are invalid even then', async () => {
    keys(ONE);
    const ask = gateway();
    await ask(byOne());
    down();
    passed += HOUR;
    for (let i = 0; i < 5; i++) expect(await ask(byOne())).toBe('anna');
    for (let i = 0; i < 5; i++) expect(await ask(byTwo())).toBe('invalid');
    expect(fetched).toBeLessThanOrEqual(3);
    passed += 22 * HOUR;
    expect(await ask(byOne())).toBe('anna');
    passed += 2 * HOUR;
    expect(await ask(byOne())).toBe('unavailable');
    keys(TWO);
    passed += 2 * SECOND;
    expect([await ask(byTwo()), await ask(byOne())]).toEqual(['anna', 'invalid']);
  });

  test.each<[string, (response: ServerResponse) => void]>([
    ['no JSON', (response) => void response.end('<html>')],
    ['no set', (response) => void response.end('{"keys":{}}')],
    ['a redirect', (response) => void response.writeHead(302, { location: '/elsewhere' }).end()],
    ['more than 512 KB', (response) => void response.end(JSON.stringify({ keys: [ONE], pad: 'x'.repeat(600_000) }))],
    ['an end too early', (response) => void response.writeHead(200, { 'content-length': 9999 }).destroy()],
  ])('%s is no set', async (_what, wrong) => {
    answer = wrong;
    expect(await gateway()(byOne())).toBe('unavailable');
    keys(ONE);
    const ask = gateway();
    await ask(byOne());
    answer = wrong;
    passed += HOUR;
    expect(await ask(byOne())).toBe('anna');
  });

  test('is waited for five seconds in all, though it sends a byte now and then', async () => {
    answer = (response) => {
      const drip = setInterval(() => response.write(' '), 200);
      response.on('close', () => clearInterval(drip));
    };
    const start = Date.now();
    expect(await gateway()(byOne())).toBe('unavailable');
    expect(Date.now() - start).toBeLessThan(6000);
  }, 10_000);

  test('that hangs makes callers wait for it once, not at every try', async () => {
    keys(ONE);
    const ask = gateway();
    await ask(byOne());
    down();
    passed += HOUR;
    await ask(byOne());
    answer = () => {};
    passed += HOUR;
    const start = Date.now();
    expect([await ask(byOne()), await ask(byOne())]).toEqual(['anna', 'anna']);
    await vi.waitFor(() => expect(fetched).toBe(3));
    expect(Date.now() - start).toBeLessThan(2000);
  }, 10_000);

  test('a set without keys is a set: whoever takes all keys back is obeyed', async () => {
    keys(ONE);
    const ask = gateway();
    await ask(byOne());
    keys();
    passed += HOUR;
    expect(await ask(byOne())).toBe('invalid');
  });
});

describe('which key may verify which token', () => {
  const P = { alg: 'PS256' } as const;
  const E = { alg: 'ES256', kid: 'ec' } as const;
  const EC_KEY = jwk(ec.publicKey, { kid: 'ec' });
  test.each<[string, object[], string, string]>([
    ['no words of its own', [ONE], byOne(P), 'anna'],
    ['its own alg', [{ ...ONE, alg: 'PS256' }], byOne(P), 'anna'],
    ['another alg', [{ ...ONE, alg: 'RS256' }], byOne(P), 'invalid'],
    ['an alg of encryption', [{ ...ONE, alg: 'RSA-OAEP' }], byOne(), 'invalid'],
    ['use sig', [{ ...ONE, use: 'sig' }], byOne(), 'anna'],
    ['use enc', [{ ...ONE, use: 'enc' }], byOne(), 'invalid'],
    ['key_ops verify', [{ ...ONE, key_ops: ['verify'] }], byOne(), 'anna'],
    ['other key_ops', [{ ...ONE, key_ops: ['encrypt'] }], byOne(), 'invalid'],
    ['key_ops that are no list', [{ ...ONE, key_ops: 'verify' }], byOne(), 'invalid'],
    ['its private half', [{ ...jwk(one.privateKey), kid: 'one' }], byOne(), 'invalid'],
    ['the kid of another', [{ ...TWO, kid: 'one' }], byOne(), 'invalid'],
    ['a kid that two kinds of key share', [{ ...EC_KEY, kid: 'one' }, ONE], byOne(), 'anna'],
    ['a curve', [EC_KEY], token(ec.privateKey, E), 'anna'],
    ['a broken neighbour', [{ kty: 'RSA', n: 'AQAB' }, { kty: 'x' }, EC_KEY], token(ec.privateKey, E), 'anna'],
    ['crit in the token', [ONE], byOne({ crit: ['exp'] }), 'invalid'],
    ['an empty crit', [ONE], byOne({ crit: [] }), 'invalid'],
    ['no kid in the token, one key of its family', [EC_KEY, ONE], token(one.privateKey), 'anna'],
    ['no kid, another for encryption', [{ ...TWO, use: 'enc' }, ONE], token(one.privateKey), 'anna'],
    ['no kid anywhere', [jwk(one.publicKey)], token(one.privateKey), 'anna'],
    ['no kid in the token, two keys', [ONE, TWO], token(one.privateKey), 'invalid'],
    ['no kid in the key', [jwk(one.publicKey)], byOne(), 'invalid'],
    ['no key of the family', [EC_KEY], token(one.privateKey), 'invalid'],
  ])('%s', async (_what, set, sent, outcome) => {
    keys(...set);
    expect(await gateway()(sent)).toBe(outcome);
  });
});
