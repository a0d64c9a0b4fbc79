import { X509Certificate } from 'node:crypto';
import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { ConfigError } from './error.ts';
import { errorCode } from './file.ts';
import type { Settings } from './schema.ts';
import { SETTINGS, type SettingKey, settingName } from './table.ts';

/** What only several settings together, or the files they name, can show. Throws ConfigError; returns warnings. */
export function checkSettings(settings: Settings, whereOf: (key: SettingKey) => string | undefined): string[] {
  const has = (key: SettingKey) => settings[key] !== undefined;
  const name = (key: SettingKey) => whereOf(key) ?? settingName(key);
  const warnings: string[] = [];

  for (const row of SETTINGS) {
    const path = settings[row.key];
    if (row.path && typeof path === 'string') checkFile(path, name(row.key));
  }
  for (const [a, b] of pairs) {
    if (has(a) !== has(b)) {
      const [set, missing] = has(a) ? [a, b] : [b, a];
      throw new ConfigError(`${name(set)} needs ${settingName(missing)} as well.`);
    }
  }
  for (const group of alternatives) {
    const set = group.filter(has);
    if (set.length > 1) throw tooMany(set, name);
  }
  if (settings.grafanaCaFile !== undefined) checkCertificates(settings.grafanaCaFile, name('grafanaCaFile'));
  checkToken(settings, name);
  checkSecret(settings, name);
  checkAuth(settings, name, warnings);
  if (!isZone(settings.timezone)) {
    throw new ConfigError(`${name('timezone')} must be a zone such as UTC or Europe/Berlin.`);
  }
  if (settings.upstreamIdentity === 'jwt' && !has('upstreamJwtKeyFile')) {
    throw new ConfigError(`${name('upstreamIdentity')} jwt needs ${settingName('upstreamJwtKeyFile')}.`);
  }
  if (settings.mask === 'off') warnings.push('Masking is off: secrets in logs and labels reach the model as they are.');
  if (settings.grafanaInsecure) warnings.push("Grafana's certificate is not verified (--grafana-insecure).");
  return warnings;
}

const pairs: [SettingKey, SettingKey][] = [
  ['tlsCertFile', 'tlsKeyFile'],
  ['grafanaCertFile', 'grafanaKeyFile'],
];
const jwtKeys: SettingKey[] = ['jwtSecret', 'jwtSecretFile', 'jwtKeyFile', 'jwtJwksUrl'];
const alternatives: SettingKey[][] = [jwtKeys, ['grafanaToken', 'grafanaTokenFile', 'grafanaAuthorization']];

/** Bytes of an HMAC secret. */
const MIN_SECRET = 32;

/** The header made of a user and password is no setting that anybody wrote: the address is. */
function tooMany(set: SettingKey[], name: (key: SettingKey) => string): ConfigError {
  const written = set.filter((key) => key !== 'grafanaAuthorization').map(name);
  const all = written.join(' and ');
  if (written.length === set.length) return new ConfigError(`Set only one of ${all}.`);
  const are = written.length > 1 ? 'are' : 'is';
  return new ConfigError(`${name('grafanaUrl')} holds a user and password, and ${all} ${are} set: keep one of them.`);
}

/** Throws ConfigError when the file cannot be read. */
export function checkFile(path: string, where: string): void {
  try {
    accessSync(path, constants.R_OK);
    if (statSync(path).isDirectory()) throw Object.assign(new Error(), { code: 'a directory' });
  } catch (error) {
    throw new ConfigError(`${where} names ${path}, which cannot be read (${errorCode(error)}).`);
  }
}

/** Node passes over what is no certificate in a CA file, and then trusts nobody: the fault would show as Grafana's. */
function checkCertificates(path: string, where: string): void {
  const begin = /(?=-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----)/;
  const parts = readFileSync(path, 'utf8')
    .split(begin)
    .filter((part) => part.search(begin) === 0);
  if (parts.length === 0) {
    throw new ConfigError(
      `${where} names ${path}, which holds no certificate in PEM form (-----BEGIN CERTIFICATE-----).`,
    );
  }
  const broken = parts.findIndex((part) => !isCertificate(part));
  if (broken >= 0) {
    throw new ConfigError(`${where} names ${path}, whose certificate ${broken + 1} of ${parts.length} cannot be read.`);
  }
}

function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem);
    return true;
  } catch {
    return false;
  }
}

/** A token goes into a header: one line of visible ASCII. Its value is never repeated, only its length is told. */
function checkToken(settings: Settings, name: (key: SettingKey) => string): void {
  const file = settings.grafanaTokenFile;
  const where = name(file === undefined ? 'grafanaToken' : 'grafanaTokenFile');
  const token = file === undefined ? settings.grafanaToken : readFileSync(file, 'utf8').trim();
  if (token === undefined) return;
  if (token === '') throw new ConfigError(`${where} names ${file}, which is empty.`);
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new ConfigError(
      `${where} holds ${token.length} characters with spaces, line breaks or letters that no token has: give the bare token, without "Bearer".`,
    );
  }
}

/** Whoever holds one token can try secrets at home: RFC 7518 §3.2 wants as many bits as the hash has, 256 and more. */
function checkSecret(settings: Settings, name: (key: SettingKey) => string): void {
  const file = settings.jwtSecretFile;
  const secret = file === undefined ? settings.jwtSecret : readFileSync(file, 'utf8').trim();
  if (secret === undefined) return;
  const bytes = Buffer.byteLength(secret);
  if (bytes >= MIN_SECRET) return;
  const where = file === undefined ? name('jwtSecret') : `${name('jwtSecretFile')} names ${file}, which`;
  throw new ConfigError(
    `${where} holds ${bytes} bytes; an HMAC secret needs at least ${MIN_SECRET} (RFC 7518). Make one with: openssl rand -base64 48`,
  );
}

function checkAuth(settings: Settings, name: (key: SettingKey) => string, warnings: string[]): void {
  const auth = settings.auth ?? [];
  if (settings.auth?.length === 0) throw new ConfigError(`${name('auth')} must name at least one kind.`);
  const jwtKey = jwtKeys.find((key) => settings[key] !== undefined);
  if (auth.includes('jwt')) {
    for (const key of ['jwtIssuer', 'jwtAudience'] as const) {
      if (settings[key] === undefined) throw new ConfigError(`${name('auth')} jwt needs ${settingName(key)}.`);
    }
    if (jwtKey === undefined) {
      throw new ConfigError(
        `${name('auth')} jwt needs a key: --jwt-secret-file, --jwt-key-file, --jwt-jwks-url or GATEWAY_JWT_SECRET.`,
      );
    }
  } else if (jwtKey !== undefined) {
    warnings.push(`${name(jwtKey)} has no effect: --auth does not name jwt.`);
  }
  if (auth.includes('static')) {
    if (settings.keysFile === undefined) throw new ConfigError(`${name('auth')} static needs --keys-file.`);
  } else if (settings.keysFile !== undefined) {
    warnings.push(`${name('keysFile')} has no effect: --auth does not name static.`);
  }
}

function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
