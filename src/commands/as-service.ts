import { randomUUID } from 'node:crypto';
import type { Settings } from '../config/schema.ts';
import type { Caller } from '../identity.ts';
import type { Call } from '../mcp/call.ts';

/** A call by whoever started the process, with the default scopes. */
export function shellCall(settings: Settings, caller: Caller, signal = new AbortController().signal): Call {
  return {
    identity: {
      kind: 'anonymous',
      principal: 'anonymous',
      subject: 'shell',
      scopes: new Set(settings.defaultScopes),
      caller,
    },
    signal,
    requestId: randomUUID(),
  };
}

/** For what only lists the catalogue: nothing may be asked of Grafana in its name. */
export const NOBODY: Caller = { cacheKey: '', headers: async () => ({}) };
