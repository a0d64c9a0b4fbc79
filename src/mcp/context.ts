import type { Call } from './call.ts';
import type { Tool, ToolContext } from './define.ts';
import type { Runtime } from './runtime.ts';

/** May this caller see the tool? */
export function isVisible(tool: Tool, call: Call): boolean {
  const { scopes } = call.identity;
  return tool.scopes.length === 0 ? scopes.size > 0 : tool.scopes.some((scope) => scopes.has(scope));
}

/** One request bound to its caller, its signal and one instant. `noteDatasource` hears which datasource is asked. */
export function openContext(
  runtime: Runtime,
  tools: readonly Tool[],
  call: Call,
  noteDatasource?: (uid: string) => void,
): ToolContext {
  const { identity, signal, requestId, traceparent, forwarded, scanned: session } = call;
  const scanned = { bytes: 0, ...(session === undefined ? {} : { session }) };
  return {
    call,
    upstream: runtime.grafana.for({
      caller: identity.caller,
      signal,
      requestId,
      ...(traceparent === undefined ? {} : { traceparent }),
      ...(forwarded === undefined ? {} : { forwarded }),
      onScan: (bytes) => {
        scanned.bytes += bytes;
        if (session !== undefined) session.bytes += bytes;
      },
    }),
    scanned,
    now: (runtime.now ?? Date.now)(),
    settings: runtime.settings,
    offers: (name) => tools.some((tool) => tool.name === name && isVisible(tool, call)),
    ...(noteDatasource === undefined ? {} : { noteDatasource }),
  };
}
