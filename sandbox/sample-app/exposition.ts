import type { MetricStore } from '../data/store.ts';
import { STALE } from '../promql/values.ts';

/** A sample older than this is of a target that is gone. ms */
const LOOKBACK = 60_000;

/** The newest value of every series as Prometheus's text format 0.0.4, families together. */
export function exposition(metrics: MetricStore, now: number): string {
  const families = new Map<string, string[]>();
  for (const { labels, values } of metrics.select(() => true, now - LOOKBACK, now)) {
    const value = values.at(-1);
    if (value === undefined || value === STALE) continue;
    const { __name__: name = '', ...own } = labels;
    const family = name.replace(/_(?:bucket|sum|count)$/, '');
    const key = metrics.metadata().get(family)?.type === 'histogram' ? family : name;
    const inner = Object.entries(own).map(([label, text]) => `${label}="${escaped(text)}"`);
    const lines = families.get(key) ?? families.set(key, []).get(key);
    lines?.push(`${name}{${inner.join(',')}} ${shown(value)}`);
  }
  const out: string[] = [];
  for (const [name, lines] of [...families].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const known = metrics.metadata().get(name);
    if (known?.help) out.push(`# HELP ${name} ${known.help.replace(/\\/g, '\\\\').replace(/\n/g, '\\n')}`);
    out.push(`# TYPE ${name} ${known?.type ?? 'untyped'}`, ...lines);
  }
  return `${out.join('\n')}\n`;
}

function escaped(text: string): string {
  return text.replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/"/g, '\\"');
}

function shown(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return Number.isFinite(value) ? String(value) : value > 0 ? '+Inf' : '-Inf';
}
