import { decodePage, encodePage } from '../answer/page.ts';
import { listDatasources } from '../grafana/datasources.ts';
import { defineTool } from '../mcp/define.ts';

export const listDatasourcesTool = defineTool({
  name: 'list_datasources',
  title: 'List datasources',
  description:
    'Lists the datasources that can be asked, with uid, name and type. Use it first, to know what there is; other tools take the uid or the name.',
  scopes: ['datasources:read'],
  group: 'objects',
  parameters: {
    type: { type: 'string', description: 'Only this type or part of it, e.g. "loki".' },
    name: { type: 'string', description: 'Only names or uids that contain this.' },
    cursor: { type: 'string', description: 'nextCursor of the answer before.' },
  },
  output: {
    datasources: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          uid: { type: 'string' },
          name: { type: 'string' },
          type: { type: 'string' },
          isDefault: { type: 'boolean' },
        },
      },
    },
    total: { type: 'integer' },
    nextCursor: { type: 'string' },
  },
  async run({ type = '', name = '', cursor }, { upstream }) {
    const binding = ['list_datasources', type, name];
    const from = cursor === undefined ? 0 : decodePage(cursor, binding);
    const { datasources: all, limited } = await listDatasources(upstream);
    const found = all.filter((ds) => contains(ds.type, type) && (contains(ds.name, name) || contains(ds.uid, name)));
    const page = found.slice(from);
    const types = [...new Set(all.map((ds) => ds.type))].sort();
    return {
      entries: page.length,
      structured: (shown) => ({
        datasources: page.slice(0, shown).map(({ uid, name: title, type: kind, isDefault }) => ({
          uid,
          name: title,
          type: kind,
          isDefault,
        })),
        total: found.length,
        ...(shown > 0 && from + shown < found.length ? { nextCursor: encodePage(from + shown, binding) } : {}),
        ...(limited ? { note: 'Limited view: the identity lacks the permission datasources:read in Grafana.' } : {}),
        ...(found.length === 0 ? { note: nothing(all.length, types) } : {}),
      }),
    };
  },
});

function contains(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.trim().toLowerCase());
}

function nothing(total: number, types: string[]): string {
  return total === 0
    ? 'There is no datasource that this caller may use.'
    : `Nothing fits; without filter there are ${total}, of the types ${types.slice(0, 20).join(', ')}.`;
}
