import { outsideQuotes } from '../answer/repair.ts';
import { GatewayError } from '../errors.ts';
import { resolveDatasource } from '../grafana/datasources.ts';
import { lokiQuery, lokiQueryRange } from '../grafana/loki.ts';
import type { Datasource, Series } from '../grafana/upstream.ts';
import { classifyLogql } from '../logs/logql.ts';
import { defineTool, type ToolContext } from '../mcp/define.ts';
import type { Unit } from '../metrics/units.ts';
import { chooseStep } from '../time/step.ts';
import { expandIntervals } from '../time/variables.ts';
import type { Window } from '../time/window.ts';
import { explained } from './explain.ts';
import { linkOf } from './link.ts';
import { logContext } from './log-context.ts';
import { readLogPage } from './log-cursor.ts';
import { logLines } from './log-lines.ts';
import { whyNoLines } from './no-lines.ts';
import { datasource, end, start } from './parameters.ts';
import { withinBudget } from './scan-budget.ts';
import { seriesAnswer } from './series-answer.ts';

export const queryLokiLogs = defineTool({
  name: 'query_loki_logs',
  title: 'Query logs (Loki)',
  description:
    'Runs a LogQL query and gives log lines of all streams in time order, or the series of a metric query. Use it to read or count logs. A log query always runs over a window (default: the last hour); a metric query is evaluated at end (default now), or over the window when start or step is given.',
  scopes: ['logs:read'],
  group: 'logs',
  parameters: {
    logql: { type: 'string', required: true, description: 'LogQL, e.g. {app="api"} |= "error".' },
    datasource,
    start,
    end,
    limit: { type: 'integer', minimum: 1, maximum: 5000, description: 'Lines wanted; default 50, with around 20.' },
    direction: { type: 'string', enum: ['backward', 'forward'], description: 'backward (default): newest first.' },
    step: { type: 'string', description: 'Metric query: seconds or "30s"; default by the window.' },
    around: { type: 'string', description: 'Instant whose neighbouring lines are wanted, before and after.' },
    detail: { type: 'string', enum: ['short', 'raw'], description: 'raw: lines untouched; default short.' },
    cursor: { type: 'string', description: 'Cursor of the answer before, for its next lines.' },
  },
  async run(args, ctx) {
    const ds = await resolveDatasource(ctx.upstream, args.datasource, 'loki');
    ctx.noteDatasource?.(ds.uid);
    const direction = args.direction ?? 'backward';
    const question = { uid: ds.uid, logql: args.logql, direction, start: args.start, end: args.end };
    const page = await readLogPage(question, args.cursor, ctx.now, ctx.settings.timezone);
    const step = chooseStep(page.window, { given: args.step });
    const rangeMs = Number(page.window.end - page.window.start) / 1e6;
    const { query, replaced } = expandIntervals(args.logql, { stepMs: step.stepMs, rangeMs });
    const kind = kindOf(query);
    const notes = replaced.length > 0 ? [`replaced: ${replaced.join(', ')}`] : [];
    if (kind === 'metric') {
      refuse(args.around, 'around', 'log');
      refuse(args.cursor, 'cursor', 'log');
      const range = args.start !== undefined || args.step !== undefined ? step : undefined;
      return await metric(ctx, ds, query, page.window, range, notes);
    }
    refuse(args.step, 'step', 'metric');
    const opt = { limit: args.limit ?? (args.around === undefined ? 50 : 20), detail: args.detail ?? 'short', notes };
    if (args.around === undefined) return await logLines(ctx, ds, query, question, page, opt);
    if (args.cursor !== undefined) {
      throw new GatewayError('bad_argument', 'The arguments "around" and "cursor" exclude each other.', {
        remedy: 'Leave one of them out.',
      });
    }
    return await logContext(ctx, ds, query, { ...args, around: args.around }, opt);
  },
});

/** What the grammar cannot read is left to Loki, which may know more or says where the fault is. */
function kindOf(query: string): 'log' | 'metric' {
  const { kind } = classifyLogql(query);
  return kind === 'invalid' ? (/^[\s(]*\{/.test(query) ? 'log' : 'metric') : kind;
}

function refuse(value: string | undefined, name: string, kind: string): void {
  if (value === undefined) return;
  throw new GatewayError('bad_argument', `The argument "${name}" belongs to ${kind} queries, and this is none.`, {
    remedy: `Leave "${name}" out.`,
  });
}

async function metric(
  ctx: ToolContext,
  ds: Datasource,
  query: string,
  window: Window,
  step: { stepMs: number; auto: boolean } | undefined,
  notes: string[],
) {
  const { start: from, end: to } = window;
  const cost = await withinBudget(ctx, ds, query, [{ start: from, end: to, instant: step === undefined }]);
  const asked =
    step === undefined
      ? lokiQuery(ctx.upstream, ds, { query, time: to })
      : lokiQueryRange(ctx.upstream, ds, { query, start: from, end: to, stepMs: step.stepMs });
  const result = await explained('loki', query, asked);
  if (result.type === 'streams')
    throw new GatewayError('bad_upstream_answer', 'Loki answered a metric query with lines.');
  const unit = unitOf(query);
  return await seriesAnswer(
    ctx,
    {
      query,
      ds,
      window,
      detail: 'summary',
      notes: [...notes, ...cost.notes()],
      ...(step === undefined ? {} : { step }),
      ...(unit === undefined ? {} : { unit }),
      // Loki gives no zero where nothing was logged; a comparison leaves points out as well.
      ...(/[<>]|==|\b(?:and|or|unless)\b/.test(outsideQuotes(query)) ? {} : { absent: 'no lines' }),
      rewrites: (series) => rewrites(query, series),
      whyNothing: async () => [...((await whyNoLines(ctx, ds, query, window)).rows ?? [])],
      ...(await linkOf(ctx, ds, { expr: query, instant: step === undefined }, window)),
    },
    result,
  );
}

/** Only where nothing is divided or compared: a share has no unit. */
function unitOf(query: string): Unit | undefined {
  if (/[/*<>%^]|(?<![|!])=\s*=/.test(query.replace(/"(?:\\.|[^"\\])*"|`[^`]*`/g, ''))) return undefined;
  const found = /\b(bytes_over_time|bytes_rate|rate)\s*\(/.exec(query)?.[1];
  return found === undefined ? undefined : UNITS[found];
}

const UNITS: Record<string, Unit> = {
  bytes_over_time: { format: 'bytes' },
  bytes_rate: { format: 'binBps' },
  rate: { suffix: '/s' },
};

/** Grouped by the label that is coarsest and still tells something, and the largest ten; each read by the grammar. */
function rewrites(query: string, series: readonly Series[]): string[] {
  const values = new Map<string, Set<string>>();
  for (const { labels } of series) {
    for (const [name, value] of Object.entries(labels)) values.set(name, (values.get(name) ?? new Set()).add(value));
  }
  const [coarse] = [...values].filter(([, known]) => known.size > 1).sort(([, a], [, b]) => a.size - b.size);
  const own = query.trim();
  const candidates = [`sum${coarse === undefined ? '' : ` by (${coarse[0]})`} (${own})`, `topk(10, ${own})`];
  return candidates.filter((text) => classifyLogql(text).kind === 'metric');
}
