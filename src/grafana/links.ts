import { familyOf } from './families.ts';

/**
 * Link into Explore (schemaVersion 1, Grafana ≥ 10.1) that shows the queries over the window. `base` is the public
 * address; `start` and `end` are ns since epoch. Explore wants ms as text: numbers give its default range.
 */
export function exploreLink(
  base: string,
  ds: { uid: string; type: string },
  queries: { expr: string; instant?: boolean }[],
  window: { start: bigint; end: bigint },
  orgId?: number,
): string {
  const pane = {
    datasource: ds.uid,
    queries: queries.map(({ expr, instant = false }, i) => ({
      refId: refId(i),
      datasource: { type: ds.type, uid: ds.uid },
      expr,
      editorMode: 'code',
      ...(familyOf(ds.type) === 'loki' ? { queryType: instant ? 'instant' : 'range' } : { range: !instant, instant }),
    })),
    range: rangeOf(window),
  };
  return paneLink(base, pane, orgId);
}

/** Link into Explore that shows one trace by its id in a datasource of traces. */
export function traceLink(
  base: string,
  uid: string,
  traceId: string,
  window: { start: bigint; end: bigint },
  orgId?: number,
): string {
  const query = { refId: 'A', datasource: { uid }, queryType: 'traceql', query: traceId };
  return paneLink(base, { datasource: uid, queries: [query], range: rangeOf(window) }, orgId);
}

/** Outwards, so that nothing of the window is lost to the coarser unit. */
function rangeOf({ start, end }: { start: bigint; end: bigint }): { from: string; to: string } {
  return { from: String(start / 1_000_000n), to: String((end + 999_999n) / 1_000_000n) };
}

function paneLink(base: string, pane: object, orgId: number | undefined): string {
  const org = orgId === undefined ? '' : `&orgId=${orgId}`;
  return `${base.replace(/\/+$/, '')}/explore?schemaVersion=1${org}&panes=${encode(JSON.stringify({ a: pane }))}`;
}

/** A, B … Z, then AA. */
function refId(i: number): string {
  return (i >= 26 ? refId(Math.floor(i / 26) - 1) : '') + String.fromCharCode(65 + (i % 26));
}

/** encodeURIComponent leaves parentheses and quotes, at which markdown and chat clients end a link. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}
