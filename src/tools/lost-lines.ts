import { lokiQueryRange } from '../grafana/loki.ts';
import type { Datasource } from '../grafana/upstream.ts';
import { readJsonFields, readLogfmt } from '../logs/fields.ts';
import { type MergedEntry, mergeStreams } from '../logs/merge.ts';
import { type Stage, stagesOf } from '../logs/stages.ts';
import type { ToolContext } from '../mcp/define.ts';
import { nearest } from '../nearest.ts';
import type { Window } from '../time/window.ts';
import { matchersOf, some } from './no-lines.ts';

/** Lines that are looked at to say what a stage had before it. */
const SAMPLE = 20;

/**
 * The stage of a log query that lets no line through, though lines reach it, and what is there instead. Found by
 * halving: two to four queries for twenty lines each. Empty when every stage lets lines through, or none has any.
 */
export async function lostLines(ctx: ToolContext, ds: Datasource, query: string, window: Window): Promise<string[]> {
  const pipeline = stagesOf(query);
  if (pipeline === undefined || pipeline.stages.length === 0) return [];
  const { selector, stages } = pipeline;
  const sample = async (text: string): Promise<MergedEntry[]> => {
    const { start, end } = window;
    const asked = { query: text, start, end, limit: SAMPLE, direction: 'backward' as const };
    const result = await lokiQueryRange(ctx.upstream, ds, asked);
    return result.type === 'streams' ? mergeStreams(result.streams, 'backward') : [];
  };
  let before = -1;
  let lost = stages.length - 1;
  let lines: MergedEntry[] | undefined;
  while (lost - before > 1) {
    const middle = (before + lost) >> 1;
    const through = await sample(stages[middle]?.upTo ?? selector);
    if (through.length === 0) lost = middle;
    else [before, lines] = [middle, through];
  }
  lines ??= await sample(stages[before]?.upTo ?? selector);
  const stage = stages[lost];
  if (stage === undefined || lines.length === 0) return [];
  const reaching = stages[before]?.upTo ?? selector;
  return [
    `lines come through ${reaching} and none through ${stage.text}`,
    ...(await otherCase(stage, reaching, sample)),
    ...unread(lines),
    ...labelsThere(stage, lines),
  ];
}

/** A parser that cannot read the lines, and the one that can. */
function unread(lines: readonly MergedEntry[]): string[] {
  const failed = lines.map((line) => line.parsed.__error__ ?? line.metadata.__error__ ?? line.stream.__error__);
  const [error] = failed.filter((text) => text !== undefined && text !== '');
  if (error === undefined) return [];
  const reads = (read: (line: string) => unknown) => lines.every(({ line }) => read(line) !== undefined);
  const better = reads(readLogfmt) ? '; they read as logfmt' : reads(readJsonFields) ? '; they read as json' : '';
  return [`a parser before it cannot read these lines (${error})${better}`];
}

/** For a label filter: whether these lines have the label at all, and with which values. */
function labelsThere(stage: Stage, lines: readonly MergedEntry[]): string[] {
  if (!/^\|\s*[a-zA-Z_(]/.test(stage.text)) return [];
  const all = lines.map(({ stream, metadata, parsed }) => ({ ...stream, ...metadata, ...parsed }));
  const names = [...new Set(all.flatMap((labels) => Object.keys(labels)))].filter((name) => !name.startsWith('__'));
  const asked = matchersOf(stage.text).map(({ name }) => name);
  if (asked.length === 0) return [];
  const absent = asked.find((name) => !names.includes(name));
  if (absent === undefined) {
    return asked.map(
      (name) => `values of ${name} there: ${some([...new Set(all.map((labels) => labels[name] ?? ''))])}`,
    );
  }
  const near = names.find((name) => name.endsWith(`_${absent}`)) ?? nearest(absent, names);
  const hint =
    near === undefined ? '' : `; near: ${near} (${some([...new Set(all.flatMap((l) => l[near] ?? []))], 6)})`;
  return [`these lines have no label ${absent}${hint}`, `labels there: ${some(names, 20)}`];
}

/** For a line filter: the same text in other letters. */
async function otherCase(
  stage: Stage,
  reaching: string,
  sample: (query: string) => Promise<MergedEntry[]>,
): Promise<string[]> {
  const text = /^\|=\s*(?:"([^"\\]+)"|`([^`]+)`)$/
    .exec(stage.text)
    ?.slice(1)
    .find((one) => one !== undefined);
  if (text === undefined || text.toLowerCase() === text.toUpperCase() || text.includes('`')) return [];
  const loose = `|~ \`(?i)${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\``;
  return (await sample(`${reaching} ${loose}`)).length > 0 ? [`some do in other letters: ${loose}`] : [];
}
