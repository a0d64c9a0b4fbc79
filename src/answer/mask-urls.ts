import { MARK_START, mark } from './mask-mark.ts';

const MAX_USERINFO = 512;
const GO_DSN = /(?<![\w.-])[\w.-]{1,64}:([^\s@:"'/]{1,128})@(?=(?:tcp|unix)\()/g;

/** `scheme://user:password@host` keeps the user; `scheme://longtoken@host` loses the token. Also Go's `user:password@tcp(…)`. */
export function maskUrlCredentials(text: string, counts: Map<string, number>): string {
  let out = '';
  let at = 0;
  for (let colon = text.indexOf('://'); colon !== -1; colon = text.indexOf('://', colon + 3)) {
    const secret = userinfoSecret(text, colon + 3);
    if (secret === undefined || secret.from < at) continue;
    out += text.slice(at, secret.from) + mark(secret.kind, counts);
    at = secret.to;
  }
  out += text.slice(at);
  if (!out.includes('@tcp(') && !out.includes('@unix(')) return out;
  return out.replace(GO_DSN, (all: string, password: string) =>
    password.startsWith(MARK_START) ? all : `${all.slice(0, -password.length - 1)}${mark('password', counts)}@`,
  );
}

function userinfoSecret(text: string, from: number): { from: number; to: number; kind: string } | undefined {
  const limit = Math.min(text.length, from + MAX_USERINFO);
  let colon = -1;
  let sign = -1;
  for (let i = from; i < limit; i++) {
    const c = text[i] ?? '';
    // The colon of a mark is none of the userinfo's.
    if (c === '[' && text.startsWith(MARK_START, i)) {
      i += MARK_START.length - 1;
      continue;
    }
    if (c === '@') sign = i;
    else if (c === ':' && colon === -1) colon = i;
    else if (c <= ' ' || c === '"' || c === "'" || c === '<' || c === '>' || c === '`' || c === '\\') break;
    else if ((c === '/' || c === '?' || c === '#') && endsAuthority(text, colon, i, sign)) break;
  }
  if (sign === -1) return undefined;
  if (colon !== -1 && colon < sign) {
    const empty = colon + 1 === sign || text.startsWith(MARK_START, colon + 1);
    return empty ? undefined : { from: colon + 1, to: sign, kind: 'password' };
  }
  const user = text.slice(from, sign);
  return /^[\w~.+-]{20,}$/.test(user) && /\d/.test(user) ? { from, to: sign, kind: 'token' } : undefined;
}

/** A slash ends the authority, but not in a sloppy `user:pa/ss@host`, where what follows the colon is no port. */
function endsAuthority(text: string, colon: number, at: number, sign: number): boolean {
  if (colon === -1 || sign > colon) return true;
  return at === colon + 1 || (at - colon <= 6 && /^\d+$/.test(text.slice(colon + 1, at)));
}
