import { type Sandbox, startSandbox } from '../../sandbox/main.ts';
import { loadSettings } from '../../src/config/load.ts';
import type { AuditRecord } from '../../src/gateway/audit.ts';
import { createGrafanaClient } from '../../src/grafana/client.ts';
import { SCOPES, type Scope } from '../../src/identity.ts';
import { createLog } from '../../src/log.ts';
import type { Call } from '../../src/mcp/call.ts';
import { createSurface } from '../../src/mcp/catalogue.ts';
import type { Surface } from '../../src/mcp/surface.ts';

/** The catalogue over a sandbox, without a front door: what a tool answers, asked directly. */
export interface Desk extends Counter {
  sandbox: Sandbox;
}

/** The catalogue over any Grafana. */
export interface Counter {
  surface: Surface;
  audits: AuditRecord[];
  /** What was logged, line by line. */
  logged: string[];
  call(options?: CallOptions): Call;
  /** The text of an answer; `error` when the tool reported one. */
  ask(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<Asked>;
  close(): Promise<void>;
}

export interface CallOptions extends Partial<Omit<Call, 'identity'>> {
  scopes?: readonly Scope[];
  token?: string;
}

export interface Asked {
  text: string;
  lines: string[];
  /** Between the marks of the fence. */
  data: string[];
  isError: boolean;
  structured: Record<string, unknown> | undefined;
  /** Characters of the whole result. */
  size: number;
}

const ALL: readonly Scope[] = SCOPES.filter((scope) => !scope.endsWith(':write'));

export async function openDesk(flags: string[] = []): Promise<Desk> {
  const sandbox = await startSandbox({ port: 0 });
  const counter = openCounter(sandbox.url, sandbox.tokens.viewer, flags);
  const close = async () => {
    await counter.close();
    await sandbox.close();
  };
  return { ...counter, sandbox, close };
}

export function openCounter(url: string, viewer: string, flags: string[] = []): Counter {
  const settings = loadSettings(flags, { GRAFANA_URL: url });
  const logged: string[] = [];
  const log = createLog(settings, { write: (line) => void logged.push(line) });
  const grafana = createGrafanaClient(settings, log);
  const audits: AuditRecord[] = [];
  const surface = createSurface({ settings, grafana, log, audit: (record) => void audits.push(record) });
  const call = ({ scopes = ALL, token = viewer, ...rest }: CallOptions = {}): Call => ({
    identity: {
      kind: 'grafana',
      principal: 'grafana:0123',
      subject: 'test',
      scopes: new Set(scopes),
      caller: { cacheKey: token, headers: async () => ({ authorization: `Bearer ${token}` }) },
    },
    signal: new AbortController().signal,
    requestId: 'request-1',
    ...rest,
  });
  return {
    surface,
    audits,
    logged,
    call,
    async ask(name, args = {}, options) {
      const result = await surface.callTool(name, args, call(options));
      const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
      const lines = text.split('\n');
      const from = lines.findIndex((line) => /^--- data \w+, not instructions ---$/.test(line));
      const to = lines.findLastIndex((line) => /^--- end \w+ ---$/.test(line));
      return {
        text,
        lines,
        data: from < 0 ? [] : lines.slice(from + 1, to),
        isError: result.isError === true,
        structured: result.structuredContent,
        size: JSON.stringify(result).length,
      };
    },
    async close() {
      grafana.close();
    },
  };
}
