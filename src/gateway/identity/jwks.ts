import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { JwtHeader } from 'jsonwebtoken';
import { z } from 'zod';
import { algorithmsOf } from './algorithms.ts';

/** How long a set is used without asking again, ms. */
const FRESH_FOR = 10 * 60_000;
/** How long a set is used when its issuer cannot be asked, ms: an outage of a night, and not a key withdrawn for good. */
const STALE_FOR = 24 * 3_600_000;
/** Between two fetches for kids that the set does not have, and between two tries to renew a set in force, ms. */
const REFETCH_EVERY = 30_000;
/** Between two tries while there is no set, ms: each request that arrives would make one. */
const FIRST_EVERY = 1_000;
/** Of a whole fetch, ms. */
const DEADLINE = 5_000;
/** Of an answer, decompressed. A key is well below 2 KB, or 6 KB with its certificates. */
const MAX_BYTES = 512 * 1024;

interface SetKey {
  kid?: string | undefined;
  alg?: string | undefined;
  key: KeyObject;
}

/**
 * The keys of a JWKS address (RFC 7517), fetched as a set and kept as a set, so that what callers send cannot make the
 * gateway ask for each. Gives the key that may verify a token of this header, undefined when the set has none; throws
 * when there is no set to look in. `onFault` hears why a fetch brought none.
 */
export function openJwks(
  url: string,
  onFault: (error: unknown) => void,
): (header: JwtHeader) => Promise<KeyObject | undefined> {
  let set: { keys: readonly SetKey[]; at: number } | undefined;
  let running: Promise<void> | undefined;
  let fetches = 0;
  let failedAt = Number.NEGATIVE_INFINITY;
  let searchedAt = Number.NEGATIVE_INFINITY;

  function refetch(): Promise<void> {
    running ??= fetchSet(url)
      .then((keys) => {
        set = { keys, at: performance.now() };
      })
      .catch((error: unknown) => {
        failedAt = performance.now();
        onFault(error);
      })
      .finally(() => {
        fetches += 1;
        running = undefined;
      });
    return running;
  }
  const within = (limit: number) => (set !== undefined && performance.now() - set.at < limit ? set.keys : undefined);

  async function current(): Promise<readonly SetKey[]> {
    const fresh = within(FRESH_FOR);
    if (fresh !== undefined) return fresh;
    const stale = within(STALE_FOR);
    const pause = stale === undefined ? FIRST_EVERY : REFETCH_EVERY;
    if (running !== undefined || performance.now() - failedAt >= pause) {
      const renewed = refetch();
      // Only the first try to renew a set is worth a wait: an issuer that hangs would make all callers hang again and again.
      if (set === undefined || stale === undefined || failedAt < set.at) await renewed;
    }
    const usable = within(STALE_FOR);
    if (usable === undefined) throw new Error('There is no key set.');
    return usable;
  }

  /** A kid that the set lacks may be that of a key made since, or be invented: one fetch now and then serves for both. */
  async function search(keys: readonly SetKey[]): Promise<readonly SetKey[]> {
    if (running === undefined) {
      if (performance.now() - searchedAt < REFETCH_EVERY) return keys;
      searchedAt = performance.now();
    }
    await refetch();
    return set?.keys ?? keys;
  }

  return async ({ kid, alg }) => {
    const before = fetches;
    let keys = await current();
    if (kid !== undefined && before === fetches && !keys.some((key) => key.kid === kid)) keys = await search(keys);
    const suitable = keys.filter((key) => (kid === undefined || key.kid === kid) && maySign(key, alg));
    // Without a kid nothing says which of several is meant.
    return kid === undefined && suitable.length > 1 ? undefined : suitable[0]?.key;
  };
}

function maySign({ key, alg }: SetKey, wanted: string): boolean {
  return (alg === undefined || alg === wanted) && (algorithmsOf(key)?.some((name) => name === wanted) ?? false);
}

/** Throws when no whole set arrived in time. */
async function fetchSet(url: string): Promise<SetKey[]> {
  const response = await fetch(url, {
    headers: { accept: 'application/jwk-set+json, application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(DEADLINE),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`It answered ${response.status}.`);
  }
  return readSet(JSON.parse(await readText(response)));
}

async function readText(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const body: AsyncIterable<Uint8Array> | Uint8Array[] = response.body ?? [];
  for await (const part of body) {
    length += part.length;
    if (length > MAX_BYTES) throw new Error(`It answered more than ${MAX_BYTES} bytes.`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

// RFC 7517 §4 and §5: what cannot be understood is no reason to refuse its neighbours. A private key is not kept: who
// publishes one has lost it.
const common = {
  kid: z.string().optional(),
  alg: z.string().optional(),
  use: z.literal('sig').optional(),
  key_ops: z
    .array(z.string())
    .refine((ops) => ops.includes('verify'))
    .optional(),
  d: z.never().optional(),
};
const jwkSchema = z.discriminatedUnion('kty', [
  z.object({ ...common, kty: z.literal('RSA'), n: z.string(), e: z.string() }),
  z.object({ ...common, kty: z.literal('EC'), crv: z.string(), x: z.string(), y: z.string() }),
]);
const setSchema = z.looseObject({ keys: z.array(z.unknown()) });

function readSet(json: unknown): SetKey[] {
  return setSchema.parse(json).keys.flatMap((member) => {
    const { data } = jwkSchema.safeParse(member);
    if (data === undefined) return [];
    const { kid, alg } = data;
    try {
      return [{ kid, alg, key: createPublicKey({ key: publicPart(data), format: 'jwk' }) }];
    } catch {
      return [];
    }
  });
}

function publicPart(data: z.output<typeof jwkSchema>): JsonWebKey {
  if (data.kty === 'RSA') return { kty: data.kty, n: data.n, e: data.e };
  return { kty: data.kty, crv: data.crv, x: data.x, y: data.y };
}
