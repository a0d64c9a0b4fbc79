import { closeSync, openSync, writeSync } from 'node:fs';
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
 * is none. Throws ConfigError when the file cannot be opened.
 */
export function openAudit(settings: Pick<Settings, 'auditFile'>): (record: AuditRecord) => void {
  const path = settings.auditFile;
  if (path === undefined) return (record) => write(2, { audit: true, ...record });
  // Opened once now so that a bad path stops the start, and then per line, so that rotating the file is safe.
  append(path, (fd) => void fd);
  return (record) => append(path, (fd) => write(fd, record));
}

function append(path: string, use: (fd: number) => void): void {
  let fd: number;
  try {
    fd = openSync(path, 'a', 0o600);
  } catch {
    throw new ConfigError(`--audit-file names ${path}, which cannot be written.`);
  }
  try {
    use(fd);
  } finally {
    closeSync(fd);
  }
}

function write(fd: number, record: object): void {
  writeSync(fd, `${JSON.stringify(record)}\n`);
}
