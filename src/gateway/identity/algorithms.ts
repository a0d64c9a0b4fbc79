import type { KeyObject } from 'node:crypto';
import type { Algorithm } from 'jsonwebtoken';

export const HMAC: readonly Algorithm[] = ['HS256', 'HS384', 'HS512'];
const RSA: readonly Algorithm[] = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
const PSS: readonly Algorithm[] = ['PS256', 'PS384', 'PS512'];
const EC: Record<string, readonly Algorithm[]> = {
  prime256v1: ['ES256'],
  secp384r1: ['ES384'],
  secp521r1: ['ES512'],
};
/** All that a public key of any supported kind can verify. */
export const PUBLIC_KEY: readonly Algorithm[] = [...RSA, ...Object.values(EC).flat()];

/** What a public key can verify: its family (RFC 7518 §3.1); undefined for a kind that is not supported. */
export function algorithmsOf(key: KeyObject): readonly Algorithm[] | undefined {
  const kind = key.asymmetricKeyType;
  return kind === 'rsa' ? RSA : kind === 'rsa-pss' ? PSS : EC[key.asymmetricKeyDetails?.namedCurve ?? ''];
}
