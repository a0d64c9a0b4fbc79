import type { Answer } from '../answer/answer.ts';
import { plural } from '../answer/text.ts';
import { GatewayError } from '../errors.ts';
import { lokiLabels, lokiQueryRange } from '../grafana/loki.ts';
import type { Datasource } from '../grafana/upstream.ts';
import { labelKey, type MergedEntry, mergeStreams } from '../logs/merge.ts';
import { countEntries, logRows } from '../logs/rows.ts';
import { serviceLabel } from '../logs/service-label.ts';
import type { ToolContext } from '../mcp/define.ts';
import { showIso, showSpan, showWindow } from '../time/show.ts';
import type { Window } from '../time/window.ts';
import { explained } from './explain.ts';
import { linkOf } from './link.ts';
import { streamsOf } from './log-lines.ts';
import { some, whyNoLines } from './no-lines.ts';
import { withinBudget } from './scan-budget.ts';

const MOST_LINES = 300;
const LONGEST_ID = 200;
/** Less than that stands in lines that have nothing to do with each other. */
const SHORTEST_ID = 4;

/** Structured metadata that holds ids: of OpenTelemetry, Tempo's datasource, and what services call theirs. */
const ID_NAMES = ['trace_id', 'traceID', 'traceId', 'TraceId', 'span_id', 'request_id', 'requestId', 'correlation_id'];

/** Every line that holds the id in its text or its metadata, of all streams or of those that `logql` picks, oldest first. */
export async function followId(
  ctx: ToolContext,
  ds: Datasource,
  given: string,
  logql: string | undefined,
  window: Window,
): Promise<Answer> {
  const id = readId(given);
  const zone = ctx.settings.timezone;
  const label = logql === undefined ? await commonLabel(ctx, ds, window) : undefined;
  const selector = logql?.trim() ?? `{${label}=~".+"}`;
  const quoted = JSON.stringify(id);
  // On a line of its own, so that a comment before it does not swallow the filter.
  const before = selector.includes('#') ? '\n' : ' ';
  const inLine = `${selector}${before}|= ${quoted}`;
  const inMetadata = `${selector}${before}| ${ID_NAMES.map((name) => `${name}=${quoted}`).join(' or ')}`;
  const evaluation = { start: window.start, end: window.end, instant: false };
  const cost = await withinBudget(ctx, ds, inLine, [evaluation, evaluation]);
  const [lines, tagged] = await Promise.all([
    explained('loki', inLine, readForward(ctx, ds, inLine, window)),
    readForward(ctx, ds, inMetadata, window).catch((error: unknown) => {
      if (ctx.call.signal.aborted) throw error;
      return undefined;
    }),
  ]);
  const entries = mergeBoth(lines, tagged ?? []).slice(0, MOST_LINES);
  const more = Math.max(lines.length, tagged?.length ?? 0) >= MOST_LINES;
  const link = await linkOf(ctx, ds, { expr: inLine }, window);
  const notes = [
    ...(label === undefined ? [] : [`looked for in all streams that have the label ${label}`]),
    ...(tagged === undefined ? ['lines that hold it in their metadata alone could not be looked for'] : []),
    ...cost.notes(),
  ];
  if (entries.length === 0) {
    const none = await whyNoLines(ctx, ds, inLine, window);
    return { ...none, after: (shown) => [...(none.after?.(shown) ?? []), ...notes], ...link };
  }
  const page = logRows(entries, { zone, detail: 'short', direction: 'forward' });
  const rows = [...page.rows];
  return {
    head: (kept) => {
      const shown = countEntries(rows, kept);
      const seen = entries.slice(0, shown);
      const ms = Number((seen.at(-1)?.ts ?? 0n) - (seen[0]?.ts ?? 0n)) / 1e6;
      const took = showSpan(ms < 60_000 ? ms : Math.round(ms / 1_000) * 1_000);
      const cut = more || shown < entries.length ? ', more exist' : '';
      return [
        `${plural(shown, 'line')} of ${plural(servicesOf(seen).size, 'service')} within ${took}, oldest first${cut} · ${showWindow(window, zone)} · ${ds.name}`,
      ];
    },
    lead: [
      `by service: ${some(
        [...servicesOf(entries)].map(([name, n]) => `${name} ${n}`),
        20,
      )}`,
      ...page.lead,
    ],
    rows: rows.map(({ text }) => text),
    after: (kept) => {
      const shown = countEntries(rows, kept);
      const last = entries[shown - 1];
      const next = shown < entries.length || more ? last : undefined;
      return [
        ...notes,
        ...(next === undefined
          ? []
          : [`go on: the same with start="${showIso(next.ts + 1n)}" end="${showIso(window.end)}"`]),
      ];
    },
    ...link,
  };
}

function readId(given: string): string {
  const id = given.trim();
  if (id.length >= SHORTEST_ID && id.length <= LONGEST_ID && !/[\n\r]/.test(id)) return id;
  throw new GatewayError(
    'bad_argument',
    `The argument "follow" must be an id of ${SHORTEST_ID} to ${LONGEST_ID} characters.`,
    {
      remedy: 'Pass one trace, order or request id as it stands in a line.',
    },
  );
}

/** The label that most streams have: what names services, else any. */
async function commonLabel(ctx: ToolContext, ds: Datasource, window: Window): Promise<string> {
  const { values } = await lokiLabels(ctx.upstream, ds, window);
  return serviceLabel(values) ?? values[0] ?? 'service_name';
}

async function readForward(ctx: ToolContext, ds: Datasource, query: string, { start, end }: Window) {
  const asked = { query, start, end, limit: MOST_LINES, direction: 'forward' as const };
  return mergeStreams(streamsOf(await lokiQueryRange(ctx.upstream, ds, asked)).streams, 'forward').slice(0, MOST_LINES);
}

/** Both in order of time, without those of the second that the first has. */
function mergeBoth(lines: readonly MergedEntry[], tagged: readonly MergedEntry[]): MergedEntry[] {
  const keyOf = ({ ts, stream, line }: MergedEntry) => `${ts}\n${labelKey(stream)}\n${line}`;
  const known = new Set(lines.map(keyOf));
  const all = [...lines, ...tagged.filter((entry) => !known.has(keyOf(entry)))];
  return all.sort((a, b) => (a.ts === b.ts ? 0 : a.ts < b.ts ? -1 : 1));
}

/** Lines by service, in the order in which they appear. */
function servicesOf(entries: readonly MergedEntry[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { stream } of entries) {
    const name = stream[serviceLabel(Object.keys(stream)) ?? ''] ?? 'without name';
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}
