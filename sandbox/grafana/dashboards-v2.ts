import { z } from 'zod';

const datasource = z.object({ type: z.string(), uid: z.string() });
const classic = z.object({
  title: z.unknown(),
  tags: z.array(z.string()),
  time: z.object({ from: z.string(), to: z.string() }),
  panels: z.array(
    z.object({
      id: z.number(),
      title: z.string(),
      type: z.string(),
      datasource,
      gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
      fieldConfig: z.unknown().optional(),
      targets: z.array(z.looseObject({ refId: z.string() })),
    }),
  ),
  templating: z.object({ list: z.array(z.looseObject({ name: z.string(), datasource, query: z.string() })) }),
});

/** The demo's dashboard as schema v2 has it: elements and a layout that refers to them. Query variables only. */
export function asV2(model: Record<string, unknown>): Record<string, unknown> {
  const { title, tags, time, panels, templating } = classic.parse(model);
  const query = (ds: z.output<typeof datasource>, spec: object) => ({
    kind: 'DataQuery',
    group: ds.type,
    version: 'v0',
    datasource: { name: ds.uid },
    spec,
  });
  const elements = panels.map((panel) => {
    const queries = panel.targets.map(({ refId, datasource: _own, ...spec }) => ({
      kind: 'PanelQuery',
      spec: { refId, hidden: false, query: query(panel.datasource, spec) },
    }));
    const data = { kind: 'QueryGroup', spec: { queries, transformations: [], queryOptions: {} } };
    const vizConfig = { kind: 'VizConfig', group: panel.type, spec: { fieldConfig: panel.fieldConfig, options: {} } };
    const spec = { id: panel.id, title: panel.title, description: '', links: [], data, vizConfig };
    return [`panel-${panel.id}`, { kind: 'Panel', spec }] as const;
  });
  const items = panels.map(({ id, gridPos: { x, y, w, h } }) => ({
    kind: 'GridLayoutItem',
    spec: { x, y, width: w, height: h, element: { kind: 'ElementReference', name: `panel-${id}` } },
  }));
  return {
    title,
    tags,
    cursorSync: 'Off',
    liveNow: false,
    preload: false,
    editable: true,
    links: [],
    annotations: [],
    timeSettings: { ...time, timezone: 'browser', autoRefresh: '' },
    variables: templating.list.map(({ datasource: ds, query: text, type: _type, ...spec }) => ({
      kind: 'QueryVariable',
      spec: { ...spec, query: query(ds, { query: text }) },
    })),
    elements: Object.fromEntries(elements),
    layout: { kind: 'GridLayout', spec: { items } },
  };
}
