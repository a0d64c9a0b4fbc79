import { maskJson } from '../answer/mask-json.ts';
import { type Fault, GatewayError } from '../errors.ts';
import type { ToolContext } from '../mcp/define.ts';

/** What every JSON body carries. `age_seconds` is how long ago the oldest part of it was read from Grafana. */
export interface BodyFacts {
  uri: string;
  /** Who says so, as people know it. */
  source: string;
  ageMs: number;
}

/** A body with the uniform metadata, masked: contents of one resource. */
export function jsonContents(facts: BodyFacts, body: Record<string, unknown>, ctx: ToolContext) {
  const { value, masked } = maskJson(body, ctx.settings.mask);
  const whole = {
    ...value,
    uri: facts.uri,
    source: facts.source,
    generated_at: new Date(ctx.now).toISOString(),
    age_seconds: Math.round(facts.ageMs / 1000),
    ...(masked > 0 ? { masked } : {}),
  };
  return { contents: [{ uri: facts.uri, mimeType: 'application/json', text: JSON.stringify(whole) }] };
}

/** Why a part of a body is missing, and the hop that is to blame. */
interface Missing {
  fault: string;
  hop: Fault;
}

/** A part of a body that may be missing: the value, or why not. Waits a few seconds at most; `from` is whom it waits for. */
export async function part<T>(work: Promise<T>, from: Fault = 'grafana', ms = 5_000): Promise<{ value: T } | Missing> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Missing>((resolve) => {
    timer = setTimeout(() => resolve({ fault: `No answer within ${ms / 1000} s.`, hop: from }), ms);
  });
  const done = work.then(
    (value) => ({ value }),
    (error: unknown) => {
      if (error instanceof GatewayError && error.code !== 'cancelled')
        return { fault: error.message, hop: error.fault };
      throw error;
    },
  );
  // After the time is up nobody looks at it any more.
  done.catch(() => {});
  try {
    return await Promise.race([done, late]);
  } finally {
    clearTimeout(timer);
  }
}
