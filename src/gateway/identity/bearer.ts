import { Refusal } from './refusal.ts';

/**
 * The token of an Authorization header (RFC 6750): scheme without regard to case, one or more spaces, exact token.
 * Undefined when there is no header; throws Refusal for any other form.
 */
export function readBearer(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const match = /^bearer +([\x21-\x7e]+) *$/i.exec(header);
  if (match?.[1] === undefined) throw new Refusal('invalid');
  return match[1];
}
