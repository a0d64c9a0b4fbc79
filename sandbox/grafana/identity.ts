import { charsetJson, type GrafanaAnswer, type GrafanaRequest } from './answer.ts';
import type { Flavour } from './flavours.ts';
import { type ServiceAccount, wellFormed } from './tokens.ts';
import type { World } from './world.ts';

/** Who asks, or the refusal, as this Grafana words it. */
export function authenticate(
  request: GrafanaRequest,
  { accounts, flavour }: Pick<World, 'accounts' | 'flavour'>,
): { account: ServiceAccount } | { refusal: GrafanaAnswer } {
  const unauthorized = (messageId: string, message: string, old = message) =>
    charsetJson(401, refusal(flavour, messageId, message, old));
  const token = tokenOf(request.headers.authorization);
  if (token === undefined) return { refusal: unauthorized('auth.unauthorized', 'Unauthorized') };
  const account = wellFormed(token) ? accounts.find((a) => a.token === token) : undefined;
  if (!account) return { refusal: unauthorized('api-key.invalid', 'Invalid API key', 'invalid API key') };
  if (account.state === 'expired') return { refusal: unauthorized('api-key.expired', 'Expired API key') };
  if (account.state === 'revoked')
    return { refusal: unauthorized('api-key.revoked', 'Revoked API key', 'Revoked token') };
  const org = request.headers['x-grafana-org-id'];
  if (flavour.refusesOtherOrg && org !== undefined && org !== '1') {
    const text = 'API key does not belong to the requested organization';
    return { refusal: unauthorized('api-key.organization-mismatch', text) };
  }
  return { account };
}

/** Bearer, or basic with the user `api_key`. */
function tokenOf(header: string | undefined): string | undefined {
  const bearer = /^Bearer\s+(.+)$/i.exec(header ?? '')?.[1];
  if (bearer) return bearer.trim();
  const basic = /^Basic\s+(.+)$/i.exec(header ?? '')?.[1];
  const pair = basic === undefined ? '' : Buffer.from(basic, 'base64').toString();
  return pair.startsWith('api_key:') ? pair.slice('api_key:'.length) : undefined;
}

function refusal({ messageIds, extra }: Flavour, messageId: string, message: string, old: string) {
  if (!messageIds) return { message: old, traceID: '' };
  return { ...(extra && { extra: null }), message, messageId, statusCode: 401, traceID: '' };
}
