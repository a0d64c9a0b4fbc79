import { charsetJson, type GrafanaAnswer, type GrafanaRequest } from './answer.ts';
import { type ServiceAccount, wellFormed } from './tokens.ts';

/** Who asks, or the refusal, as Grafana 10.1 words it. */
export function authenticate(
  request: GrafanaRequest,
  accounts: readonly ServiceAccount[],
): { account: ServiceAccount } | { refusal: GrafanaAnswer } {
  const token = tokenOf(request.headers.authorization);
  if (token === undefined) return { refusal: unauthorized('auth.unauthorized', 'Unauthorized') };
  const account = wellFormed(token) ? accounts.find((a) => a.token === token) : undefined;
  if (!account) return { refusal: unauthorized('api-key.invalid', 'Invalid API key') };
  if (account.state === 'expired') return { refusal: unauthorized('api-key.expired', 'Expired API key') };
  if (account.state === 'revoked') return { refusal: unauthorized('api-key.revoked', 'Revoked API key') };
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

function unauthorized(messageId: string, message: string): GrafanaAnswer {
  return charsetJson(401, { extra: null, message, messageId, statusCode: 401, traceID: '' });
}
