/** A query that Loki refuses: HTTP 400, `message` is the whole body. */
export class LogqlError extends Error {
  override name = 'LogqlError';
}

/** A refusal while evaluating that Loki answers with HTTP 500. */
export class EvaluationError extends Error {
  override name = 'EvaluationError';
}

/** `parse error : …`, Loki's text for what is wrong without a position. */
export function semanticError(message: string): LogqlError {
  return new LogqlError(`parse error : ${message}`);
}

/** `parse error at line L, col C: …`; both 0 is Loki's way to say that there is no position. */
export function syntaxError(line: number, column: number, message: string): LogqlError {
  if (line === 0 && column === 0) return semanticError(message);
  return new LogqlError(`parse error at line ${line}, col ${column}: ${message}`);
}

/** A pipeline stage that parses but cannot be built, for instance a broken template. */
export function stageError(stage: string, message: string): LogqlError {
  return semanticError(`stage '${stage}' : ${message}`);
}

/** What this engine does not know is refused by its name, never answered wrongly. */
export function unsupported(what: string): LogqlError {
  return new LogqlError(`not implemented in this sandbox: ${what}`);
}
