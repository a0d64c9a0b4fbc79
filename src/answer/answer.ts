/**
 * What a tool, a resource or an error has to say, before the edge (`edge.ts`) masks, fences and bounds it.
 * Handlers build one of these and never count characters themselves.
 */
export interface Answer {
  /**
   * Always kept. The first line answers: how many, more?, which window, from where. As a function it is told how many
   * rows stay, so that the count it names is true; pure like `after`.
   */
  head: string[] | ((shown: number) => string[]);
  /** Untrusted lines that hold for all rows (shared labels, a table's header): always kept, inside the fence above the rows. */
  lead?: string[];
  /**
   * Untrusted rows, most useful first; cut from the end until the whole fits the budget. Each is one entry (may hold
   * newlines). Read once and only as far as the budget reaches, so that rows may be made as they are read.
   */
  rows?: Iterable<string>;
  /**
   * Told how many rows stay: cursor, narrower queries ready to paste, notes. Always kept. Pure: called several times.
   * Where a row stands for several entries (logs), `countEntries(rows, shown)` of logs/rows.ts tells how many.
   */
  after?: (shown: number) => string[];
  /** One link into Grafana that shows the same. */
  link?: string;
}

/** For small list tools: the same facts as compact JSON text and as structured content, cut by entries. */
export interface JsonAnswer {
  /** How many entries there are to show at most. */
  entries: number;
  /** The whole object when the first `shown` entries stay (with `total`, `nextCursor` …). */
  structured: (shown: number) => Record<string, unknown>;
}

export type ToolOutput = Answer | JsonAnswer;
