import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientOf, upstreamOf } from './testing/callers.ts';
import { json, type Reply, type ScriptedServer, scriptedServer } from './testing/scripted-server.ts';
import { grafanaOrg, grafanaPermissions, grafanaSite } from './whoami.ts';

let server: ScriptedServer;
beforeAll(async () => {
  server = await scriptedServer();
});
afterAll(() => server.close());

const connect = (settings = {}) => upstreamOf(clientOf(server.url, settings));

test('the organisation', async () => {
  server.script({ '/api/org': json({ id: 1, name: 'Main Org.', address: {} }) });
  expect(await grafanaOrg(connect())).toEqual({ id: 1, name: 'Main Org.' });
  server.script({ '/api/org': json({ version: '1' }) });
  await expect(grafanaOrg(connect())).rejects.toMatchObject({ code: 'bad_upstream_answer' });
});

test('permissions, and a server that does not say', async () => {
  server.script({
    '/api/access-control/user/permissions': json({ 'datasources:query': ['datasources:*'], 'orgs:read': null }),
  });
  expect(await grafanaPermissions(connect())).toEqual({ 'datasources:query': ['datasources:*'], 'orgs:read': [] });
  server.script({ '*': json({ message: 'Not found' }, 404) });
  expect(await grafanaPermissions(connect())).toBeUndefined();
  server.script({ '*': json({ message: 'Unauthorized' }, 401) });
  await expect(grafanaPermissions(connect())).rejects.toMatchObject({ code: 'grafana_refused' });
});

describe('the site', () => {
  const settings = (extra: object): Reply =>
    json({ appUrl: 'https://g.example.test/sub/', anonymousEnabled: true, buildInfo: { version: '13.3.1' }, ...extra });

  test('comes from the frontend settings; an operator’s public address wins', async () => {
    server.script({ '/api/frontend/settings': settings({}) });
    const site = { version: '13.3.1', publicUrl: 'https://g.example.test/sub', anonymous: true };
    expect(await grafanaSite(connect())).toEqual(site);
    const publicUrl = 'https://public.example.test';
    expect(await grafanaSite(connect({ grafanaPublicUrl: publicUrl }))).toEqual({ ...site, publicUrl });
  });

  test('a hidden version is asked from health; an unreadable address is replaced', async () => {
    server.script({
      '/api/frontend/settings': settings({ appUrl: '', buildInfo: { version: '' } }),
      '/api/health': json({ database: 'ok', version: '12.0.0' }),
    });
    expect(await grafanaSite(connect())).toEqual({ version: '12.0.0', publicUrl: server.url, anonymous: true });
  });

  test('without the settings links still have a base', async () => {
    server.script({
      '/api/frontend/settings': json({ message: 'Failed' }, 400),
      '/api/health': json({ version: '12.0.0' }),
    });
    expect(await grafanaSite(connect())).toEqual({ version: '12.0.0', publicUrl: server.url, anonymous: false });
  });
});
