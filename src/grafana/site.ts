import { z } from 'zod';
import { badAnswer, parseJson } from './envelope.ts';
import { isRecord } from './series.ts';
import type { Datasource, Upstream } from './upstream.ts';

/** The part of GET /api/frontend/settings that the gateway uses; the whole is hundreds of KB. */
export interface SiteSettings {
  version: string;
  /** Grafana's own idea of its public address, with sub-path. */
  appUrl: string;
  anonymous: boolean;
  /** What the caller may query, built-ins included. */
  datasources: Datasource[];
}

const schema = z.looseObject({
  appUrl: z.string().catch(''),
  anonymousEnabled: z.boolean().catch(false),
  buildInfo: z.looseObject({ version: z.string().catch('') }).catch({ version: '' }),
  datasources: z.unknown().optional(),
});

/** Cached. Throws GatewayError. */
export async function siteSettings(up: Upstream): Promise<{ value: SiteSettings; ageMs: number }> {
  return await up.cached('settings', 'frontend', async (shared) => {
    const parsed = schema.safeParse(parseJson(await shared.request({ path: '/api/frontend/settings' }), 'Grafana'));
    if (!parsed.success) throw badAnswer('Grafana', 'the frontend settings are not an object');
    const { appUrl, anonymousEnabled, buildInfo, datasources } = parsed.data;
    return {
      version: buildInfo.version,
      appUrl,
      anonymous: anonymousEnabled,
      datasources: isRecord(datasources) ? Object.values(datasources).flatMap(limitedDatasource) : [],
    };
  });
}

const entry = z.looseObject({
  uid: z.string().min(1),
  name: z.string(),
  type: z.string(),
  isDefault: z.boolean().catch(false),
  readOnly: z.boolean().optional().catch(undefined),
  jsonData: z.record(z.string(), z.unknown()).catch({}),
});

/** Its `url` is a path of Grafana's own proxy here, so it is left out. */
function limitedDatasource(value: unknown): Datasource[] {
  const parsed = entry.safeParse(value);
  if (!parsed.success) return [];
  const { uid, name, type, isDefault, readOnly, jsonData } = parsed.data;
  return [{ uid, name, type, isDefault, jsonData, ...(readOnly === undefined ? {} : { readOnly }) }];
}

/** The same reading for GET /api/datasources, which also tells the address. */
export function readDatasource(value: unknown): Datasource[] {
  const url = isRecord(value) && typeof value.url === 'string' && value.url !== '' ? { url: value.url } : {};
  return limitedDatasource(value).map((ds) => ({ ...ds, ...url }));
}
