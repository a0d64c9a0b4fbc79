import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { json, proxied, type ScriptedServer, scriptedServer } from '../src/grafana/testing/scripted-server.ts';
import { type Counter, openCounter } from './support/in-process.ts';

// Every answer that a real Loki or Prometheus gave to a query, recorded with it, asked again through the tools: what
// the reader keeps is shown in `src/grafana/captures.test.ts`, what the engineer is told of it here.

type Labels = Record<string, string>;
interface Case {
  id: string;
  path: string;
  params: Record<string, string>;
  status: number;
  body: {
    data: {
      resultType: string;
      result: { stream: Labels; values: [string, string, unknown?][]; metric: Labels; histogram?: unknown }[] | null;
    };
  };
}

function recorded(folder: string, ...types: string[]): Case[] {
  const file = new URL(`./fixtures/captures/${folder}/cases.jsonl`, import.meta.url);
  const all = readFileSync(file, 'utf8').trim().split('\n');
  return (
    all
      .map((line) => JSON.parse(line) as Case)
      .filter(({ status, path }) => status === 200 && /\/query(?:_range)?$/.test(path))
      .filter(({ body }) => types.includes(body.data.resultType))
      // An empty window: Loki answers with nothing, the tool says what is wrong with it (BR-014).
      .filter(({ params: { start, end } }) => start === undefined || start !== end)
  );
}

let server: ScriptedServer;
let counter: Counter;
beforeAll(async () => {
  server = await scriptedServer();
  counter = openCounter(server.url, 'fake-token', ['--mask', 'off']);
});
afterAll(async () => {
  await counter.close();
  await server.close();
});

function replay(uid: 'loki' | 'prometheus', { path, body }: Case): void {
  const root = `/api/datasources/proxy/uid/${uid}${uid === 'loki' ? '/loki' : ''}/api/v1`;
  const end = path.slice(path.lastIndexOf('/'));
  server.script({
    '/api/org': json({ id: 1, name: 'Shop' }),
    '/api/datasources': json(['loki', 'prometheus'].map((type) => ({ uid: type, name: type, type, isDefault: false }))),
    [`${root}${end}`]: json(body),
    '*': proxied(404, '404 page not found'),
  });
}

const windowOf = ({ params }: Case) => ({
  start: params.start ?? '2026-11-30T12:00:00Z',
  end: params.end ?? params.time ?? '2026-11-30T12:30:00Z',
});

/** Both as an answer shows a text: on one line, without colours, and with no quotes that the labels of a row add. */
const flat = (text: string) =>
  text
    .replaceAll(/\u001b\[[\d;]*m/g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('\\', '')
    .replaceAll('"', '');

describe('lines of Loki', () => {
  const cases = recorded('loki', 'streams');
  test.each(cases.map((c) => [c.id, c] as const))('%s', async (_id, c) => {
    replay('loki', c);
    const direction = c.params.direction ?? 'backward';
    const streams = c.body.data.result ?? [];
    const asked = { logql: c.params.query, ...windowOf(c), direction, limit: 5000 };
    const raw = await counter.ask('query_loki_logs', { ...asked, detail: 'raw' });
    const entries = streams.flatMap(({ stream, values }) =>
      values.map(([ts, line]) => ({ ts: BigInt(ts), line, stream })),
    );
    expect(raw.isError, raw.text).toBe(false);
    if (entries.length === 0) {
      expect(raw.lines[0]).toMatch(/^no lines? /);
      return;
    }
    expect(raw.lines[0]).toMatch(new RegExp(`^${entries.length} lines?, `));
    // Every line once, in the order of its nanoseconds; those of one instant in any order.
    const all = flat(raw.data.join('\n'));
    const sign = direction === 'forward' ? 1 : -1;
    entries.sort((a, b) => (a.ts < b.ts ? -sign : a.ts > b.ts ? sign : 0));
    let at = 0;
    for (let from = 0, to = 0; from < entries.length; from = to) {
      while (to < entries.length && entries[to]?.ts === entries[from]?.ts) to++;
      let furthest = at;
      for (const { line } of entries.slice(from, to)) {
        const found = all.indexOf(flat(line).trim().slice(0, 300), at);
        expect(found, line).toBeGreaterThanOrEqual(at);
        furthest = Math.max(furthest, found + Math.min(flat(line).trim().length, 300));
      }
      at = furthest;
    }
    // Whatever tells two streams apart is said.
    const text = flat(raw.text);
    for (const [name, value] of streams.flatMap(({ stream }) => Object.entries(stream))) {
      const differs = streams.some(({ stream }) => stream[name] !== value);
      if (differs && !name.startsWith('__')) expect(text, name).toContain(flat(value));
    }
    const short = await counter.ask('query_loki_logs', asked);
    expect(short.lines[0]).toBe(raw.lines[0]);
    const rows = short.data.filter((row) => /^(?:\d\d-\d\d )?\d\d:\d\d:\d\d/.test(row));
    const shown = rows.reduce((sum, row) => sum + Number(/ × (\d+)$/.exec(row)?.[1] ?? 1), 0);
    expect(shown).toBe(entries.length);
  });
});

describe.each([
  ['loki', 'query_loki_logs', 'logql'],
  ['prometheus', 'query_prometheus', 'promql'],
] as const)('series of %s', (uid, tool, argument) => {
  const cases = recorded(uid, 'matrix', 'vector', 'scalar', 'string');
  test.each(cases.map((c) => [c.id, c] as const))('%s', async (_id, c) => {
    replay(uid, c);
    const { start, end } = windowOf(c);
    const isRange = c.path.endsWith('_range');
    const step = c.params.step ?? '60';
    const args = { [argument]: c.params.query, end, ...(isRange ? { start, step } : {}) };
    const { isError, text, lines } = await counter.ask(tool, args);
    expect(isError, text).toBe(false);
    const { resultType, result } = c.body.data;
    if (resultType === 'scalar' || resultType === 'string') return expect(text).toContain('--- data');
    const series = result ?? [];
    if (series.length === 0) return expect(lines[0]).toMatch(/^no series /);
    expect(text).toMatch(new RegExp(`\\b${series.length.toLocaleString('en')} series|\\bof ${series.length}\\b`));
    if (series.length > 50) return;
    // No series is lost, and what tells it apart is said.
    const said = flat(text);
    for (const { metric } of series) {
      for (const value of Object.values(metric)) expect(said).toContain(flat(value));
    }
  });
});
