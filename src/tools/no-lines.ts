import type { Answer } from '../answer/answer.ts';
import { plural } from '../answer/text.ts';
import { lokiLabels, lokiLabelValues } from '../grafana/loki.ts';
import { lokiStats } from '../grafana/loki-index.ts';
import type { Datasource } from '../grafana/upstream.ts';
import { classifyLogql } from '../logs/logql.ts';
import type { ToolContext } from '../mcp/define.ts';
import { nearest } from '../nearest.ts';
import { showIso, showWindow } from '../time/show.ts';
import type { Window } from '../time/window.ts';
import { lostLines } from './lost-lines.ts';

const OLD_NS = 7n * 86_400_000_000_000n;
const MATCHER = /([a-zA-Z_]\w*)\s*(=~|!=|!~|=)\s*("(?:\\.|[^"\\])*"|`[^`]*`)/g;

interface Matcher {
  name: string;
  op: string;
  value: string;
  text: string;
}

/** What is known of a log query without lines: the label that no stream has, or the stage that lets nothing through. */
export async function whyNoLines(ctx: ToolContext, ds: Datasource, query: string, window: Window): Promise<Answer> {
  const where = `${showWindow(window, ctx.settings.timezone)} · ${ds.name}`;
  const says: string[] = [];
  try {
    says.push(...(await diagnose(ctx, ds, query, window)));
  } catch (error) {
    // The answer itself stands; only a cancelled call ends here.
    if (ctx.call.signal.aborted) throw error;
  }
  return { head: [`no lines · ${where}`], ...(says.length > 0 ? { rows: says } : {}), after: () => clockNote(window) };
}

/** Models often ask for a date out of their training. */
export function clockNote(window: Window): string[] {
  const now = BigInt(Math.floor(window.now ?? 0)) * 1_000_000n;
  return now - window.end > OLD_NS ? [`the clock of this call is ${showIso(now)}; did you mean start="now-1h"?`] : [];
}

async function diagnose(ctx: ToolContext, ds: Datasource, query: string, window: Window): Promise<string[]> {
  const selector = classifyLogql(query).selectors[0];
  if (selector === undefined) return [];
  const up = ctx.upstream;
  const { start, end } = window;
  const { values: labels } = await lokiLabels(up, ds, { start, end });
  if (labels.length === 0) return ['no stream has a line in this window'];
  for (const matcher of matchersOf(selector)) {
    if (!labels.includes(matcher.name)) {
      const near = nearest(matcher.name, labels);
      const hint = near === undefined ? '' : `; near: ${near}`;
      return [
        `no stream has a label ${matcher.name} in this window${hint}`,
        `labels that exist: ${some(labels, 40)}; a field or metadata of the lines is a filter behind the braces: | ${matcher.text}`,
      ];
    }
    if (matcher.op !== '=') continue;
    const { values } = await lokiLabelValues(up, ds, matcher.name, { start, end });
    if (values.includes(matcher.value)) continue;
    const near = nearest(matcher.value, values);
    return [
      `no stream has ${matcher.text} in this window${near === undefined ? '' : `; near: ${await counted(matcher.name, near)}`}`,
      `values of ${matcher.name}: ${some(values)}`,
      ...(await otherLabels(matcher.name)),
    ];
  }
  const stats = await lokiStats(up, ds, { query: selector, start, end });
  if (stats === undefined) return [];
  if (stats.streams === 0) return [`each label value exists, but no stream matches ${selector} in this window`];
  const lost = stats.entries > 0 ? await lostLines(ctx, ds, query, window) : [];
  const rest = lost.length > 0 ? '' : '; none comes through the rest of the query';
  return [`${selector} holds ${plural(stats.entries, 'line')} in about this window${rest}`, ...lost];

  async function counted(name: string, value: string): Promise<string> {
    const text = `${name}=${JSON.stringify(value)}`;
    const known = await lokiStats(up, ds, { query: `{${text}}`, start, end });
    return known === undefined ? text : `${text} (${plural(known.entries, 'line')})`;
  }

  async function otherLabels(but: string): Promise<string[]> {
    const others = labels.filter((name) => name !== but && !name.startsWith('__')).slice(0, 4);
    const shown = await Promise.all(
      others.map(async (name) => `${name} (${some((await lokiLabelValues(up, ds, name, { start, end })).values, 6)})`),
    );
    return shown.length === 0 ? [] : [`other labels that exist: ${shown.join(', ')}`];
  }
}

/** Matchers of labels in a LogQL or PromQL text, as written. */
export function matchersOf(selector: string): Matcher[] {
  return [...selector.matchAll(MATCHER)].map(([text, name = '', op = '', quoted = '']) => ({
    name,
    op,
    value: unquote(quoted),
    text,
  }));
}

function unquote(text: string): string {
  if (text.startsWith('`')) return text.slice(1, -1);
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}

/** The first values and how many more there are. */
export function some(values: readonly string[], max = 12): string {
  const rest = values.length - max;
  return values.slice(0, max).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
