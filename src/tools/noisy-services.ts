import type { Answer } from '../answer/answer.ts';
import { alignRows } from '../answer/table.ts';
import { plural } from '../answer/text.ts';
import { lokiLabels, lokiQuery } from '../grafana/loki.ts';
import type { Datasource } from '../grafana/upstream.ts';
import { serviceLabel } from '../logs/service-label.ts';
import type { ToolContext } from '../mcp/define.ts';
import { showSpan, showWindow } from '../time/show.ts';
import type { Window } from '../time/window.ts';
import { explained } from './explain.ts';
import { withinBudget } from './scan-budget.ts';

interface Noise {
  lines: number;
  errors: number;
}

/** What the server has found to be an error, else what says so. */
const ERRORS = ['| detected_level=~"error|critical|fatal"', '|~ "(?i)\\\\b(?:error|exception|fatal|panic)\\\\b"'];

/** The services of a datasource by lines and errors, those whose errors grew first. */
export async function noisyServices(
  ctx: ToolContext,
  ds: Datasource,
  window: Window,
  before: { start: bigint; end: bigint } | undefined,
  limit: number,
): Promise<Answer> {
  const where = `${showWindow(window, ctx.settings.timezone)} · ${ds.name}`;
  const names = (await lokiLabels(ctx.upstream, ds, window)).values;
  const label = serviceLabel(names) ?? names[0];
  if (label === undefined) return { head: [`no lines · ${where}`] };
  const windows = before === undefined ? [window] : [window, before];
  const cost = await withinBudget(
    ctx,
    ds,
    `{${label}=~".+"}`,
    windows.map(({ start, end }) => ({ start, end, instant: false })),
  );
  const count = async (filter: string, { start, end }: { start: bigint; end: bigint }) => {
    const span = showSpan(Math.ceil(Number(end - start) / 1e6));
    const query = `sum by (${label}) (count_over_time({${label}=~".+"} ${filter} [${span}]))`;
    const result = await explained('loki', query, lokiQuery(ctx.upstream, ds, { query, time: end }));
    const series = result.type === 'vector' ? result.series : [];
    return new Map(series.map(({ labels, values }) => [labels[label] ?? '', values.at(-1) ?? 0]));
  };
  const noise = async (bounds: { start: bigint; end: bigint }, filter: string) =>
    await Promise.all([count('', bounds), count(filter, bounds)]);
  let [filter = ''] = ERRORS;
  let [lines, errors] = await noise(window, filter);
  if (errors.size === 0) {
    filter = ERRORS[1] ?? '';
    errors = await count(filter, window);
  }
  const [oldLines, oldErrors] = before === undefined ? [undefined, undefined] : await noise(before, filter);
  const services = [...lines].map(([name, n]) => ({
    name,
    now: { lines: n, errors: errors.get(name) ?? 0 },
    old: oldLines && { lines: oldLines.get(name) ?? 0, errors: oldErrors?.get(name) ?? 0 },
  }));
  services.sort(
    (a, b) => gain(b.now, b.old) - gain(a.now, a.old) || b.now.errors - a.now.errors || b.now.lines - a.now.lines,
  );
  const rows = services
    .slice(0, limit)
    .map(({ name, now, old }) => [
      name,
      whole(now.errors),
      old ? whole(old.errors) : '',
      changeOf(now.errors, old?.errors),
      whole(now.lines),
      old ? whole(old.lines) : '',
      changeOf(now.lines, old?.lines),
    ]);
  const [header = '', ...shown] = alignRows(
    [[label, 'errors', before ? 'before' : '', '', 'lines', before ? 'before' : '', ''], ...rows],
    [false, true, true, false, true, true, false],
  );
  const top = services[0];
  return {
    head: (n) => [
      `${plural(services.length, 'service')} by ${label}${n < services.length ? `, ${n} shown` : ''}, grown errors first · ${where}`,
    ],
    lead: [header],
    rows: shown,
    after: () => [
      `errors are lines that match: ${filter}`,
      ...cost.notes(),
      ...(top === undefined ? [] : [`next: summarize_loki_logs logql={${label}=${JSON.stringify(top.name)}}`]),
    ],
  };
}

/** How many more errors than before, where that is more than chance: three standard deviations of the count before. */
function gain(now: Noise, old: Noise | undefined): number {
  if (old === undefined) return 0;
  const more = now.errors - old.errors;
  return more > 3 * Math.sqrt(old.errors + 1) ? more : 0;
}

function changeOf(now: number, old: number | undefined): string {
  if (old === undefined || now === old) return '';
  if (old === 0) return 'new';
  if (now === 0) return 'gone';
  const factor = now / old;
  return factor >= 1.5 || factor <= 0.67 ? `× ${factor < 1 ? factor.toFixed(2) : factor.toFixed(1)}` : '';
}

function whole(n: number): string {
  return n.toLocaleString('en-US');
}
