import { familyOf } from './families.ts';

/** Where links lead: the public address, and the version of the Grafana behind it ('' where it is not known). */
export interface LinkSite {
  publicUrl: string;
  version: string;
}

/**
 * Link into Explore that shows the queries over the window (ns since epoch): `panes` (schemaVersion 1, Grafana ≥ 10.1), or
 * `left` before that. Explore wants ms as text: numbers give its default range.
 */
export function exploreLink(
  site: LinkSite,
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
  return paneLink(site, pane, orgId);
}

/** Link into Explore that shows one trace by its id in a datasource of traces. */
export function traceLink(
  site: LinkSite,
  uid: string,
  traceId: string,
  window: { start: bigint; end: bigint },
  orgId?: number,
): string {
  const query = { refId: 'A', datasource: { uid }, queryType: 'traceql', query: traceId };
  return paneLink(site, { datasource: uid, queries: [query], range: rangeOf(window) }, orgId);
}

/** Outwards, so that nothing of the window is lost to the coarser unit. */
function rangeOf({ start, end }: { start: bigint; end: bigint }): { from: string; to: string } {
  return { from: String(start / 1_000_000n), to: String((end + 999_999n) / 1_000_000n) };
}

function paneLink({ publicUrl, version }: LinkSite, pane: object, orgId: number | undefined): string {
  const org = orgId === undefined ? [] : [`orgId=${orgId}`];
  const query = isBeforePanes(version)
    ? [...org, `left=${encode(JSON.stringify(pane))}`]
    : ['schemaVersion=1', ...org, `panes=${encode(JSON.stringify({ a: pane }))}`];
  return `${publicUrl.replace(/\/+$/, '')}/explore?${query.join('&')}`;
}

/** Grafana < 10.1 shows nothing for `panes`, while newer ones still read `left`. */
function isBeforePanes(version: string): boolean {
  const [, major = 'x', minor = '0'] = /^v?(\d+)\.(\d+)/.exec(version) ?? [];
  return Number(major) < 10 || (Number(major) === 10 && Number(minor) < 1);
}

/** A, B … Z, then AA. */
function refId(i: number): string {
  return (i >= 26 ? refId(Math.floor(i / 26) - 1) : '') + String.fromCharCode(65 + (i % 26));
}

/** encodeURIComponent leaves parentheses and quotes, at which markdown and chat clients end a link. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}
