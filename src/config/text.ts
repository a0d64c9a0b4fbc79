/** A value without white space and one pair of quotes around it (docker's --env-file and Helm keep them). */
export function clean(raw: string): { text: string; trimmed: boolean } {
  let text = raw.trim();
  const quoted = /^(["'])([\s\S]*)\1$/.exec(text);
  if (quoted) text = (quoted[2] ?? '').trim();
  return { text, trimmed: text !== raw };
}
