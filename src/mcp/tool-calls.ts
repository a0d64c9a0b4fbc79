import { createHash } from 'node:crypto';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { type Edge, finish, finishError } from '../answer/edge.ts';
import { type ErrorCode, GatewayError } from '../errors.ts';
import { didYouMean } from '../nearest.ts';
import { isKnown, readArguments } from './arguments.ts';
import type { Call } from './call.ts';
import { isVisible, openContext } from './context.ts';
import type { Tool, ToolContext } from './define.ts';
import type { Runtime } from './runtime.ts';
import { RpcFault } from './surface.ts';

/** Below the ten seconds after which people and proxies believe a call dead. */
const PROGRESS_MS = 5_000;

/**
 * One call from arguments to the result on the wire: bounded, masked, audited. Throws RpcFault for a tool that does not
 * exist or that the caller may not see; everything else that goes wrong is an `isError` result.
 */
export async function callTool(
  runtime: Runtime,
  tools: readonly Tool[],
  name: string,
  args: Record<string, unknown>,
  call: Call,
): Promise<CallToolResult> {
  const visible = tools.filter((tool) => isVisible(tool, call));
  const tool = visible.find((one) => one.name === name);
  let datasource: string | undefined;
  const ctx = openContext(runtime, tools, call, (uid) => {
    datasource = uid;
  });
  const audit = (code: ErrorCode | undefined, result: CallToolResult | undefined) =>
    runtime.audit({
      time: new Date().toISOString(),
      requestId: call.requestId,
      subject: call.identity.subject,
      ...(call.sessionId === undefined ? {} : { session: call.sessionId }),
      // A name that nobody defined is free text of the caller, and may hold anything.
      tool: tool?.name ?? '(unknown)',
      args: [...new Set(Object.keys(args).map((key) => (tool && isKnown(key, tool.parameters) ? key : '(unknown)')))],
      argsHash: hashOf(args),
      ...(datasource === undefined ? {} : { datasource }),
      outcome: code === undefined ? 'ok' : 'error',
      ...(code === undefined ? {} : { code }),
      ms: Math.round(performance.now() - began),
      bytes: result === undefined ? 0 : Buffer.byteLength(JSON.stringify(result)),
      upstreamCalls: ctx.upstream.calls(),
    });
  const began = performance.now();
  if (tool === undefined) {
    audit('unknown_tool', undefined);
    throw new RpcFault('badParams', unknownTool(name.slice(0, 64), visible));
  }
  const { result, code } = await run(runtime, tool, args, ctx);
  audit(code, result);
  return result;
}

function unknownTool(name: string, visible: readonly Tool[]): string {
  const names = visible.map((one) => one.name);
  const longer = name.length > 3 ? names.find((one) => one.startsWith(name)) : undefined;
  return `There is no tool "${name}"${longer === undefined ? didYouMean(name, names) : `; did you mean ${longer}?`}`;
}

async function run(
  runtime: Runtime,
  tool: Tool,
  args: Record<string, unknown>,
  ctx: ToolContext,
): Promise<{ result: CallToolResult; code?: ErrorCode }> {
  const edge: Edge = { chars: runtime.settings.answerChars, mask: runtime.settings.mask };
  const stop = reportProgress(tool, ctx.call);
  try {
    const output = await untilAborted(tool.run(readArguments(tool.parameters, args), ctx), ctx.call.signal);
    const result = finish(output, edge);
    return { result };
  } catch (error) {
    const known = asGatewayError(error, ctx.call);
    if (known.code === 'internal') {
      runtime.log.error({ err: error, requestId: ctx.call.requestId, tool: tool.name }, 'a tool failed');
    }
    return { result: finishError(known, edge), code: known.code };
  } finally {
    stop();
  }
}

/** The last word of a call that is cut must not wait for a tool that is slow to let go. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    const cut = () => reject(new GatewayError('cancelled', 'The call was cancelled.'));
    if (signal.aborted) cut();
    else signal.addEventListener('abort', cut, { once: true });
  });
  return Promise.race([work, aborted]);
}

function asGatewayError(error: unknown, call: Call): GatewayError {
  const why: unknown = call.signal.reason;
  // Whatever broke with it, this is the cause.
  if (why instanceof GatewayError) return why;
  if (error instanceof GatewayError && error.code !== 'internal') return error;
  if (call.signal.aborted) return new GatewayError('cancelled', 'The call was cancelled.');
  // What was thrown may hold anything: only the log sees it.
  const what = error instanceof GatewayError ? error.message : 'The gateway failed in this call.';
  return new GatewayError('internal', `${what} The request id is ${call.requestId}.`);
}

/** Says that the call still runs, as long as it does. Seconds count up, as the protocol wants it. */
function reportProgress(tool: Tool, { progress, signal }: Call): () => void {
  if (progress === undefined) return () => {};
  const began = Date.now();
  const timer = setInterval(() => {
    if (signal.aborted) return;
    const seconds = Math.round((Date.now() - began) / 1000);
    progress(seconds, undefined, `${tool.name} has been running for ${seconds} s`).catch(() => {});
  }, PROGRESS_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function hashOf(args: Record<string, unknown>): string {
  return createHash('sha256').update(canonical(args)).digest('hex');
}

/** JSON with sorted keys: equal arguments give equal text. What is nested deeper than any argument is not told apart. */
function canonical(value: unknown, depth = 0): string {
  if (depth > 32) return '"…"';
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, depth + 1)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const pairs = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${pairs.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item, depth + 1)}`).join(',')}}`;
}
