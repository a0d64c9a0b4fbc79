import { GatewayError } from '../errors.ts';
import { readDuration } from './read.ts';
import { showSpan } from './show.ts';

/** Prometheus's and Loki's own limit: (end − start) / step. */
const MAX_POINTS = 11_000;
const DEFAULT_POINTS = 120;

const S = 1_000;
const M = 60 * S;
const H = 60 * M;
const D = 24 * H;
const HUMAN = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * S),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * M),
  ...[1, 2, 3, 6, 12].map((n) => n * H),
  ...[1, 2, 7, 14, 28].map((n) => n * D),
];

/**
 * The given step, or a human one that meets the point budget and, where one is near, is a multiple of the scrape interval.
 * Throws `too_many_points` with the smallest that fits when the given step is too small.
 */
export function chooseStep(
  w: { start: bigint; end: bigint },
  opt: { given?: string | number | undefined; scrapeMs?: number | undefined; points?: number | undefined } = {},
): { stepMs: number; auto: boolean } {
  const rangeMs = Number(w.end - w.start) / 1e6;
  if (opt.given !== undefined && opt.given !== '')
    return { stepMs: checked(readDuration(opt.given), rangeMs), auto: false };
  const points = Math.min(Math.max(1, opt.points ?? DEFAULT_POINTS), MAX_POINTS);
  const least = Math.max(rangeMs / points, opt.scrapeMs ?? 0, S);
  return { stepMs: humanStep(least, opt.scrapeMs), auto: true };
}

/** The smallest human step that is at least `leastMs`. */
function humanStep(leastMs: number, scrapeMs = 0): number {
  const fitting = HUMAN.filter((step) => step >= leastMs);
  const multiple = fitting.find((step) => scrapeMs > 0 && step % scrapeMs === 0 && step <= leastMs * 3);
  return multiple ?? fitting[0] ?? Math.ceil(leastMs / (28 * D)) * 28 * D;
}

function checked(stepMs: number, rangeMs: number): number {
  if (rangeMs / stepMs <= MAX_POINTS) return stepMs;
  const least = rangeMs / MAX_POINTS;
  const fits = least > S ? Math.ceil(least / S) * S : Math.ceil(least);
  throw new GatewayError(
    'too_many_points',
    `A step of ${showSpan(stepMs)} over ${showSpan(rangeMs)} gives ${Math.floor(rangeMs / stepMs).toLocaleString('en-US')} points a series; the limit is 11,000.`,
    { remedy: `Use step="${showSpan(fits)}" (the smallest that fits), or leave step out.` },
  );
}
