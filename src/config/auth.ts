import type { Settings } from './schema.ts';

/** The kinds of identity in effect: those of --auth, else Grafana tokens, and anonymous where nobody else can come. */
export function effectiveAuth(settings: Settings): NonNullable<Settings['auth']> {
  if (settings.auth !== undefined) return settings.auth;
  const hasService =
    settings.grafanaToken !== undefined ||
    settings.grafanaTokenFile !== undefined ||
    settings.grafanaAuthorization !== undefined;
  return hasService && (isLoopback(settings.host) || settings.allowUnauthenticated)
    ? ['grafana', 'anonymous']
    : ['grafana'];
}

/** Whether a listener on this host is reachable from this machine alone. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}
