import type { Logger } from 'pino';
import type { Settings } from '../config/schema.ts';
import type { AuditRecord } from '../gateway/audit.ts';
import type { GrafanaClient } from '../grafana/client.ts';

/** What the catalogue is put together from; one per process. */
export interface Runtime {
  settings: Settings;
  grafana: GrafanaClient;
  log: Logger;
  audit: (record: AuditRecord) => void;
  /** The clock, ms since epoch; Date.now when absent. */
  now?: () => number;
}
