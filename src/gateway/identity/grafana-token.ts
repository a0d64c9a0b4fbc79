import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Settings } from '../../config/schema.ts';
import { GatewayError } from '../../errors.ts';
import type { GrafanaClient } from '../../grafana/client.ts';
import { grafanaOrg } from '../../grafana/whoami.ts';
import type { Identity } from '../../identity.ts';
import { sha256 } from './hash.ts';
import { Refusal } from './refusal.ts';
import { fixedCaller } from './service.ts';

const GOOD_FOR = 60_000;
const BAD_FOR = 10_000;
/** Tokens whose verdict is remembered, by hash. */
const REMEMBERED = 5_000;
/** A check must end before a client gives up on connecting. */
const DEADLINE = 10_000;

type Verdict = 'good' | 'bad';

/**
 * A caller's own service-account token, checked with GET /api/org before first use and used upstream as it is.
 * `forwarded`: headers of the caller without which an auth proxy would not let the check through.
 */
export function createGrafanaTokens(
  settings: Settings,
  grafana: GrafanaClient,
): (token: string, forwarded: Record<string, string>) => Promise<Identity> {
  const verdicts = new LRUCache<string, Verdict>({ max: REMEMBERED });
  const running = new Map<string, Promise<Verdict>>();

  async function check(token: string, forwarded: Record<string, string>): Promise<Verdict> {
    try {
      await grafanaOrg(
        grafana.for({
          caller: fixedCaller(`Bearer ${token}`),
          signal: AbortSignal.timeout(DEADLINE),
          requestId: randomUUID(),
          forwarded,
        }),
      );
      return 'good';
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      // Forbidden is Grafana's word about this one path: whoever it forbids, it knows.
      if (error.code === 'grafana_forbidden') return 'good';
      if (error.code === 'grafana_refused') return 'bad';
      throw new Refusal('unavailable', error.message);
    }
  }

  async function verdictOn(token: string, forwarded: Record<string, string>): Promise<Verdict> {
    const key = sha256(JSON.stringify([token, forwarded]));
    const known = verdicts.get(key);
    if (known !== undefined) return known;
    const joined = running.get(key);
    if (joined !== undefined) return await joined;
    const fresh = check(token, forwarded)
      .then((verdict) => {
        verdicts.set(key, verdict, { ttl: verdict === 'good' ? GOOD_FOR : BAD_FOR });
        return verdict;
      })
      .finally(() => running.delete(key));
    running.set(key, fresh);
    return await fresh;
  }

  return async (token, forwarded) => {
    if ((await verdictOn(token, forwarded)) === 'bad') throw new Refusal('invalid');
    const digest = sha256(token);
    return {
      kind: 'grafana',
      principal: `grafana:${digest}`,
      subject: `grafana:${digest.slice(0, 12)}`,
      scopes: new Set(settings.defaultScopes),
      caller: fixedCaller(`Bearer ${token}`),
    };
  };
}
