import { afterEach, describe, expect, test, vi } from 'vitest';
import { loadSettings } from '../config/load.ts';
import { GatewayError } from '../errors.ts';
import type { Upstream } from '../grafana/upstream.ts';
import type { ToolContext } from '../mcp/define.ts';
import { findServices } from './services.ts';
import { getPrompt } from './surface.ts';

const NOW = Date.UTC(2026, 10, 30, 10, 30);
afterEach(() => vi.useRealTimers());

type Answer = 'dead' | 'hangs' | string[];

/** A Grafana with one Loki per entry, in this order, each with these labels. */
function context(lokis: Record<string, Answer> | 'hangs'): ToolContext {
  const caller = { cacheKey: 'a', headers: async () => ({}) };
  const signal = new AbortController().signal;
  const upstream: Upstream = {
    caller,
    signal,
    calls: () => 0,
    fixed: { baseUrl: 'https://grafana.test' },
    async request({ path, datasource }) {
      const answer = (data: unknown) => ({ status: 200, contentType: 'application/json', text: JSON.stringify(data) });
      if (lokis === 'hangs') return await new Promise(() => {});
      if (path === '/api/datasources') {
        return answer(Object.keys(lokis).map((uid) => ({ uid, name: uid, type: 'loki', isDefault: false })));
      }
      const labels = lokis[datasource?.uid ?? ''] ?? [];
      if (labels === 'hangs') return await new Promise(() => {});
      if (labels === 'dead')
        throw new GatewayError('datasource_unreachable', 'The datasource cannot be reached (502).');
      return answer({ status: 'success', data: path.endsWith('/values') ? [`of ${datasource?.uid}`] : labels });
    },
    cached: async (_kind, _key, load) => ({ value: await load(upstream), ageMs: 0 }),
  };
  const scopes = new Set(['logs:read'] as const);
  const identity = { kind: 'static' as const, principal: 'static:x', subject: 'x', scopes, caller };
  const settings = loadSettings([], { GRAFANA_URL: 'https://grafana.test' });
  return {
    call: { identity, signal, requestId: 'r' },
    upstream,
    now: NOW,
    settings,
    scanned: { bytes: 0 },
    offers: () => true,
  };
}

describe('the services', () => {
  test.each([
    [['job', 'container', 'service_name'], 'service_name'],
    [['container', 'app', 'job'], 'app'],
    [['container', 'zone'], 'container'],
  ])('of the labels %j are told by %s', async (labels, label) => {
    expect(await findServices(context({ a: labels }))).toEqual({ datasource: 'a', label, values: ['of a'] });
  });

  test.each([
    ['dead', 'dead'],
    ['hanging', 'hangs'],
    ['without a label that names services', ['zone']],
  ] as const)('come from the next Loki where the first one is %s', async (_what, first) => {
    vi.useFakeTimers();
    const found = findServices(context({ a: typeof first === 'string' ? first : [...first], b: ['app'] }));
    await vi.advanceTimersByTimeAsync(4_000);
    expect(await found).toEqual({ datasource: 'b', label: 'app', values: ['of b'] });
  });
});

describe('the prompt', () => {
  const search = async (error: string) => {
    const { messages } = await getPrompt('debug-error', { error }, context({ a: ['app'] }));
    const text = messages.map(({ content }) => (content.type === 'text' ? content.text : '')).join('\n');
    const [, logql = '""'] = /"logql": ("(?:\\.|[^"\\])*")[^\n]*"direction"/.exec(text) ?? [];
    return String(JSON.parse(logql));
  };

  // What comes again with the error, not what is of this one line: such a search would find that line alone.
  test.each([
    ['connection pool exhausted', 'connection pool exhausted'],
    ['2026-11-30T10:12:13.123Z ERROR [req-8f3a2b1c9d] connection to 10.0.0.3:5432 refused', 'connection to'],
    ['{"level":"error","msg":"no route to host","ts":1764498733}', 'no route to host'],
    ['dial tcp: lookup failed after 5000ms', 'dial tcp: lookup failed after'],
    ['12:00:01\nthe second line says it', 'the second line says it'],
    ['接続が拒否されました', '接続が拒否されました'],
    // Nothing but one word with digits: then that is what can be searched for.
    ['ORA-00942', 'ORA-00942'],
  ])('searches for what stays the same in %j', async (error, needle) => {
    expect(await search(error)).toBe(`{app=~".+"} |= ${JSON.stringify(needle)}`);
  });

  test('reads an error of 20,000 characters at once, whatever it holds', async () => {
    const started = performance.now();
    for (const unit of ['x', '1x', '[masked:', '"', ' 1', '\\']) {
      await search(`a${unit.repeat(20_000 / unit.length - 1)}`);
    }
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  test.each([
    ['yesterday-ish', /^The argument "since" cannot be used: "yesterday-ish" is not a time\. /],
    ['24', /^The argument "since" .*"24".*a unit \("15m"\)/],
    ['now', /^The argument "since" .*before end/],
    ['now+1h', /^The argument "since" .*before end/],
    ['2099-01-01', /^The argument "since" .*before end/],
  ])('refuses since %j in words', async (since, message) => {
    await expect(getPrompt('debug-error', { error: 'x', since }, context({}))).rejects.toMatchObject({
      kind: 'badParams',
      message: expect.stringMatching(message),
    });
  });

  test('does not wait for a Grafana that hangs', async () => {
    vi.useFakeTimers();
    let given: number | undefined;
    void getPrompt('debug-error', { error: 'x' }, context('hangs')).then(({ messages }) => {
      given = messages.length;
    });
    await vi.advanceTimersByTimeAsync(4_000);
    expect(given).toBe(3);
  });

  test('lets a fault of the gateway itself through', async () => {
    const ctx = context({});
    const upstream: Upstream = { ...ctx.upstream, cached: () => Promise.reject(new TypeError('a slip')) };
    await expect(getPrompt('debug-error', { error: 'x' }, { ...ctx, upstream })).rejects.toThrow('a slip');
  });
});
