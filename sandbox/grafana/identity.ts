import { charsetJson, type GrafanaAnswer, type GrafanaRequest } from './answer.ts';
import type { Flavour } from './flavours.ts';
import { type ServiceAccount, wellFormed } from './tokens.ts';
import type { World } from './world.ts';

/** Why a credential is refused: the broker's id and words (since 10), and the body of the versions before it. */
const REFUSALS = {
  none: ['auth.unauthorized', 'Unauthorized', { message: 'Unauthorized' }],
  invalid: ['api-key.invalid', 'Invalid API key', { message: 'invalid API key', traceID: '' }],
  expired: ['api-key.expired', 'Expired API key', { message: 'Expired API key' }],
  revoked: ['api-key.revoked', 'Revoked API key', { message: 'Revoked token' }],
  disabled: ['identity.disabled', 'Unauthorized', { message: 'Service account is disabled' }],
  password: [
    'password-auth.failed',
    'Invalid username or password',
    { message: 'invalid username or password', traceID: '' },
  ],
  // Only versions that have the broker refuse it.
  otherOrg: [
    'api-key.organization-mismatch',
    'API key does not belong to the requested organization',
    { message: 'Unauthorized' },
  ],
} as const;

/** Who asks, or the refusal, as this Grafana words it. */
export function authenticate(
  request: GrafanaRequest,
  { accounts, flavour }: Pick<World, 'accounts' | 'flavour'>,
): { account: ServiceAccount } | { refusal: GrafanaAnswer } {
  const credential = credentialOf(request.headers.authorization);
  if (typeof credential !== 'string') return { refusal: refuse(flavour, credential.is) };
  const account = wellFormed(credential) ? accounts.find((a) => a.token === credential) : undefined;
  if (!account) return { refusal: refuse(flavour, 'invalid') };
  if (account.state !== 'valid') return { refusal: refuse(flavour, account.state) };
  const org = request.headers['x-grafana-org-id'] ?? request.query.get('targetOrgId') ?? '1';
  if (flavour.refusesOtherOrg && org !== '1') return { refusal: refuse(flavour, 'otherOrg') };
  return { account };
}

/** The token: as Bearer, or as the password of the user `api_key`. Other users there are none. */
function credentialOf(header = ''): string | { is: 'none' | 'password' } {
  const bearer = /^Bearer\s+(.+)$/i.exec(header)?.[1];
  if (bearer !== undefined) return bearer.trim();
  const basic = /^Basic\s+(.+)$/i.exec(header)?.[1];
  if (basic === undefined) return { is: 'none' };
  const pair = Buffer.from(basic, 'base64').toString();
  return pair.startsWith('api_key:') ? pair.slice('api_key:'.length) : { is: 'password' };
}

function refuse({ messageIds, extra, wrongPassword }: Flavour, why: keyof typeof REFUSALS): GrafanaAnswer {
  const [messageId, message, before] = REFUSALS[why];
  const statusCode = why === 'password' ? wrongPassword : 401;
  if (!messageIds) return charsetJson(statusCode, before);
  return charsetJson(statusCode, { ...(extra && { extra: null }), message, messageId, statusCode, traceID: '' });
}
