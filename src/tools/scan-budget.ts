import { showBytes } from '../answer/text.ts';
import { GatewayError } from '../errors.ts';
import { lokiLabels } from '../grafana/loki.ts';
import { lokiStats, lokiVolume } from '../grafana/loki-index.ts';
import type { Datasource } from '../grafana/upstream.ts';
import { type Evaluation, type Scan, scaleRanges, scansOf } from '../logs/scans.ts';
import { serviceLabel } from '../logs/service-label.ts';
import type { ToolContext } from '../mcp/define.ts';
import { showIso, showSpan } from '../time/show.ts';
import { matchersOf, some } from './no-lines.ts';

// --scan-budget and --session-scan-budget. What a query will read is asked of Loki's index before it is run; what it
// did read, Loki says in its answer. A server that knows neither is not held up.

/** An hour of streams that an equality picks is taken to be below this, and not asked about where that much may be read. */
const NARROW_BYTES = 1024 ** 3;
const HOUR = 3_600_000_000_000n;
/** Selectors of one query that the index is asked about. */
const MOST_SCANS = 6;

export interface Cost {
  /** What to say of it in the answer, once everything is read: nothing below a tenth of the budget. */
  notes(): string[];
}

/** Throws `scan_budget` with the bytes and what would fit when the evaluations of `query` would read too much. */
export async function withinBudget(
  ctx: ToolContext,
  ds: Datasource,
  query: string,
  evaluations: readonly Evaluation[],
): Promise<Cost> {
  const { scanBudget, sessionScanBudget } = ctx.settings;
  const spent = ctx.scanned.session?.bytes ?? 0;
  const left = sessionScanBudget === 0 || !ctx.scanned.session ? Number.POSITIVE_INFINITY : sessionScanBudget - spent;
  const allowed = Math.min(scanBudget === 0 ? Number.POSITIVE_INFINITY : scanBudget, left);
  if (allowed === Number.POSITIVE_INFINITY) return { notes: () => [] };
  const scans = evaluations.flatMap((one) => scansOf(query, one)).slice(0, MOST_SCANS);
  const asked = allowed < NARROW_BYTES || scans.some(isWide);
  const bytes = asked ? await bytesOf(ctx, ds, scans) : undefined;
  if (left <= 0 || (bytes ?? 0) > allowed) {
    throw await refusal(ctx, ds, query, evaluations, { bytes: bytes ?? 0, allowed, left, spent });
  }
  return { notes: () => notesOf(ctx, bytes) };
}

function isWide({ selector, start, end }: Scan): boolean {
  return end - start > HOUR || !matchersOf(selector).some(({ op, value }) => op === '=' && value !== '');
}

/** Undefined where the index cannot say. */
async function bytesOf(ctx: ToolContext, ds: Datasource, scans: readonly Scan[]): Promise<number | undefined> {
  const known = await Promise.all(
    scans.map(async ({ selector, start, end }) => {
      try {
        return (await lokiStats(ctx.upstream, ds, { query: selector, start, end }))?.bytes;
      } catch (error) {
        if (ctx.call.signal.aborted) throw error;
        return undefined;
      }
    }),
  );
  const counted = known.filter((bytes) => bytes !== undefined);
  return counted.length === 0 ? undefined : counted.reduce((sum, bytes) => sum + bytes, 0);
}

function notesOf(ctx: ToolContext, estimate: number | undefined): string[] {
  const { scanBudget, sessionScanBudget } = ctx.settings;
  const { bytes, session } = ctx.scanned;
  const read = bytes > 0 ? bytes : (estimate ?? 0);
  const total = session?.bytes ?? 0;
  return [
    ...(scanBudget > 0 && read * 10 > scanBudget
      ? [`read ${bytes > 0 ? '' : 'up to '}${showBytes(read)} of logs; a call may read ${showBytes(scanBudget)}`]
      : []),
    ...(sessionScanBudget > 0 && total * 2 > sessionScanBudget
      ? [`this session has read ${showBytes(total)} of its ${showBytes(sessionScanBudget)}`]
      : []),
  ];
}

interface Excess {
  bytes: number;
  allowed: number;
  left: number;
  spent: number;
}

