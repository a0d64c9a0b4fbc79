import { parser } from '@grafana/lezer-logql';
import type { SyntaxNode } from '@lezer/common';
import { readDuration } from '../time/read.ts';
import { showSpan } from '../time/show.ts';

/** Lines that a query makes Loki read: those of one selector in one span of time. */
export interface Scan {
  selector: string;
  /** ns since epoch */
  start: bigint;
  end: bigint;
}

export interface Evaluation {
  start: bigint;
  end: bigint;
  /** A metric query that is evaluated at `end` alone. */
  instant: boolean;
}

/**
 * What a query reads, by the official grammar: a range vector reaches back by its range, and by its offset. One entry
 * for each selector, as Loki reads each; empty for a query without any.
 */
export function scansOf(query: string, { start, end, instant }: Evaluation): Scan[] {
  const scans: Scan[] = [];
  parser.parse(query).iterate({
    enter({ name, node }) {
      if (name !== 'Selector') return;
      const range = node.parent?.name === 'LogRangeExpr' ? node.parent : undefined;
      const over = durationOf(query, range?.getChild('Range')) ?? 0n;
      const back = durationOf(query, range?.getChild('OffsetExpr')) ?? 0n;
      scans.push({
        selector: query.slice(node.from, node.to),
        start: (instant && range !== undefined ? end : start) - over - back,
        end: end - back,
      });
    },
  });
  return scans;
}

/** The query with every range multiplied by `factor`, at least a second each. */
export function scaleRanges(query: string, factor: number): string {
  let out = '';
  let from = 0;
  parser.parse(query).iterate({
    enter({ name, node }) {
      if (name !== 'Range') return;
      const over = durationOf(query, node);
      const text = node.getChild('Duration');
      if (over === undefined || text === null) return;
      const seconds = Math.max(1, Math.floor((Number(over) / 1e9) * factor));
      out += query.slice(from, text.from) + showSpan(seconds * 1000);
      from = text.to;
    },
  });
  return out + query.slice(from);
}

/** In ns; negative behind a minus (an offset into the future). */
function durationOf(query: string, node: SyntaxNode | null | undefined): bigint | undefined {
  const duration = node?.getChild('Duration');
  if (duration === null || duration === undefined) return undefined;
  const text = query.slice(duration.from, duration.to);
  try {
    const ms = readDuration(text.replace(/^-/, ''));
    return BigInt(ms) * (text.startsWith('-') ? -1_000_000n : 1_000_000n);
  } catch {
    return undefined;
  }
}
