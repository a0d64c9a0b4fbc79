import type { MergedEntry } from './merge.ts';

const NAMES: Record<string, string> = {
  trace: 'trace',
  trc: 'trace',
  finest: 'trace',
  finer: 'trace',
  debug: 'debug',
  dbg: 'debug',
  fine: 'debug',
  verbose: 'debug',
  info: 'info',
  inf: 'info',
  information: 'info',
  informational: 'info',
  notice: 'info',
  i: 'info',
  warn: 'warn',
  warning: 'warn',
  wrn: 'warn',
  w: 'warn',
  error: 'error',
  err: 'error',
  eror: 'error',
  severe: 'error',
  e: 'error',
  fatal: 'fatal',
  ftl: 'fatal',
  critical: 'critical',
  crit: 'critical',
  alert: 'critical',
  emerg: 'critical',
  panic: 'fatal',
};

/** Labels, metadata and fields that hold a level, the server's own detection last. */
export const LEVEL_NAMES: readonly string[] = [
  'level',
  'severity',
  'lvl',
  'loglevel',
  'log_level',
  'severity_text',
  'detected_level',
];

/** `warn` for WARNING, `[W]` … ; undefined for what names no level. */
export function readLevel(word: string): string | undefined {
  return NAMES[word.toLowerCase()];
}

/** The level that labels, metadata or parsed fields give. */
export function levelOf(entry: MergedEntry): string | undefined {
  for (const labels of [entry.parsed, entry.metadata, entry.stream]) {
    for (const name of LEVEL_NAMES) {
      const word = labels[name];
      const level = word === undefined ? undefined : readLevel(word);
      if (level !== undefined) return level;
    }
  }
  return undefined;
}

const LEADING = /^\s*[[(<]?([A-Za-z]{3,13})[\])>]?(?::|\s|$)\s*(?:[-|:]\s+)?/;

/** A level at the beginning of a line, and the line without it: `ERROR [main] …`, `[warn] …`, `INFO: …`. */
export function leadingLevel(line: string): { level: string; rest: string } | undefined {
  const found = LEADING.exec(line);
  const level = found ? readLevel(found[1] ?? '') : undefined;
  // A lower-case word without brackets may be the beginning of a sentence: "error while …".
  const marked = found !== null && /^\s*(?:[[(<]|[A-Z]{3,})/.test(found[0]);
  return found && level !== undefined && marked ? { level, rest: line.slice(found[0].length) } : undefined;
}
