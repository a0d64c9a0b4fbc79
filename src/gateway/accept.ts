import type { IncomingMessage } from 'node:http';

/**
 * Whether the client takes every one of these media types; wildcards and a missing Accept take all. The SDK looks for
 * the literal names in the raw headers, so they are put there.
 */
export function accepts(request: IncomingMessage, types: readonly string[]): boolean {
  const header = request.headers.accept ?? '*/*';
  const ranges = header.split(',').map((range) => range.split(';')[0]?.trim().toLowerCase() ?? '');
  const taken = (type: string) => ranges.some((range) => [type, `${type.split('/')[0]}/*`, '*/*'].includes(range));
  if (!types.every(taken)) return false;
  setHeader(request, 'accept', types.join(', '));
  return true;
}

function setHeader(request: IncomingMessage, name: string, value: string): void {
  request.headers[name] = value;
  const raw = request.rawHeaders;
  let found = false;
  for (let i = 0; i < raw.length; i += 2) {
    if (raw[i]?.toLowerCase() !== name) continue;
    raw[i + 1] = value;
    found = true;
  }
  if (!found) raw.push(name, value);
}
