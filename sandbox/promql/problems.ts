/** A query that Prometheus would not parse; `from` is the UTF-16 offset that the message points at. */
export class ParseProblem extends Error {
  readonly from: number;
  constructor(from: number, message: string) {
    super(message);
    this.from = from;
  }
}

/** A query that parses and cannot be answered (Prometheus: 422 `execution`). */
export class ExecutionProblem extends Error {}

/** `<line>:<column>: parse error: <message>`, the column in bytes as Prometheus counts. */
export function parseErrorText(query: string, problem: ParseProblem): string {
  const before = query.slice(0, problem.from).split('\n');
  const column = Buffer.byteLength(before.at(-1) ?? '') + 1;
  return `${before.length}:${column}: parse error: ${problem.message}`;
}
