import { RpcFault } from '../mcp/surface.ts';

/** Every address that is served. Values are decoded. */
export type ResourceAddress = { kind: 'overview' } | { kind: 'datasource'; type: string; name: string };

export const OVERVIEW = 'grafana:overview';
export const DATASOURCE_TEMPLATE = 'datasource:{type}:{name}';

const LONGEST = 2048;

/** `name` may hold anything; it is encoded, so that the URI works in clients that accept nothing else. */
export function datasourceUri(type: string, name: string): string {
  return `datasource:${encodeURIComponent(type)}:${encodeURIComponent(name)}`;
}

/**
 * Reads a URI, raw or percent-encoded, decoding once. The name is all that follows the type, so it may hold colons and
 * slashes. Throws RpcFault: badParams for a malformed URI, notFound for a kind that does not exist.
 */
export function parseUri(uri: string): ResourceAddress {
  if (uri.length > LONGEST) throw new RpcFault('badParams', `The URI is longer than ${LONGEST} characters.`);
  checkCharacters(uri);
  if (uri === OVERVIEW) return { kind: 'overview' };
  const match = /^datasource:([^:/]*):(.*)$/su.exec(uri);
  if (match === null) {
    if (uri.startsWith('datasource:')) {
      throw new RpcFault('badParams', `A datasource's URI is ${DATASOURCE_TEMPLATE}, e.g. datasource:loki:my-loki.`);
    }
    throw unknown(uri);
  }
  const type = decode(match[1] ?? '');
  const name = decode(match[2] ?? '');
  if (!/^[A-Za-z0-9][\w.-]*$/.test(type))
    throw new RpcFault('badParams', 'The type in the URI is not that of a datasource plugin.');
  if (name.trim() === '') throw new RpcFault('badParams', 'The URI names no datasource: add its uid or name.');
  return { kind: 'datasource', type, name };
}

/** The protocol's answer to an address that nothing has. */
export function unknown(
  uri: string,
  hint = 'resources/list and resources/templates/list show what there is.',
): RpcFault {
  return new RpcFault('notFound', `There is no resource ${JSON.stringify(uri.slice(0, 200))}. ${hint}`);
}

/** Percent-decodes once. A percent sign that begins no escape is itself ("50% done"); a broken escape is refused. */
function decode(text: string): string {
  if (/%(?![0-9A-Fa-f]{2})[0-9A-Za-z]{2}/.test(text)) throw broken();
  let decoded: string;
  try {
    decoded = text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (escapes) => decodeURIComponent(escapes));
  } catch {
    throw broken();
  }
  checkCharacters(decoded);
  return decoded;
}

function checkCharacters(text: string): void {
  if (/[\u0000-\u001f\u007f]|\p{Surrogate}/u.test(text)) {
    throw new RpcFault('badParams', 'The URI holds control characters or halves of characters.');
  }
}

function broken(): RpcFault {
  return new RpcFault('badParams', 'The URI holds a broken percent escape; a percent sign is written %25.');
}
