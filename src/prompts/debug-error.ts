import { quoteData } from '../answer/edge.ts';
import { type MaskMode, maskText } from '../answer/mask.ts';
import { resolveDatasource } from '../grafana/datasources.ts';
import type { ToolContext } from '../mcp/define.ts';
import { readInstant } from '../time/read.ts';
import markdown from './debug-error.md';
import { findServices } from './services.ts';
import { readTemplate } from './template.ts';

/** Enough of a message to find it again, short enough to leave out what varies behind it. */
const NEEDLE = 60;

export const debugError = {
  template: readTemplate(markdown),
  /** Values for the places of the template. Throws GatewayError bad_time for a `since` that is no time. */
  async values(args: Readonly<Record<string, string>>, ctx: ToolContext): Promise<Record<string, string>> {
    const { error = '', since = '1h' } = args;
    const { mask } = ctx.settings;
    await readInstant(since, ctx.now);
    // The calls stand outside the fence: what they hold is masked on its own.
    const service = args.service === undefined ? undefined : maskText(args.service, mask).text;
    const { label, loki, prometheus } = await surroundings(ctx);
    const everywhere = `{${label}=~".+"}`;
    const selector = service === undefined ? everywhere : `{${label}=${quote(service)}}`;
    const needle = needleOf(error, mask);
    const log = `${selector} |= ${quote(needle)}`;
    const lines = [`error: ${error}`, ...(service === undefined ? [] : [`service: ${service}`]), `since: ${since}`];
    return {
      quoted: quoteData(
        lines.flatMap((line) => line.split(/\r?\n/)),
        mask,
      ),
      start: JSON.stringify(since),
      loki: JSON.stringify(loki),
      prometheus: JSON.stringify(prometheus),
      log_query: JSON.stringify(log),
      count_query: JSON.stringify(`sum(count_over_time(${log} [1m]))`),
      stream_query: JSON.stringify(selector),
      trace_query: JSON.stringify(`${everywhere} |= "<trace id>"`),
      metric_words: JSON.stringify(service ?? 'error'),
    };
  },
};

/** What the calls name. While Grafana cannot be asked the prompt still reads well, and its first step says why. */
async function surroundings(ctx: ToolContext): Promise<{ label: string; loki: string; prometheus: string }> {
  const { scopes } = ctx.call.identity;
  const [found, metrics] = await Promise.all([
    findServices(ctx).catch(() => undefined),
    scopes.has('metrics:read')
      ? resolveDatasource(ctx.upstream, undefined, 'prometheus').catch(() => undefined)
      : undefined,
  ]);
  return {
    label: found?.label ?? 'service_name',
    loki: found?.datasource ?? '<uid of a Loki datasource>',
    prometheus: metrics?.uid ?? '<uid of a Prometheus datasource>',
  };
}

/**
 * What is searched for: of the first line that has letters, the longest stretch that holds no secret, without what often
 * varies at its end. It stands in the lines as it is, which a text with masks in it would not.
 */
function needleOf(error: string, mask: MaskMode): string {
  const line = error.split(/\r?\n/).find((one) => /\p{L}/u.test(one)) ?? error;
  const [longest = ''] = maskText(line, mask)
    .text.split(/\[masked:[\w-]+\]/)
    .map((part) => part.trim())
    .sort((a, b) => b.length - a.length);
  return longest.slice(0, NEEDLE).replace(/[\uD800-\uDBFF]$/, '');
}

/** A LogQL string. */
function quote(text: string): string {
  return JSON.stringify(text);
}
