import { z } from 'zod';
import { GatewayError } from '../errors.ts';
import { badAnswer, parseJson } from './envelope.ts';
import { siteSettings } from './site.ts';
import type { Upstream } from './upstream.ts';

const org = z.looseObject({ id: z.number(), name: z.string() });
const permissions = z.record(z.string(), z.array(z.string()).catch([]));
const health = z.looseObject({ version: z.string().catch('') });

/** The organisation of the credential: GET /api/org, which works for service accounts too. Not cached: it is the proof. */
export async function grafanaOrg(up: Upstream): Promise<{ id: number; name: string }> {
  const parsed = org.safeParse(parseJson(await up.request({ path: '/api/org' }), 'Grafana'));
  if (!parsed.success) throw badAnswer('Grafana', 'the organisation has no id or no name');
  return { id: parsed.data.id, name: parsed.data.name };
}

/** Scopes by action; undefined when the server does not say (old, or access control switched off). */
export async function grafanaPermissions(up: Upstream): Promise<Record<string, string[]> | undefined> {
  try {
    const answer = await up.request({ path: '/api/access-control/user/permissions' });
    const parsed = permissions.safeParse(parseJson(answer, 'Grafana'));
    return parsed.success ? parsed.data : undefined;
  } catch (error) {
    if (error instanceof GatewayError && [403, 404].includes(error.details.status ?? 0)) return undefined;
    throw error;
  }
}

/** Version, base of links (without slash at its end) and whether strangers may look. Cached. */
export async function grafanaSite(up: Upstream): Promise<{ version: string; publicUrl: string; anonymous: boolean }> {
  const base = up.fixed?.baseUrl ?? '';
  try {
    const { value } = await siteSettings(up);
    const version = value.version || (await healthVersion(up));
    return { version, publicUrl: up.fixed?.publicUrl ?? linkBase(value.appUrl, base), anonymous: value.anonymous };
  } catch (error) {
    // Links still work without the settings; only a refusal or a failure of the network itself is passed on.
    if (
      !(error instanceof GatewayError) ||
      !['grafana_error', 'grafana_forbidden', 'bad_upstream_answer'].includes(error.code)
    )
      throw error;
    return { version: await healthVersion(up), publicUrl: up.fixed?.publicUrl ?? base, anonymous: false };
  }
}

async function healthVersion(up: Upstream): Promise<string> {
  const { value } = await up.cached('settings', 'version', async (shared) => {
    const parsed = health.safeParse(parseJson(await shared.request({ path: '/api/health' }), 'Grafana'));
    return parsed.success ? parsed.data.version : '';
  });
  return value;
}

/** Grafana says localhost while its root_url is not set; then the address that the gateway uses is the better one. */
function linkBase(appUrl: string, base: string): string {
  try {
    const url = new URL(appUrl);
    if (isLoopback(url.hostname) && base !== '' && !isLoopback(new URL(base).hostname)) return base;
    return url.origin + url.pathname.replace(/\/+$/, '');
  } catch {
    return base;
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\./.test(host);
}
