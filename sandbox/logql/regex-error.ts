export class RegexError extends Error {
  override name = 'RegexError';
}

/** Go's form: `error parsing regexp: CODE: \`PART\``. */
export function fault(code: string, part: string): RegexError {
  return new RegexError(`error parsing regexp: ${code}: \`${part}\``);
}
