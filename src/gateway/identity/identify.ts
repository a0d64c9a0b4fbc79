import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import { effectiveAuth } from '../../config/auth.ts';
import { ConfigError } from '../../config/error.ts';
import type { Settings } from '../../config/schema.ts';
import type { GrafanaClient } from '../../grafana/client.ts';
import type { Identity } from '../../identity.ts';
import { forwardedHeaders } from '../call-info.ts';
import { readBearer } from './bearer.ts';
import { createGrafanaTokens } from './grafana-token.ts';
import { createJwt } from './jwt.ts';
import { Refusal } from './refusal.ts';
import { serviceCaller } from './service.ts';
import { createStaticKeys } from './static-key.ts';

export type Identify = (headers: IncomingHttpHeaders) => Promise<Identity>;

/** One reader of credentials for all kinds that --auth allows. Throws ConfigError; what it returns throws Refusal. */
export function createIdentify(settings: Settings, grafana: GrafanaClient, log: Logger): Identify {
  const kinds = effectiveAuth(settings);
  const service = serviceCaller(settings);
  const needed = (kind: string) => {
    if (service !== undefined) return service;
    throw new ConfigError(`--auth ${kind} needs the gateway's own service account: set GRAFANA_SERVICE_ACCOUNT_TOKEN.`);
  };
  const ownUpstream = settings.upstreamIdentity === 'jwt';
  const byJwt = kinds.includes('jwt') ? createJwt(settings, ownUpstream ? service : needed('jwt'), log) : undefined;
  const byGrafana = kinds.includes('grafana') ? createGrafanaTokens(settings, grafana) : undefined;
  const byKey =
    kinds.includes('static') && settings.keysFile !== undefined
      ? createStaticKeys(settings.keysFile, needed('static'), log)
      : undefined;
  const nobody = kinds.includes('anonymous') ? anonymous(settings, needed('anonymous')) : undefined;

  async function recognise(token: string, headers: IncomingHttpHeaders): Promise<Identity> {
    const forwarded = () => forwardedHeaders(headers, settings.forwardHeaders);
    // A token's shape says which kind it claims to be; each is asked at most once, so that no error tells another's.
    if (byJwt && looksLikeJwt(token)) return await byJwt(token);
    if (byGrafana && looksLikeGrafana(token)) return await byGrafana(token, forwarded());
    if (byKey) return byKey(token);
    if (byGrafana) return await byGrafana(token, forwarded());
    throw new Refusal('invalid');
  }

  return async (headers) => {
    const token = readBearer(headers.authorization);
    if (token !== undefined) return narrowed(await recognise(token, headers), headers);
    if (nobody === undefined) throw new Refusal('missing');
    return narrowed(nobody, headers);
  };
}

function anonymous(settings: Settings, caller: Identity['caller']): Identity {
  return {
    kind: 'anonymous',
    principal: 'anonymous',
    subject: 'anonymous',
    scopes: new Set(settings.defaultScopes),
    caller,
  };
}

/** `X-Gateway-Scopes` may take scopes away for one request, never add any. */
function narrowed(identity: Identity, headers: IncomingHttpHeaders): Identity {
  const wanted = headers['x-gateway-scopes'];
  if (wanted === undefined) return identity;
  const names = String(wanted).split(/[ ,]+/);
  return { ...identity, scopes: new Set([...identity.scopes].filter((scope) => names.includes(scope))) };
}

function looksLikeJwt(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(token) && token.startsWith('eyJ');
}

/** Service-account tokens (`glsa_`), and the older API keys, which are base64 JSON (`{"k":…`). */
function looksLikeGrafana(token: string): boolean {
  return token.startsWith('glsa_') || token.startsWith('eyJrIjoi');
}
