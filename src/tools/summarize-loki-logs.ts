import type { Answer } from '../answer/answer.ts';
import { GatewayError } from '../errors.ts';
import { resolveDatasource } from '../grafana/datasources.ts';
import { classifyLogql } from '../logs/logql.ts';
import { defineTool, type ToolContext } from '../mcp/define.ts';
import { readInstant, resolveWindow } from '../time/read.ts';
import type { Window } from '../time/window.ts';
import { followId } from './follow-id.ts';
import { logGroups } from './log-groups.ts';
import { noisyServices } from './noisy-services.ts';
import { datasource, end, start } from './parameters.ts';

const DAY = 86_400_000_000_000n;

export const summarizeLokiLogs = defineTool({
  name: 'summarize_loki_logs',
  title: 'Summarize logs (Loki)',
  description:
    'Groups like log lines of a window, compares them with the time before and shows what is new or grown first. Use it to find which logs need attention, what is wrong with a service, or what changed. Without logql: the services by lines and errors. With follow: all lines that hold an id.',
  scopes: ['logs:read'],
  group: 'logs',
  parameters: {
    logql: { type: 'string', description: 'Selector with or without a pipeline, e.g. {app="api"}.' },
    datasource,
    start,
    end,
    compare: {
      type: 'string',
      description:
        '"previous" (default: as long before), "1d", "1w", "none", or an instant such as a deployment: since it, against before it.',
    },
    follow: { type: 'string', description: 'A trace, order or request id to follow through all streams.' },
    limit: { type: 'integer', minimum: 1, maximum: 50, description: 'Groups wanted; default 15.' },
  },
  async run({ logql, compare = 'previous', follow, limit = 15, ...args }, ctx): Promise<Answer> {
    const ds = await resolveDatasource(ctx.upstream, args.datasource, 'loki');
    ctx.noteDatasource?.(ds.uid);
    const zone = ctx.settings.timezone;
    const given = await resolveWindow(args, ctx.now, { zone });
    if (follow !== undefined) return await followId(ctx, ds, follow, logql, given);
    const { window, before } = await comparedWith(compare, given, args.start !== undefined, ctx);
    if (logql === undefined) return await noisyServices(ctx, ds, window, before, limit);
    const { kind, problem } = classifyLogql(logql);
    if (kind === 'metric') {
      throw new GatewayError('bad_argument', 'The argument "logql" is a metric query; lines are summarized.', {
        remedy: 'Pass the selector and the pipeline inside it, or run it with query_loki_logs.',
      });
    }
    if (kind === 'invalid' && problem?.remedy !== undefined) {
      throw new GatewayError('bad_query', `This query cannot be read: ${problem.message}`, {
        remedy: `try: ${problem.remedy}`,
      });
    }
    return await logGroups(ctx, ds, logql, window, before, limit);
  },
});

/** The window, and the one that it is compared with. */
async function comparedWith(
  compare: string,
  window: Window,
  startGiven: boolean,
  ctx: ToolContext,
): Promise<{ window: Window; before?: { start: bigint; end: bigint } }> {
  const back = (by: bigint) => ({ window, before: { start: window.start - by, end: window.end - by } });
  switch (compare) {
    case 'none':
      return { window };
    case 'previous':
      return back(window.end - window.start);
    case '1d':
      return back(DAY);
    case '1w':
      return back(7n * DAY);
  }
  const at = await readInstant(compare, ctx.now, { zone: ctx.settings.timezone });
  if (at >= window.end || (startGiven && at <= window.start)) {
    throw new GatewayError('bad_time', 'The instant of "compare" is not inside the window.', {
      remedy: 'Leave start out, or give a window that the instant divides.',
    });
  }
  const before = startGiven ? window.start : at - (window.end - at);
  return { window: { ...window, start: at, defaulted: false }, before: { start: before, end: at } };
}
