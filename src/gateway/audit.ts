import { appendFileSync } from 'node:fs';
import { destination } from 'pino';
import { ConfigError } from '../config/error.ts';
import type { Settings } from '../config/schema.ts';

/** One call of a tool. Argument names only; their values stand in no log, a hash tells equal calls apart. */
export interface AuditRecord {
  /** ISO 8601 */
  time: string;
  requestId: string;
  subject: string;
  session?: string;
  tool: string;
  args: string[];
  /** SHA-256 (hex) of the canonical JSON of the arguments. */
  argsHash: string;
  /** uid */
  datasource?: string;
  outcome: 'ok' | 'error';
  code?: string;
  ms: number;
  /** Of the answer as JSON. */
  bytes: number;
  upstreamCalls: number;
}

/**
 * Appends JSON lines to --audit-file (made with mode 0600) or stderr. Written at once: an audit that is lost in a crash
 * is none. Throws ConfigError when the file cannot be opened; a record that it cannot take later goes to stderr.
 */
export function openAudit(settings: Pick<Settings, 'auditFile'>): (record: AuditRecord) => void {
  const stderr = destination({ dest: 2, sync: true });
  const toStderr = (record: AuditRecord) => void stderr.write(line(record));
  const path = settings.auditFile;
  if (path === undefined) return toStderr;
  try {
    append(path, '');
  } catch {
    throw new ConfigError(`--audit-file names ${path}, which cannot be written.`);
  }
  return (record) => {
    try {
      append(path, line(record));
    } catch {
      toStderr(record);
    }
  };
}

/** Opened anew for each record, so that the file may be rotated at any time. */
function append(path: string, text: string): void {
  appendFileSync(path, text, { mode: 0o600 });
}

function line(record: AuditRecord): string {
  return `${JSON.stringify(record)}\n`;
}
