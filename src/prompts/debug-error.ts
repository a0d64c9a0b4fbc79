import { quoteData } from '../answer/edge.ts';
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
    const { error = '', service, since = '1h' } = args;
    await readInstant(since, ctx.now);
    const { label, loki, prometheus } = await surroundings(ctx);
    const everywhere = `{${label}=~".+"}`;
    const selector = service === undefined ? everywhere : `{${label}=${quote(service)}}`;
    const needle = needleOf(error);
    const log = `${selector} |= ${quote(needle)}`;
    const lines = [`error: ${error}`, ...(service === undefined ? [] : [`service: ${service}`]), `since: ${since}`];
    return {
      quoted: quoteData(
        lines.flatMap((line) => line.split(/\r?\n/)),
        ctx.settings.mask,
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
  const found = await findServices(ctx).catch(() => undefined);
  const metrics = await resolveDatasource(ctx.upstream, undefined, 'prometheus').catch(() => undefined);
  return {
    label: found?.label ?? 'service_name',
    loki: found?.datasource ?? '<uid of a Loki datasource>',
    prometheus: metrics?.uid ?? '<uid of a Prometheus datasource>',
  };
}

/** The most telling part of the error: its first line that has letters, without what often varies at its end. */
function needleOf(error: string): string {
  const line = error.split(/\r?\n/).find((one) => /\p{L}/u.test(one)) ?? error;
  const cut = line.trim().slice(0, NEEDLE);
  return cut.replace(/[\uD800-\uDBFF]$/, '');
}

/** A LogQL string. */
function quote(text: string): string {
  return JSON.stringify(text);
}
