import { hash } from '../data/random.ts';
import { charsetJson, type GrafanaAnswer, type GrafanaRequest, html, LOGIN_PAGE, message } from './answer.ts';
import { apis } from './apis.ts';
import { authenticate } from './identity.ts';
import { findRoute } from './routes.ts';
import { may, type World } from './world.ts';

/** Grafana, as far as a gateway calls it. A pure function of the world and the request (annotations may be added). */
export function grafanaApi(world: World, request: GrafanaRequest): GrafanaAnswer {
  const path = belowSubPath(request.path, world.subPath);
  if (path === undefined) return html(404, '<html><body>404 page not found</body></html>');
  if (path === '/api/health') return healthz(world.flavour.version);
  if (path === '/healthz') return { status: 200, contentType: 'text/plain; charset=utf-8', body: 'Ok' };
  if (path === '/login') return html(200, LOGIN_PAGE);

  const who = authenticate(request, world);
  const below = world.flavour.apis.length > 0 && (path === '/apis' || path.startsWith('/apis/'));
  if (below) return apis(world, path, 'account' in who ? who.account : undefined);
  if ('refusal' in who) return path.startsWith('/api') ? who.refusal : toLogin(world);
  if (!path.startsWith('/api')) return html(200, '<!DOCTYPE html>\n<html><head><title>Grafana</title></head></html>');
  if (/^\/api\/datasources\/uid\/$/.test(path)) return message(400, 'id is invalid');

  const found = findRoute(request.method, path);
  if (!found || (found.route.byNumber && !world.flavour.numericIds)) return charsetJson(404, { message: 'Not found' });
  const { route, params, rest } = found;
  if (route.permission && !may(who.account, route.permission)) return denied(route.permission, path);
  return route.handle({ world, request, account: who.account, params, rest });
}

function belowSubPath(path: string, subPath: string): string | undefined {
  if (subPath === '') return path;
  if (path === subPath) return '/';
  return path.startsWith(`${subPath}/`) ? path.slice(subPath.length) : undefined;
}

/** Pretty-printed, unlike all the rest. */
function healthz(version: string): GrafanaAnswer {
  const body = JSON.stringify({ commit: 'unknown', database: 'ok', version }, null, 2);
  return { status: 200, contentType: 'application/json; charset=UTF-8', body };
}

function toLogin(world: World): GrafanaAnswer {
  const location = `${world.subPath}/login`;
  return html(302, `<a href="${location}">Found</a>.\n\n`, { Location: location });
}

function denied(permission: string, path: string): GrafanaAnswer {
  const accessErrorId = `ACE${String(hash(permission, path)).padStart(10, '0')}`;
  const text = `You'll need additional permissions to perform this action. Permissions needed: ${permission}`;
  return charsetJson(403, { accessErrorId, message: text, title: 'Access denied' });
}
