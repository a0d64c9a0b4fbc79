import { quoteData } from '../answer/edge.ts';
import { type MaskMode, maskText } from '../answer/mask.ts';
import { GatewayError } from '../errors.ts';
import { type Family, resolveDatasource } from '../grafana/datasources.ts';
import type { ToolContext } from '../mcp/define.ts';
import { resolveWindow } from '../time/read.ts';
import markdown from './debug-error.md';
import { findServices } from './services.ts';
import { soonOrNothing } from './soon.ts';
import { readTemplate } from './template.ts';

/** Enough of a message to find it again, short enough to leave out what varies behind it. */
const NEEDLE = 60;

export const debugError = {
  template: readTemplate(markdown),
  /** Values for the places of the template. Throws GatewayError bad_time for a `since` that is no time or not before now. */
  async values(args: Readonly<Record<string, string>>, ctx: ToolContext): Promise<Record<string, string>> {
    const { error = '', since = '1h' } = args;
    const { mask } = ctx.settings;
    await checkSince(since, ctx.now, ctx.settings.timezone);
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
    };
  },
};

async function checkSince(since: string, now: number, zone: string): Promise<void> {
  try {
    await resolveWindow({ start: since }, now, { zone });
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    throw new GatewayError(error.code, `The argument "since" cannot be used: ${error.message}`, error.details);
  }
}

/** What the calls name. While Grafana cannot be asked the prompt still reads well, and its first step says why. */
async function surroundings(ctx: ToolContext): Promise<{ label: string; loki: string; prometheus: string }> {
  const [found, loki, prometheus] = await Promise.all([
    findServices(ctx),
    ctx.call.identity.scopes.has('logs:read') ? uidOf('loki', ctx) : undefined,
    ctx.call.identity.scopes.has('metrics:read') ? uidOf('prometheus', ctx) : undefined,
  ]);
  return {
    label: found?.label ?? 'service_name',
    loki: found?.datasource ?? loki ?? '<uid of a Loki datasource>',
    prometheus: prometheus ?? '<uid of a Prometheus datasource>',
  };
}

async function uidOf(family: Family, ctx: ToolContext): Promise<string | undefined> {
  return (await soonOrNothing(resolveDatasource(ctx.upstream, undefined, family)))?.uid;
}

/**
 * What is searched for: of the first line that has letters, the longest stretch that is the same whenever the error comes
 * again and stands in the lines as it is. A secret, a time, an address or an id would not; a quote is escaped in JSON.
 */
function needleOf(error: string, mask: MaskMode): string {
  const line = error.split(/\r?\n/).find((one) => /\p{L}/u.test(one)) ?? error;
  const constant = maskText(line, mask).text.replaceAll(/\[masked:[\w-]+\]/g, '\n');
  const stretches = constant.replaceAll(/[^\s"\\]+/g, (word) => (varies(word) ? '\n' : word)).split(/["\\\n]/);
  const longest = longestOf(stretches.filter((one) => /\p{L}{2}/u.test(one))) ?? longestOf(constant.split('\n')) ?? '';
  return longest.slice(0, NEEDLE).replace(/[\uD800-\uDBFF]$/, '');
}

/** Two digits or more: a time, an address, a count, an id. */
function varies(word: string): boolean {
  return word.replace(/\D/g, '').length > 1;
}

function longestOf(texts: readonly string[]): string | undefined {
  return texts.map((text) => text.trim()).sort((a, b) => b.length - a.length)[0];
}

/** A LogQL string. */
function quote(text: string): string {
  return JSON.stringify(text);
}
