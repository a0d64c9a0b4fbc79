import { MARK_START, type Marks, mark } from './mask-mark.ts';

const MAX_USERINFO = 512;
const GO_DSN = /(?<![\w.-])[\w.-]{1,64}:([^\s@:"'/]{1,128})@(?=(?:tcp|unix)\()/g;
/** `user:password@host` without a scheme: the word, the password, the host and what follows it. */
const BARE_DSN =
  /(?<![\w.@/:%+\\-])([A-Za-z_][\w.-]{0,63}):([^\s@:"'`<>(){}[\],;=\\/]{1,128})@(?=([A-Za-z][\w.-]{0,252}|\d{1,3}(?:\.\d{1,3}){3})([:/(]?))/g;
/** What stands before a colon and an address of mail, and no user does. */
const LABEL =
  /^(?:to|from|cc|bcc|e?-?mail|user|users|user_?name|user_?id|login|account|owner|author|by|contact|sender|recipient|rcpt|reply-to|principal|subject|sub|upn|id|assignee|member|actor|client|customer)$/i;
const NO_USER = /^(?:mailto|sips?|xmpp|acct|npm|npx|yarn|pkg|workspace|git|ssh|https?)$/i;
const CURL_USER = /(?<![\w-])(?:-u|-U|--user|--proxy-user)[ \t=]{0,2}[\\"']{0,4}([^\s:"'\\]{1,64}):([^\s"'\\]{1,256})/g;
const ORACLE = /jdbc:oracle:(?:thin|oci8?):[^\s/@"']{1,64}\/([^\s@"']{1,128})@/gi;

/** `scheme://user:password@host` keeps the user; `scheme://longtoken@host` loses the token. Also without a scheme, behind curl's `-u`, and in Oracle's form. */
export function maskUrlCredentials(text: string, marks: Marks): string {
  let out = '';
  let at = 0;
  for (let slashes = text.indexOf('//'); slashes !== -1; slashes = text.indexOf('//', slashes + 2)) {
    if (/[\w/]/.test(text[slashes - 1] ?? ' ')) continue;
    const secret = userinfoSecret(text, slashes + 2, text[slashes - 1] === ':');
    if (secret === undefined || secret.from < at) continue;
    out += text.slice(at, secret.from) + mark(secret.kind, marks, text.slice(secret.from, secret.to));
    at = secret.to;
  }
  return maskBare(out + text.slice(at), marks);
}

function maskBare(text: string, marks: Marks): string {
  // The password is the end of what was found, but for `after`.
  const masked = (all: string, password: string, after: string) =>
    password.startsWith(MARK_START)
      ? all
      : all.slice(0, all.length - password.length - after.length) + mark('password', marks, password) + after;
  let out = text;
  if (/-u|-U|-user/.test(out)) {
    out = out.replace(CURL_USER, (all: string, user: string, password: string) =>
      /^\d+$/.test(user) && /^\d+$/.test(password) ? all : masked(all, password, ''),
    );
  }
  if (!out.includes('@')) return out;
  out = out.replace(ORACLE, (all: string, password: string) => masked(all, password, '@'));
  out = out.replace(GO_DSN, (all: string, password: string) => masked(all, password, '@'));
  return out.replace(BARE_DSN, (all: string, user: string, password: string, host: string, next: string) =>
    isLogin(user, host, next) ? masked(all, password, '@') : all,
  );
}

/** Not an address of mail behind its label, a digest of an image, a version of a package, or an object's hash. */
function isLogin(user: string, host: string, next: string): boolean {
  if (NO_USER.test(user) || /^sha\d+$/.test(host) || /^(?=.*\d)[0-9a-f]{5,16}$/.test(host)) return false;
  return !(LABEL.test(user) && host.includes('.') && next === '');
}

function userinfoSecret(
  text: string,
  from: number,
  scheme: boolean,
): { from: number; to: number; kind: string } | undefined {
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
  if (!scheme) return undefined;
  const user = text.slice(from, sign);
  return /^[\w~.+-]{20,}$/.test(user) && /\d/.test(user) ? { from, to: sign, kind: 'token' } : undefined;
}

/** A slash ends the authority, but not in a sloppy `user:pa/ss@host`, where what follows the colon is no port. */
function endsAuthority(text: string, colon: number, at: number, sign: number): boolean {
  if (colon === -1 || sign > colon) return true;
  return at === colon + 1 || (at - colon <= 6 && /^\d+$/.test(text.slice(colon + 1, at)));
}