async function refusal(
  ctx: ToolContext,
  ds: Datasource,
  query: string,
  evaluations: readonly Evaluation[],
  { bytes, allowed, left, spent }: Excess,
): Promise<GatewayError> {
  const { scanBudget, sessionScanBudget } = ctx.settings;
  if (left <= 0) {
    return new GatewayError(
      'scan_budget',
      `This session has read ${showBytes(spent)} of logs; it may read ${showBytes(sessionScanBudget)}.`,
      { remedy: 'A new session begins anew; the operator sets --session-scan-budget.' },
    );
  }
  const limit =
    allowed === scanBudget
      ? `a call may read ${showBytes(scanBudget)} (--scan-budget)`
      : `this session may read ${showBytes(left)} more (--session-scan-budget)`;
  const [fits, loud] = await Promise.all([
    narrower(ctx, ds, query, evaluations, allowed / bytes, allowed),
    loudest(ctx, ds, scansOf(query, evaluations[0] ?? { start: 0n, end: 1n, instant: false })[0]),
  ]);
  return new GatewayError(
    'scan_budget',
    `The query would read about ${showBytes(bytes)} of logs, and ${limit}; it was not run.`,
    {
      ...(loud === undefined ? {} : { said: [loud] }),
      remedy: fits ?? 'Add a matcher to the selector, or take a shorter window.',
    },
  );
}

/** A window or ranges that the index says do fit; tried in thirds, since logs are not spread evenly. */
async function narrower(
  ctx: ToolContext,
  ds: Datasource,
  query: string,
  evaluations: readonly Evaluation[],
  share: number,
  allowed: number,
): Promise<string | undefined> {
  const [main] = evaluations;
  if (main === undefined) return undefined;
  for (let factor = share * 0.9, tries = 0; tries < 3; factor /= 3, tries++) {
    const shorter = main.instant ? scaleRanges(query, factor) : query;
    const span = humanSpan(Number((main.end - main.start) / 1_000_000n) * factor);
    if (!main.instant && span === undefined) return undefined;
    const start = main.end - BigInt(span ?? 0) * 1_000_000n;
    const tried = evaluations.map((one) => (one.instant ? one : { ...one, start: one.end - (main.end - start) }));
    const bytes = await bytesOf(ctx, ds, tried.flatMap((one) => scansOf(shorter, one)).slice(0, MOST_SCANS));
    if (bytes === undefined || bytes > allowed) continue;
    const about = `(about ${showBytes(bytes)})`;
    if (main.instant) return shorter === query ? undefined : `This fits ${about}: ${shorter}`;
    return `The last ${showSpan(span ?? 0)} of it fit ${about}: the same with start="${showIso(start)}" end="${showIso(main.end)}".`;
  }
  return undefined;
}

/** The largest span for people that is not above `ms`. */
function humanSpan(ms: number): number | undefined {
  const minutes = [10_080, 4_320, 2_880, 1_440, 720, 360, 180, 120, 60, 30, 20, 15, 10, 5, 2, 1];
  const found = minutes.find((n) => n * 60_000 <= ms);
  if (found !== undefined) return found * 60_000;
  return ms >= 1000 ? Math.floor(ms / 1000) * 1000 : undefined;
}

/** Which services the bytes belong to, where the index knows volumes. */
async function loudest(ctx: ToolContext, ds: Datasource, scan: Scan | undefined): Promise<string | undefined> {
  if (scan === undefined) return undefined;
  const { selector: query, start, end } = scan;
  try {
    const label = serviceLabel((await lokiLabels(ctx.upstream, ds, { start, end })).values);
    if (label === undefined) return undefined;
    const volumes = await lokiVolume(ctx.upstream, ds, { query, start, end, limit: 100, targetLabels: [label] });
    const shown = (volumes ?? []).map(({ labels, bytes }) => `${labels[label] ?? '(none)'} ${showBytes(bytes)}`);
    return shown.length < 2 ? undefined : `by ${label}: ${some(shown, 8)}`;
  } catch (error) {
    if (ctx.call.signal.aborted) throw error;
    return undefined;
  }
}
