import type { ApiRequest, Labels } from '../data/store.ts';
import { badParameter } from './problem.ts';

export interface AlertInstance {
  labels: Labels;
  annotations: Labels;
  state: 'firing' | 'pending';
  /** RFC 3339. */
  activeAt: string;
  value: string;
}
export interface AlertingRule {
  type: 'alerting';
  name: string;
  query: string;
  /** Seconds. */
  duration: number;
  labels: Labels;
  annotations: Labels;
  state: 'firing' | 'pending' | 'inactive';
  alerts: AlertInstance[];
  health: string;
  lastError?: string;
  /** Seconds. */
  evaluationTime: number;
  /** RFC 3339. */
  lastEvaluation: string;
}
export interface RecordingRule {
  type: 'recording';
  name: string;
  query: string;
  labels?: Labels;
  health: string;
  lastError?: string;
  evaluationTime: number;
  lastEvaluation: string;
}
export interface RuleGroup {
  name: string;
  file: string;
  /** Seconds. */
  interval: number;
  limit: number;
  evaluationTime: number;
  lastEvaluation: string;
  rules: (AlertingRule | RecordingRule)[];
}

/** Where rules come from, evaluated as of `now` (ms). */
export type RuleSource = (now: number) => RuleGroup[];

/** `data` of /rules; `type` chooses alert or record. */
export function rules(_: unknown, { params, now }: ApiRequest, options: { rules?: RuleSource }): string {
  const type = params.get('type') ?? '';
  if (type !== '' && type !== 'alert' && type !== 'record') {
    throw badParameter('type', `not supported value ${JSON.stringify(type)}`);
  }
  const wanted = type === 'alert' ? 'alerting' : type === 'record' ? 'recording' : undefined;
  const groups = (options.rules?.(now) ?? []).map((group) => ({
    ...group,
    rules: group.rules.filter((rule) => !wanted || rule.type === wanted),
  }));
  return JSON.stringify({ groups });
}

/** `data` of /alerts: pending and firing instances. */
export function alerts(_: unknown, { now }: ApiRequest, options: { rules?: RuleSource }): string {
  const all = (options.rules?.(now) ?? []).flatMap((group) => group.rules);
  return JSON.stringify({ alerts: all.flatMap((rule) => (rule.type === 'alerting' ? rule.alerts : [])) });
}
