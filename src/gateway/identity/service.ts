import { ConfigError } from '../../config/error.ts';
import type { Settings } from '../../config/schema.ts';
import type { Caller } from '../../identity.ts';
import { watchFile } from './file.ts';
import { sha256 } from './hash.ts';

/** The gateway's own service account at Grafana, or undefined when it has none. A token file is read again on change. */
export function serviceCaller(settings: Settings): Caller | undefined {
  if (settings.grafanaTokenFile !== undefined) {
    const file = watchFile(settings.grafanaTokenFile, readToken, () => {});
    return {
      // A rotated token is the same account, so what was cached for it stands.
      cacheKey: sha256(`service-file:${settings.grafanaTokenFile}`),
      headers: async () => ({ authorization: `Bearer ${file.current()}` }),
      renew: async () => file.refresh(),
    };
  }
  const authorization =
    settings.grafanaToken === undefined ? settings.grafanaAuthorization : `Bearer ${settings.grafanaToken}`;
  return authorization === undefined ? undefined : fixedCaller(authorization);
}

/** A file that is empty for a moment, while it is written anew, is no new token. */
function readToken(text: string): string {
  const token = text.trim();
  if (token === '') throw new ConfigError("The file with the service account's token is empty.");
  return token;
}

/** A caller whose one credential never changes. `authorization` is the whole header value. */
export function fixedCaller(authorization: string): Caller {
  return { cacheKey: sha256(authorization), headers: async () => ({ authorization }) };
}
