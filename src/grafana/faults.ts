import { GatewayError } from '../errors.ts';
import { datasourceFault } from './datasource-faults.ts';
import { capital, type Facts, hopOf, isHtml, readFacts, withoutAddresses } from './facts.ts';
import { retryAfterMs } from './retry-after.ts';
import type { RawAnswer } from './send.ts';
import type { UpstreamRequest } from './upstream.ts';

/** Whether the request gets this answer back, or an error in its place. */
export function isAnswer(raw: RawAnswer, request: UpstreamRequest): boolean {
  if (raw.status >= 300 && raw.status < 400) return false;
  if (isHtml(raw)) return false;
  return (raw.status >= 200 && raw.status < 300) || (request.accept?.includes(raw.status) ?? false);
}

/** On /proxy, Grafana turns the datasource's own 401 into 400; on /resources only Grafana's 401 has a messageId. */
export function grafanaRefused(raw: RawAnswer, request: UpstreamRequest): boolean {
  if (isHtml(raw)) return false;
  if (hopOf(request.path) !== 'resources') return !raw.viaGrafana;
  return /"messageId"|"message"\s*:\s*"(invalid api key|unauthorized|expired api key)/i.test(raw.text);
}

/** The error that a failed answer becomes. It names the hop; what the hop said is bounded and stands in `lines`. */
export function answerFault(
  raw: RawAnswer,
  request: UpstreamRequest,
  context: { tries: number; baseUrl: string },
): GatewayError {
  if (raw.status >= 300 && raw.status < 400) return redirected(raw, context.baseUrl);
  const facts = readFacts(raw, request, context.tries, retryAfterMs(raw.retryAfter));
  if (facts.html && !facts.viaGrafana) return notGrafana(facts);
  if (facts.status === 401 && grafanaRefused(raw, request)) return refused(facts);
  if (facts.status === 403 && !facts.viaGrafana && facts.json) return forbidden(facts);
  if (facts.status === 429) return rateLimited(facts);
  return facts.hop === 'grafana' ? grafanaFault(facts) : datasourceFault(facts);
}

function redirected(raw: RawAnswer, baseUrl: string): GatewayError {
  // The host only: a path or a query may hold what a login page was told.
  let host = 'an address that cannot be read';
  try {
    const target = new URL(raw.location ?? '', `${baseUrl}/`);
    host = target.host === new URL(baseUrl).host ? `${target.protocol}//${target.host} itself` : target.host;
  } catch {}
  return new GatewayError(
    'not_grafana',
    `The call was redirected (${raw.status}) to ${host}; no redirect is followed.`,
    {
      status: raw.status,
    },
  );
}

function notGrafana(facts: Facts): GatewayError {
  if (facts.status >= 502 && facts.status <= 504) {
    return new GatewayError(
      'grafana_unreachable',
      `A proxy in front of Grafana answered ${facts.status}: it does not reach Grafana.`,
      { status: facts.status },
    );
  }
  return new GatewayError(
    'not_grafana',
    `The answer (${facts.status}, HTML) does not look like Grafana's: a proxy or a login page in front answered.`,
    { status: facts.status },
  );
}

// By messageId first: the wording changed from version to version.
const REFUSALS: readonly { id: RegExp; said: RegExp; why: string; remedy?: string }[] = [
  { id: /^api-key\.expired$/, said: /^expired/i, why: 'the token has expired' },
  { id: /^api-key\.revoked$/, said: /revoked/i, why: 'the token was revoked' },
  {
    id: /^api-key\.organization-mismatch$/,
    said: /does not belong to the requested organi[sz]ation/i,
    why: 'the token belongs to another organisation than the one asked for',
    remedy: "Leave --org-id out or set it to the token's organisation.",
  },
  { id: /^identity\.disabled$/, said: /disabled/i, why: 'the account is disabled' },
  { id: /^jwt\./, said: /jwt/i, why: 'the JWT was not accepted' },
  { id: /^api-key\.invalid$/, said: /invalid api key/i, why: 'it does not know the token' },
];

function refused(facts: Facts): GatewayError {
  const known = REFUSALS.find((r) => (facts.messageId === '' ? r.said.test(facts.said) : r.id.test(facts.messageId)));
  return new GatewayError('grafana_refused', `Grafana refused the credential (401)${known ? `: ${known.why}` : ''}.`, {
    status: 401,
    ...(known?.remedy ? { remedy: known.remedy } : {}),
  });
}

/** Grafana's own 403. RBAC names the action that is missing; it never names the scope. */
function forbidden(facts: Facts): GatewayError {
  const needed = /Permissions needed: ([\w.:,\s-]{1,300})/.exec(facts.said)?.[1]?.trim();
  if (needed) {
    return new GatewayError('grafana_forbidden', `Grafana denies this (403): the permission ${needed} is missing.`, {
      status: 403,
    });
  }
  if (/access denied to data ?source/i.test(facts.said)) {
    return new GatewayError(
      'grafana_forbidden',
      `Grafana denies access to ${facts.who} (403): the permission datasources:query is missing for it.`,
      { status: 403 },
    );
  }
  return new GatewayError('grafana_forbidden', 'Grafana denies this (403).', said(facts));
}

function rateLimited(facts: Facts): GatewayError {
  const wait = facts.retryAfter === undefined ? '' : `; it asks to wait ${facts.retryAfter} s`;
  const limit = facts.rateLimit === '' ? '' : ` Its limit: ${facts.rateLimit}.`;
  const tries = facts.tries > 1 ? ` after ${facts.tries} tries` : '';
  // A 429 without Via comes from Grafana or from what stands before it.
  const who = facts.hop === 'grafana' || !facts.viaGrafana ? 'Grafana, or a proxy in front of it,' : capital(facts.who);
  return new GatewayError('rate_limited', `${who} has too many requests (429)${tries}${wait}.${limit}`, {
    ...said(facts),
    ...(facts.retryAfter === undefined ? {} : { retryAfterSeconds: facts.retryAfter }),
  });
}

function grafanaFault(facts: Facts): GatewayError {
  const { status } = facts;
  if (!facts.json && status >= 502 && status <= 504) return notGrafana(facts);
  if (!facts.json && (status === 404 || status === 401 || status === 403)) {
    return new GatewayError(
      'not_grafana',
      `The answer (${status}, not JSON) does not look like Grafana's: a proxy in front answered, or the sub-path is wrong.`,
      said(facts),
    );
  }
  return new GatewayError('grafana_error', `Grafana answered with an error (${status}).`, said(facts));
}

function said(facts: Facts): { status: number; said?: string[]; upstreamText?: string } {
  if (facts.said === '') return { status: facts.status };
  return { status: facts.status, said: [withoutAddresses(facts.said)], upstreamText: facts.said };
}
