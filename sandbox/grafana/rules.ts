import { failureRatio, type Incident } from '../data/incident.ts';
import { hash } from '../data/random.ts';

/** What fires, as Alertmanager's v2 API has it. */
export function amAlerts(incident: Incident, now: number): unknown[] {
  return demoRules(incident, now)
    .filter((rule) => rule.state === 'firing')
    .map((rule) => {
      const [alert] = rule.alerts;
      return {
        annotations: alert.annotations,
        endsAt: new Date(now + 180_000).toISOString(),
        fingerprint: hash(incident.seed, rule.name).toString(16).padStart(16, '0'),
        receivers: [{ active: null, integrations: null, name: 'default' }],
        startsAt: new Date(incident.firingSince).toISOString(),
        status: { inhibitedBy: [], silencedBy: [], state: 'active' },
        updatedAt: new Date(now).toISOString(),
        generatorURL: '',
        labels: alert.labels,
      };
    });
}

interface RuleText {
  name: string;
  query: string;
  severity: string;
  job: string;
  annotations: Record<string, string>;
  fires: boolean;
}

/** The rules of the demo as /api/prometheus/grafana/api/v1/rules shows them. */
export function demoRules(incident: Incident, now: number) {
  return ruleTexts(incident, now).map((rule) => {
    const labels = { severity: rule.severity, team: 'shop' };
    const activeAt = new Date(rule.fires ? incident.firingSince : incident.historyFrom).toISOString();
    const totals = rule.fires ? { alerting: 1 } : { normal: 1 };
    const alert = {
      labels: { alertname: rule.name, grafana_folder: 'Demo', job: rule.job, ...labels },
      annotations: rule.annotations,
      state: rule.fires ? 'Alerting' : 'Normal',
      activeAt,
      value: rule.fires ? '1e+00' : '',
    };
    return {
      state: rule.fires ? 'firing' : 'inactive',
      name: rule.name,
      query: rule.query,
      duration: 60,
      annotations: rule.annotations,
      ...(rule.fires && { activeAt }),
      alerts: [alert] as const,
      totals,
      totalsFiltered: totals,
      labels,
      health: 'ok',
      type: 'alerting',
      lastEvaluation: evaluatedAt(now),
      evaluationTime: 0.0025,
    };
  });
}

export function alertName(incident: Incident): string {
  const { service } = incident.facts;
  return `${service.charAt(0).toUpperCase()}${service.slice(1)} error ratio`;
}

function ruleTexts(incident: Incident, now: number): RuleText[] {
  const { service, knockOn, poolMetric, poolMaxMetric } = incident.facts;
  const firing = now >= incident.firingSince;
  const ratio = (job: string): string =>
    `sum(rate(http_requests_total{job="${job}",status=~"5.."}[5m])) / sum(rate(http_requests_total{job="${job}"}[5m])) > 0.05`;
  const calm = ['search', 'notifications'].find((name) => name !== service && name !== knockOn) ?? 'search';
  return [
    {
      name: alertName(incident),
      query: ratio(service),
      severity: 'critical',
      job: service,
      annotations: {
        __dashboardUid__: 'demo-services',
        __panelId__: '2',
        description: `More than 5% of ${service} requests fail.`,
        runbook_url: `https://runbooks.example.com/${service}-errors`,
        summary: `${service} error ratio ${failureRatio(incident, now).toFixed(3)}`,
      },
      fires: firing,
    },
    {
      name: `${service} pool almost full`,
      query: `${poolMetric}{job="${service}"} / ${poolMaxMetric}{job="${service}"} > 0.9`,
      severity: 'warning',
      job: service,
      annotations: { summary: `The pool of ${service} is almost full` },
      fires: firing,
    },
    {
      name: `${calm} error ratio`,
      query: ratio(calm),
      severity: 'warning',
      job: calm,
      annotations: { summary: `${calm} error ratio high` },
      fires: false,
    },
  ];
}

export function evaluatedAt(now: number): string {
  return `${new Date(Math.floor(now / 10_000) * 10_000).toISOString().slice(0, 19)}Z`;
}
