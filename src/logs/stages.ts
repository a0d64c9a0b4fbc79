import { parser } from '@grafana/lezer-logql';

export interface Stage {
  /** As written, e.g. `| json` or `|= "x"`. */
  text: string;
  /** The log query up to and with this stage. */
  upTo: string;
}

/** The first log query in a LogQL text, log or metric: its selector and the stages behind it, by the official grammar. */
export function stagesOf(query: string): { selector: string; stages: Stage[] } | undefined {
  let start: number | undefined;
  let end = 0;
  let ended = false;
  const found: { from: number; to: number }[] = [];
  parser.parse(query).iterate({
    enter({ name, from, to }) {
      if (name === 'Selector') {
        ended = start !== undefined;
        start ??= from;
        if (!ended) end = to;
      }
      // Line filters in a row are one stage to the grammar, and several to whoever looks for the one that is wrong.
      if (!ended && start !== undefined && (name === 'PipelineStage' || name === 'LineFilter')) {
        if (name === 'LineFilter' && found.at(-1)?.from === from) found.pop();
        found.push({ from, to });
      }
    },
  });
  if (start === undefined) return undefined;
  const from = start;
  return {
    selector: query.slice(from, end),
    stages: found.map((stage) => ({ text: query.slice(stage.from, stage.to), upTo: query.slice(from, stage.to) })),
  };
}
