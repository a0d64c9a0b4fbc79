import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { GatewayError } from '../errors.ts';
import { type Parts, perform } from './request.ts';

/** How long an answer of /api/health stands, ms: readiness probes come every few seconds. */
const GOOD_FOR = 5_000;
/** Readiness must answer sooner than a query may take. */
const DEADLINE = 5_000;

export interface Ping {
  ok: boolean;
  version?: string;
  detail: string;
}

const health = z.looseObject({ database: z.string().optional(), version: z.string().optional() });

/** GET /api/health without identity, cached; concurrent probes share one request. Never throws. */
export function createPing(parts: Parts, onAttempt: () => void): () => Promise<Ping> {
  const settings = { ...parts.settings, upstreamTimeout: Math.min(DEADLINE, parts.settings.upstreamTimeout) };
  let last: { at: number; ping: Promise<Ping> } | undefined;

  async function probe(): Promise<Ping> {
    try {
      const answer = await perform(
        { ...parts, settings },
        { path: '/api/health', accept: [503] },
        { signal: new AbortController().signal, headers: { requestId: randomUUID(), forwarded: {} }, onAttempt },
      );
      return readHealth(answer.text);
    } catch (error) {
      return { ok: false, detail: error instanceof GatewayError ? error.message : 'Grafana could not be asked.' };
    }
  }

  return () => {
    if (last === undefined || Date.now() - last.at > GOOD_FOR) last = { at: Date.now(), ping: probe() };
    return last.ping;
  };
}

function readHealth(text: string): Ping {
  let parsed: z.infer<typeof health>;
  try {
    parsed = health.parse(JSON.parse(text));
  } catch {
    return { ok: false, detail: "The answer of /api/health is not Grafana's." };
  }
  const version = parsed.version ? { version: parsed.version } : {};
  if (parsed.database === 'ok') return { ok: true, ...version, detail: 'Grafana answers.' };
  return { ok: false, ...version, detail: 'Grafana answers, but its database does not.' };
}
