import { pick, random } from '../data/random.ts';

export type Role = 'viewer' | 'editor' | 'admin' | 'limited';

export interface ServiceAccount {
  id: number;
  name: string;
  role: Role;
  token: string;
  state: 'valid' | 'expired' | 'revoked' | 'disabled';
}

/** One service account for each use in tests. Their tokens are FAKE: derived from the seed, valid nowhere else. */
export function serviceAccounts(seed: number): Record<TokenName, ServiceAccount> {
  const account = (id: number, name: TokenName): ServiceAccount => {
    const [role, state] = ACCOUNTS[name];
    return { id, name: `sa-${name}`, role, state, token: makeToken(seed, name) };
  };
  return {
    viewer: account(2, 'viewer'),
    editor: account(3, 'editor'),
    admin: account(4, 'admin'),
    other: account(5, 'other'),
    limited: account(6, 'limited'),
    expired: account(7, 'expired'),
    revoked: account(8, 'revoked'),
    disabled: account(9, 'disabled'),
  };
}

export type TokenName = 'viewer' | 'editor' | 'admin' | 'other' | 'limited' | 'expired' | 'revoked' | 'disabled';

/** `other` is a second viewer; `limited` is a viewer without datasources:read. */
const ACCOUNTS: Record<TokenName, [Role, ServiceAccount['state']]> = {
  viewer: ['viewer', 'valid'],
  editor: ['editor', 'valid'],
  admin: ['admin', 'valid'],
  other: ['viewer', 'valid'],
  limited: ['limited', 'valid'],
  expired: ['viewer', 'expired'],
  revoked: ['viewer', 'revoked'],
  disabled: ['viewer', 'disabled'],
};

/** `glsa_` + 32 letters and digits + `_` + checksum, as Grafana's satokengen makes it. */
export function makeToken(seed: number, name: string): string {
  const next = random(seed, 'fake token', name);
  const alphabet = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'];
  const secret = Array.from({ length: 32 }, () => pick(alphabet, next() * alphabet.length)).join('');
  return `glsa_${secret}_${checksum(`glsa_${secret}`)}`;
}

/** False for what Grafana refuses before it looks into its database. */
export function wellFormed(token: string): boolean {
  const m = /^(glsa_[A-Za-z0-9]{32})_([0-9a-f]{8})$/.exec(token);
  return m?.[1] !== undefined && checksum(m[1]) === m[2];
}

/** CRC-32 (IEEE), its bytes in little-endian order, as hex. */
function checksum(text: string): string {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE((crc ^ 0xffffffff) >>> 0);
  return bytes.toString('hex');
}
