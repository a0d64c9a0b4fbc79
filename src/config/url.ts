import { ConfigError } from './error.ts';

/**
 * An http(s) address without slashes at its end, with its sub-path. `authorization` is the Basic header made of the
 * user and password in it. Throws ConfigError; no message repeats the value, since it may hold a password.
 */
export function readUrl(text: string, where: string): { url: string; authorization?: string } {
  if (!/^https?:\/\//i.test(text)) {
    throw new ConfigError(`${where} needs http:// or https:// at its beginning, e.g. https://grafana.example.com.`);
  }
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new ConfigError(`${where} is not a valid address such as https://grafana.example.com/grafana.`);
  }
  if (url.search !== '' || url.hash !== '') {
    throw new ConfigError(
      `${where} must end with the host or the sub-path, without "?" and "#" (an organisation is given by --org-id).`,
    );
  }
  const path = url.pathname.replace(/\/+$/, '');
  if (/\/api$/i.test(path)) {
    throw new ConfigError(`${where} must not end with /api: leave it out, the gateway adds it.`);
  }
  const bare = `${url.protocol}//${url.host}${path}`;
  if (url.username === '' && url.password === '') return { url: bare };
  const pair = `${decode(url.username, where)}:${decode(url.password, where)}`;
  return { url: bare, authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

function decode(part: string, where: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new ConfigError(`${where} has a user or password with a "%" that is not an escape: write it as %25.`);
  }
}
