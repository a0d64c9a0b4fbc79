import { type GrafanaAnswer, json, message } from './answer.ts';
import { ask, forwarded } from './backends.ts';
import { FOLDER } from './dashboards.ts';
import { byUid } from './datasources.ts';
import { amAlerts, demoRules, evaluatedAt } from './rules.ts';
import type { Handler } from './world.ts';

/** GET /api/prometheus/grafana/api/v1/rules */
export const grafanaRules: Handler = ({ world, request }) => {
  const { ruleUids } = world.flavour;
  const rules = demoRules(world.incident, request.now).map((rule, i) => ({
    ...rule,
    ...(ruleUids && { uid: `demo-rule-${i + 1}`, folderUid: FOLDER.uid }),
  }));
  const totals = { firing: rules.filter((rule) => rule.state === 'firing').length, inactive: 1 };
  const lastEvaluation = evaluatedAt(request.now);
  const group = {
    name: 'demo-group',
    file: FOLDER.title,
    ...(ruleUids && { folderUid: FOLDER.uid }),
    rules,
    totals,
    interval: 10,
    lastEvaluation,
    evaluationTime: 0.0025,
  };
  return json(200, { status: 'success', data: { groups: [group], totals } });
};

/** GET /api/prometheus/grafana/api/v1/alerts */
export const grafanaAlerts: Handler = ({ world, request }) =>
  json(200, { status: 'success', data: { alerts: demoRules(world.incident, request.now).flatMap((r) => r.alerts) } });

/** GET /api/prometheus/:uid/api/v1/(rules|alerts): what the datasource itself says. */
export const datasourceRules: Handler = (visit): GrafanaAnswer => {
  const ds = byUid(visit.params.uid ?? '');
  if (!ds) return message(404, 'Data source not found', true);
  if (ds.type !== 'prometheus') return message(400, `unexpected datasource type ${ds.type}`, true);
  const answer = ask(visit.world, ds, forwarded(visit.request, `/api/v1/${visit.params.kind}`), visit.request.upstream);
  if (!answer) return json(502, { traceID: '' });
  return { status: answer.status, contentType: 'application/json', body: answer.body };
};

/** GET /api/alertmanager/grafana/api/v2/alerts */
export const alertmanagerAlerts: Handler = ({ world, request }) => json(200, amAlerts(world.incident, request.now));

/** GET /api/alertmanager/:uid/api/v2/(alerts|silences): what an Alertmanager datasource itself says. */
export const datasourceAlertmanager: Handler = (visit): GrafanaAnswer => {
  const ds = byUid(visit.params.uid ?? '');
  if (!ds) return message(404, 'Data source not found', true);
  if (ds.type !== 'alertmanager') return message(400, `unexpected datasource type ${ds.type}`, true);
  const answer = ask(visit.world, ds, forwarded(visit.request, `/api/v2/${visit.params.kind}`), visit.request.upstream);
  if (!answer || answer.status >= 400) return message(answer?.status ?? 502, answer?.body ?? '', true);
  return { status: answer.status, contentType: 'application/json', body: answer.body };
};
