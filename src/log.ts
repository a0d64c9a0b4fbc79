import { type DestinationStream, destination, type Logger, pino } from 'pino';
import type { Settings } from './config/schema.ts';

/** The gateway's log: stderr, since stdout belongs to the protocol in stdio mode. Written at once: nothing is lost at exit. */
export function createLog(
  settings: Pick<Settings, 'logLevel' | 'logFormat'>,
  out: DestinationStream = destination({ dest: 2, sync: true }),
): Logger {
  return pino(
    {
      level: settings.logLevel,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: plainError, error: plainError },
      // A second net: no caller should pass these.
      redact: { paths: secretPaths, censor: '[redacted]' },
    },
    settings.logFormat === 'pretty' ? pretty(out) : out,
  );
}

const secretPaths = ['authorization', 'cookie', 'token', 'headers', 'password', 'secret'].flatMap((k) => [k, `*.${k}`]);

/** axios errors carry the request with its headers: only these four leave the process. */
function plainError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = 'code' in error ? { code: error.code } : {};
  return { type: error.name, message: error.message, ...code, stack: error.stack };
}

/** `10:25:00.123 WARN message key=value`: pino's own pretty transport needs a worker file that one bundle has not. */
function pretty(out: DestinationStream): DestinationStream {
  return {
    write(line) {
      const { time, level, msg, ...rest } = JSON.parse(line) as Record<string, unknown>;
      const fields = Object.entries(rest).map(([k, v]) => ` ${k}=${typeof v === 'string' ? v : JSON.stringify(v)}`);
      out.write(
        `${String(time).slice(11, 23)} ${String(level).toUpperCase().padEnd(5)} ${msg ?? ''}${fields.join('')}\n`,
      );
    },
  };
}
