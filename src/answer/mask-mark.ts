/** One masked value: its kind is counted and its mark returned. */
export function mark(kind: string, counts: Map<string, number>): string {
  counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return `[masked:${kind}]`;
}

export const MARK_START = '[masked:';
