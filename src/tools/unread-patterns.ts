import { cutText, plural, showControls } from '../answer/text.ts';
import { lokiPatterns } from '../grafana/loki-index.ts';
import type { Datasource } from '../grafana/upstream.ts';
import { classifyLogql } from '../logs/logql.ts';
import type { MergedEntry } from '../logs/merge.ts';
import { fitsPattern } from '../logs/patterns.ts';
import type { ToolContext } from '../mcp/define.ts';

const MOST_TRIED = 100;
const MOST_SHOWN = 5;

/**
 * Rows for what Loki's own pattern ingester counted in the window and none of the lines that were read shows; nothing when
 * the query is more than a selector, or the server keeps no patterns.
 */
export async function unreadPatterns(
  ctx: ToolContext,
  ds: Datasource,
  query: string,
  entries: readonly MergedEntry[],
  window: { start: bigint; end: bigint },
): Promise<string[]> {
  const [selector] = classifyLogql(query).selectors;
  if (selector === undefined || selector.trim() !== query.trim()) return [];
  const asked = { query: selector, start: window.start, end: window.end };
  const patterns = await lokiPatterns(ctx.upstream, ds, asked).catch((error: unknown) => {
    if (ctx.call.signal.aborted) throw error;
    return undefined;
  });
  const unread = (patterns ?? [])
    .slice(0, MOST_TRIED)
    .filter(({ pattern }) => !entries.some(({ line }) => fitsPattern(line, pattern)));
  if (unread.length === 0) return [];
  const shown = unread.slice(0, MOST_SHOWN).map(({ pattern, level, lines }) => {
    return `  ${level ? `${level} ` : ''}× ${lines.toLocaleString('en-US')} ${cutText(showControls(pattern), 300)}`;
  });
  return [
    [
      `${plural(unread.length, "of Loki's own patterns fits", "of Loki's own patterns fit")} no line that was read:`,
      ...shown,
    ].join('\n'),
  ];
}
