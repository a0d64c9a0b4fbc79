import type { Logger } from 'pino';
import { ConfigError } from '../config/error.ts';
import type { Flags } from '../config/flags.ts';
import type { Overrides } from '../config/load.ts';
import { readSettings } from '../config/load.ts';
import type { Settings } from '../config/schema.ts';
import { openAudit } from '../gateway/audit.ts';
import { createGrafanaClient, type GrafanaClient } from '../grafana/client.ts';
import { createLog } from '../log.ts';
import { createSurface } from '../mcp/catalogue.ts';
import type { Surface } from '../mcp/surface.ts';

export interface Parts {
  settings: Settings;
  log: Logger;
  grafana: GrafanaClient;
  surface: Surface;
}

/** What every command that speaks to Grafana is put together from. Throws ConfigError without an address. */
export function assemble(flags: Flags, env: NodeJS.ProcessEnv, overrides: Overrides = {}): Parts {
  const { settings, warnings } = readSettings(flags, env, overrides);
  if (settings.grafanaUrl === undefined) {
    throw new ConfigError('Set GRAFANA_URL (or --grafana-url) to the address of Grafana.');
  }
  const log = createLog(settings);
  for (const warning of warnings) log.warn(warning);
  const grafana = createGrafanaClient(settings, log);
  const surface = createSurface({ settings, grafana, log, audit: openAudit(settings) });
  return { settings, log, grafana, surface };
}
