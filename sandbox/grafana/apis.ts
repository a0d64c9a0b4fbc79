import { type GrafanaAnswer, json } from './answer.ts';
import { DASHBOARD, dashboardModel, FOLDER } from './dashboards.ts';
import { asV2 } from './dashboards-v2.ts';
import type { ServiceAccount } from './tokens.ts';
import { may, type World } from './world.ts';

const DASHBOARDS = 'dashboard.grafana.app';
const FOLDERS = 'folder.grafana.app';
/** In which version the demo's dashboard is kept. */
const STORED = 'v1beta1';

/** Grafana's Kubernetes-like API: discovery, dashboards and folders to read. Refusals are of its kind `Status`. */
export function apis(world: World, path: string, account: ServiceAccount | undefined): GrafanaAnswer {
  if (account === undefined) return status(401, 'Unauthorized', 'Unauthorized');
  const groups = groupsOf(world);
  const [, , groupName, version, ...rest] = path.split('/').map(decodeURIComponent);
  if (groupName === undefined) return json(200, { kind: 'APIGroupList', apiVersion: 'v1', groups });
  const group = groups.find((own) => own.name === groupName);
  if (group === undefined) return notThere();
  if (version === undefined) return json(200, { kind: 'APIGroup', apiVersion: 'v1', ...group });
  const [word, namespace, resource, name, sub] = rest;
  const kind = groupName === FOLDERS ? 'folders' : 'dashboards';
  if (!group.versions.some((own) => own.version === version) || word !== 'namespaces' || resource !== kind) {
    return notThere();
  }
  const permission = `${kind}:read`;
  const full = `${kind}.${groupName}`;
  if (namespace !== 'default' || !may(account, permission)) {
    const what = name === undefined ? full : `${full} "${name}"`;
    return status(403, 'Forbidden', `${what} is forbidden: ${permission} is needed in "${namespace}"`);
  }
  const object = kind === 'folders' ? folder(world, version) : dashboard(world, version);
  const apiVersion = `${groupName}/${version}`;
  if (name === undefined) {
    const list = kind === 'folders' ? 'FolderList' : 'DashboardList';
    return json(200, { kind: list, apiVersion, metadata: { resourceVersion: '1', continue: '' }, items: [object] });
  }
  if (name !== object.metadata.name || (sub !== undefined && sub !== 'dto')) {
    const details = { name, group: groupName, kind };
    return status(404, 'NotFound', `${full} "${name}" not found`, details);
  }
  const { role } = account;
  const writes = role === 'editor' || role === 'admin';
  const access = { slug: 'demo-services', url: DASHBOARD.url, canSave: writes, canEdit: writes, canStar: true };
  return json(200, sub === 'dto' ? { ...object, kind: 'DashboardWithAccessInfo', access } : object);
}

function groupsOf({ flavour }: World) {
  const group = (name: string, versions: readonly string[]) => {
    const all = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
    return { name, versions: all, preferredVersion: all[0] };
  };
  const folders = flavour.apis.includes('v1') ? ['v1', 'v1beta1'] : ['v1beta1'];
  return [group(DASHBOARDS, flavour.apis), group(FOLDERS, folders)];
}

function dashboard(world: World, version: string) {
  const { uid, title, ...spec } = dashboardModel(world);
  const isV2 = version.startsWith('v2');
  return {
    kind: 'Dashboard',
    apiVersion: `${DASHBOARDS}/${version}`,
    metadata: metadata(world, DASHBOARD.uid, String(DASHBOARD.id), { 'grafana.app/folder': FOLDER.uid }),
    spec: isV2 ? asV2({ title, ...spec }) : { title, ...spec },
    status: { conversion: { failed: false, storedVersion: STORED } },
  };
}

function folder(world: World, version: string) {
  return {
    kind: 'Folder',
    apiVersion: `${FOLDERS}/${version}`,
    metadata: metadata(world, FOLDER.uid, String(FOLDER.id), {}),
    spec: { title: FOLDER.title },
    status: {},
  };
}

/** `name` is what the rest of Grafana calls uid. */
function metadata({ incident }: World, name: string, id: string, annotations: Record<string, string>) {
  return {
    name,
    namespace: 'default',
    uid: `00000000-0000-4000-8000-${id.padStart(12, '0')}`,
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: `${new Date(incident.historyFrom).toISOString().slice(0, 19)}Z`,
    labels: { 'grafana.app/deprecatedInternalID': id },
    annotations,
  };
}

function notThere(): GrafanaAnswer {
  return status(404, 'NotFound', 'the server could not find the requested resource');
}

/** Kubernetes' Status, as every refusal below /apis. */
function status(code: number, reason: string, message: string, details?: Record<string, string>): GrafanaAnswer {
  const parts = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason };
  return json(code, { ...parts, ...(details && { details }), code });
}
