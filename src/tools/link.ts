import { exploreLink } from '../grafana/links.ts';
import type { Datasource } from '../grafana/upstream.ts';
import { grafanaSite } from '../grafana/whoami.ts';
import type { ToolContext } from '../mcp/define.ts';

/** A link into Explore, or nothing: an answer without its link is better than none. */
export async function linkOf(
  ctx: ToolContext,
  ds: Datasource,
  query: { expr: string; instant?: boolean },
  window: { start: bigint; end: bigint },
): Promise<{ link?: string }> {
  try {
    const site = await grafanaSite(ctx.upstream);
    return { link: exploreLink(site, ds, [query], window, ctx.upstream.fixed?.orgId) };
  } catch {
    return {};
  }
}
