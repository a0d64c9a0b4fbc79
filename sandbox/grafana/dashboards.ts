import { charsetJson, json, message } from './answer.ts';
import type { Handler, World } from './world.ts';

export const FOLDER = {
  id: 1,
  uid: 'demo-folder',
  title: 'Demo',
  uri: 'db/demo',
  url: '/dashboards/f/demo-folder/demo',
  slug: '',
  type: 'dash-folder',
  tags: [] as string[],
  isStarred: false,
  sortMeta: 0,
};
export const DASHBOARD = {
  id: 3,
  uid: 'demo-services',
  title: 'Demo Services',
  uri: 'db/demo-services',
  url: '/d/demo-services/demo-services',
  slug: '',
  type: 'dash-db',
  tags: ['demo', 'http'],
  isStarred: false,
  folderId: 1,
  folderUid: 'demo-folder',
  folderTitle: 'Demo',
  folderUrl: '/dashboards/f/demo-folder/demo',
  sortMeta: 0,
};

/** GET /api/search */
export const search: Handler = ({ request: { query }, world: { flavour } }) => {
  const words = (query.get('query') ?? '').toLowerCase();
  const type = query.get('type');
  const tags = query.getAll('tag');
  const folders = flavour.searchFolderUids ? query.getAll('folderUIDs') : [];
  const uids = query.getAll('dashboardUIDs');
  const limit = Number(query.get('limit')) || 1000;
  const page = Number(query.get('page')) || 1;
  if (limit > 5000)
    return charsetJson(422, {
      message: 'Limit is above maximum allowed (5000), use page parameter to access hits beyond limit',
    });
  const hits = [FOLDER, DASHBOARD]
    .filter((hit) => hit.title.toLowerCase().includes(words))
    .filter((hit) => !type || hit.type === type)
    .filter((hit) => tags.every((tag) => hit.tags.includes(tag)))
    .filter((hit) => folders.length === 0 || (hit !== FOLDER && folders.includes(FOLDER.uid)))
    .filter((hit) => uids.length === 0 || uids.includes(hit.uid))
    .filter((hit) => query.get('starred') !== 'true' || hit.isStarred);
  const shown = hits.slice((page - 1) * limit, page * limit);
  return json(200, flavour.searchFlags ? shown.map((hit) => ({ ...hit, orgId: 1, isDeleted: false })) : shown);
};

export const dashboardTags: Handler = () =>
  charsetJson(
    200,
    DASHBOARD.tags.map((term) => ({ term, count: 1 })),
  );

export const folders: Handler = () => json(200, [{ id: FOLDER.id, uid: FOLDER.uid, title: FOLDER.title }]);

/** GET /api/dashboards/uid/:uid */
export const dashboard: Handler = ({ world, params, account }) => {
  if (params.uid !== DASHBOARD.uid) return message(404, 'Dashboard not found', true);
  const writes = account.role === 'editor' || account.role === 'admin';
  const created = new Date(world.incident.historyFrom).toISOString();
  const rights = { canAdd: true, canEdit: true, canDelete: true };
  return json(200, {
    meta: {
      type: 'db',
      canSave: writes,
      canEdit: writes,
      canAdmin: account.role === 'admin',
      canStar: true,
      canDelete: writes,
      slug: 'demo-services',
      url: DASHBOARD.url,
      expires: '0001-01-01T00:00:00Z',
      created,
      updated: created,
      updatedBy: 'Anonymous',
      createdBy: 'Anonymous',
      version: 1,
      hasAcl: false,
      isFolder: false,
      folderId: FOLDER.id,
      folderUid: FOLDER.uid,
      folderTitle: FOLDER.title,
      folderUrl: FOLDER.url,
      provisioned: false,
      provisionedExternalId: 'services.json',
      annotationsPermissions: { dashboard: rights, organization: rights },
      publicDashboardAccessToken: '',
      publicDashboardUid: '',
      publicDashboardEnabled: false,
    },
    dashboard: dashboardModel(world),
  });
};

export function dashboardModel(world: World): Record<string, unknown> {
  const { service, poolMetric, poolMaxMetric } = world.incident.facts;
  const prometheus = { type: 'prometheus', uid: 'prometheus-demo' };
  const panel = (id: number, title: string, expr: string, unit: string) => ({
    id,
    title,
    type: 'timeseries',
    datasource: prometheus,
    fieldConfig: { defaults: { unit }, overrides: [] },
    gridPos: { h: 8, w: 12, x: id % 2 ? 0 : 12, y: Math.floor((id - 1) / 2) * 8 },
    targets: [{ datasource: prometheus, expr, legendFormat: '{{job}}', range: true, refId: 'A' }],
  });
  const errors = 'sum by (job) (rate(http_requests_total{job=~"$job",status=~"5.."}[$__rate_interval]))';
  const all = 'sum by (job) (rate(http_requests_total{job=~"$job"}[$__rate_interval]))';
  const seconds = 'sum by (job, le) (rate(http_request_duration_seconds_bucket{job=~"$job"}[$__rate_interval]))';
  return {
    annotations: { list: [] },
    editable: true,
    id: DASHBOARD.id,
    panels: [
      panel(1, 'Request rate by $job', all, 'reqps'),
      panel(2, 'Error ratio', `${errors} / ${all}`, 'percentunit'),
      panel(3, 'p95 latency', `histogram_quantile(0.95, ${seconds})`, 's'),
      panel(4, 'Pool in use', `${poolMetric}{job=~"$job"} / ${poolMaxMetric}{job=~"$job"}`, 'percentunit'),
      {
        id: 5,
        title: 'Errors',
        type: 'logs',
        datasource: { type: 'loki', uid: 'loki-demo' },
        gridPos: { h: 10, w: 24, x: 0, y: 16 },
        targets: [{ expr: '{app=~"$job"} | detected_level="error"', queryType: 'range', refId: 'A' }],
      },
    ],
    schemaVersion: 38,
    tags: DASHBOARD.tags,
    templating: {
      list: [
        {
          name: 'job',
          type: 'query',
          datasource: prometheus,
          query: 'label_values(http_requests_total, job)',
          current: { selected: false, text: service, value: service },
          includeAll: true,
          multi: true,
        },
      ],
    },
    time: { from: 'now-1h', to: 'now' },
    title: DASHBOARD.title,
    uid: DASHBOARD.uid,
    version: 1,
  };
}
