import type { Call } from './call.ts';
import type { ToolContext } from './define.ts';
import type { Runtime } from './runtime.ts';

/** One request bound to its caller, its signal and one instant. `noteDatasource` hears which datasource is asked. */
export function openContext(runtime: Runtime, call: Call, noteDatasource?: (uid: string) => void): ToolContext {
  const { identity, signal, requestId, traceparent, forwarded } = call;
  return {
    call,
    upstream: runtime.grafana.for({
      caller: identity.caller,
      signal,
      requestId,
      ...(traceparent === undefined ? {} : { traceparent }),
      ...(forwarded === undefined ? {} : { forwarded }),
    }),
    now: (runtime.now ?? Date.now)(),
    settings: runtime.settings,
    ...(noteDatasource === undefined ? {} : { noteDatasource }),
  };
}
