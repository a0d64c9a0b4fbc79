import type { JsonAnswer } from '../answer/answer.ts';
import { decodePage, encodePage } from '../answer/page.ts';
import { GatewayError } from '../errors.ts';
import { defineTool } from '../mcp/define.ts';
import { RpcFault } from '../mcp/surface.ts';
import { readResource } from '../resources/surface.ts';

/** Characters of a text that travel as one entry, so that a long one can be cut and paged. */
const PIECE = 50;

export const readResourceTool = defineTool({
  name: 'read_resource',
  title: 'Read a resource',
  description:
    'Reads a resource by its URI, e.g. datasource:loki:<uid or name> or grafana:overview, as resources/read does. Use it when another answer names a URI.',
  scopes: [],
  group: 'objects',
  parameters: {
    uri: { type: 'string', required: true, description: 'URI, values raw or percent-encoded.' },
    cursor: { type: 'string', description: 'nextCursor of the answer before.' },
  },
  output: { uri: { type: 'string' }, kind: { type: 'string' } },
  async run({ uri, cursor }, ctx): Promise<JsonAnswer> {
    const binding = ['read_resource', uri];
    const from = cursor === undefined ? 0 : decodePage(cursor, binding);
    const body = await read(uri, ctx);
    const head = { uri: body.uri, kind: body.uri.split(':')[0] ?? '' };
    if (body.json !== undefined && from === 0) {
      // Small objects stay what they are; only one that does not fit is paged as text.
      const whole = { ...head, ...body.json };
      if (JSON.stringify(whole).length * 2.4 < ctx.settings.answerChars) return { entries: 0, structured: () => whole };
    }
    const pieces = piecesOf(body.text);
    const rest = pieces.slice(from);
    return {
      entries: rest.length,
      structured: (shown) => {
        const text = rest.slice(0, shown).join('');
        const paged = from + shown < pieces.length;
        // A cursor that does not move on would be followed for ever.
        const next = paged && shown > 0 ? { nextCursor: encodePage(from + shown, binding) } : {};
        const note = paged ? { note: `${text.length} characters of ${body.text.length}.` } : {};
        return { ...head, mimeType: body.mimeType, text, ...next, ...note };
      },
    };
  },
});

interface Body {
  uri: string;
  mimeType: string;
  text: string;
  json?: Record<string, unknown>;
}

async function read(uri: string, ctx: Parameters<typeof readResource>[1]): Promise<Body> {
  try {
    const { contents } = await readResource(uri, ctx);
    const [first] = contents;
    if (first === undefined || !('text' in first) || typeof first.text !== 'string') {
      throw new GatewayError('unknown_resource', 'The resource has no text.');
    }
    const mimeType = first.mimeType ?? 'text/plain';
    const json = mimeType === 'application/json' ? objectOf(first.text) : undefined;
    return { uri: first.uri, mimeType, text: first.text, ...(json === undefined ? {} : { json }) };
  } catch (error) {
    if (!(error instanceof RpcFault)) throw error;
    if (ctx.call.signal.aborted) throw new GatewayError('cancelled', 'The call was cancelled.');
    // For a model it is an argument to correct, or a hop that failed; not a fault of the protocol.
    throw error.cause instanceof GatewayError ? error.cause : new GatewayError('unknown_resource', error.message);
  }
}

function objectOf(text: string): Record<string, unknown> | undefined {
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

/** Never cut inside a surrogate pair. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    let to = Math.min(text.length, at + PIECE);
    const last = text.charCodeAt(to - 1);
    if (to < text.length && last >= 0xd800 && last <= 0xdbff) to++;
    pieces.push(text.slice(at, to));
    at = to;
  }
  return pieces;
}
