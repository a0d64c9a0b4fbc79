import { z } from 'zod';
import type { Incident } from '../data/incident.ts';
import { json, message } from './answer.ts';
import { alertName } from './rules.ts';
import type { Handler } from './world.ts';

/** As GET /api/annotations lists it. Times in ms. */
export interface Annotation {
  id: number;
  alertId: number;
  alertName: string;
  dashboardId: number;
  dashboardUID: string | null;
  panelId: number;
  userId: number;
  newState: string;
  prevState: string;
  created: number;
  updated: number;
  time: number;
  timeEnd: number;
  text: string;
  tags: string[];
  login: string;
  email: string;
  avatarUrl: string;
  data: Record<string, unknown>;
}

/** The deployment, and the alert that began to fire. */
export function firstAnnotations(incident: Incident): Annotation[] {
  const { service, version, deployedAt } = incident.facts;
  const deployment = { text: `Deployed ${service} ${version}`, tags: ['deploy', service], login: 'admin' };
  const data = { values: { A: 0.051, B: 0.051, C: 1 } };
  const alert = {
    alertId: 1,
    data,
    newState: 'Alerting',
    prevState: 'Pending',
    dashboardUID: 'demo-services',
    panelId: 2,
  };
  return [
    annotation(1, deployedAt, { ...deployment, email: 'admin@localhost', avatarUrl: '/public/img/user_profile.png' }),
    annotation(2, incident.firingSince, { ...alert, dashboardId: 3, text: `${alertName(incident)} {job=${service}}` }),
  ];
}

function annotation(id: number, time: number, own: Partial<Annotation>): Annotation {
  return {
    id,
    alertId: 0,
    alertName: '',
    dashboardId: 0,
    dashboardUID: null,
    panelId: 0,
    userId: 0,
    newState: '',
    prevState: '',
    created: time,
    updated: time,
    time,
    timeEnd: time,
    text: '',
    tags: [],
    login: '',
    email: '',
    avatarUrl: '',
    data: {},
    ...own,
  };
}

export const listAnnotations: Handler = ({ world, request: { query, now } }) => {
  const number = (name: string): number | undefined => (query.get(name) ? Number(query.get(name)) : undefined);
  const tags = query.getAll('tags');
  const type = query.get('type');
  const dashboard = query.get('dashboardUID');
  if (dashboard !== null && dashboard !== 'demo-services') {
    return message(400, 'Invalid dashboard UID in annotation request', true);
  }
  const from = number('from') ?? 0;
  const to = number('to') ?? Number.MAX_SAFE_INTEGER;
  const has = (a: Annotation): boolean =>
    query.get('matchAny') === 'true' ? tags.some((t) => a.tags.includes(t)) : tags.every((t) => a.tags.includes(t));
  const found = world.annotations
    .filter((a) => a.time <= now && a.timeEnd >= from && a.time <= to)
    .filter((a) => tags.length === 0 || has(a))
    .filter((a) => !type || (type === 'alert') === a.alertId > 0)
    .filter((a) => dashboard === null || a.dashboardUID === dashboard)
    .sort((a, b) => b.time - a.time || b.id - a.id);
  const shown = found.slice(0, number('limit') || 100);
  return json(200, world.flavour.annotationNumbers ? shown : shown.map((a) => ({ ...a, dashboardId: 0 })));
};

export const annotationTags: Handler = ({ world }) => {
  const counts = new Map<string, number>();
  for (const tag of world.annotations.flatMap((a) => a.tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const tags = [...counts].map(([tag, count]) => ({ tag, count })).sort((a, b) => (a.tag < b.tag ? -1 : 1));
  return json(200, { result: { tags } });
};

const newAnnotation = z.object({
  text: z.string().min(1),
  time: z.number().optional(),
  timeEnd: z.number().optional(),
  tags: z.array(z.string()).optional(),
  dashboardUID: z.string().optional(),
  panelId: z.number().optional(),
});

export const addAnnotation: Handler = ({ world, request, account }) => {
  // A viewer has annotations:create for dashboards only, and no dashboard they may annotate.
  if (account.role === 'viewer' || account.role === 'limited') return message(403, 'Access denied to this dashboard');
  let body: unknown;
  try {
    body = JSON.parse(request.body);
  } catch {
    return message(400, 'bad request data', true);
  }
  const parsed = newAnnotation.safeParse(body);
  if (!parsed.success) return message(400, 'Failed to save annotation');
  const { text, time = request.now, timeEnd = time, tags = [], dashboardUID = null, panelId = 0 } = parsed.data;
  const id = Math.max(0, ...world.annotations.map((a) => a.id)) + 1;
  const own = { text, timeEnd, tags, dashboardUID, panelId, login: `sa-${account.name}`, userId: account.id };
  world.annotations.push({ ...annotation(id, time, own), created: request.now, updated: request.now });
  return json(200, { id, message: 'Annotation added' });
};
