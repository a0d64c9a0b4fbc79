/** What was masked: how many of each kind, and the values themselves with their kind for whoever asks. */
export interface Marks {
  counts: Map<string, number>;
  originals?: Map<string, string> | undefined;
}

/** One masked value: its kind is counted and its mark returned. */
export function mark(kind: string, { counts, originals }: Marks, original: string): string {
  counts.set(kind, (counts.get(kind) ?? 0) + 1);
  originals?.set(original, kind);
  return `[masked:${kind}]`;
}

export const MARK_START = '[masked:';
