import { type ErrorCode, GatewayError } from '../errors.ts';
import { capital, type Facts, withoutAddresses } from './facts.ts';
import { familyOf } from './families.ts';

interface Rule {
  when: (f: Facts) => boolean;
  code: ErrorCode;
  /** One sentence; what the datasource said itself goes below it. */
  say: (f: Facts) => string;
  remedy?: (f: Facts) => string;
}

const TENANT = 'Loki is multi-tenant: add the header X-Scope-OrgID to the datasource in Grafana.';
const SHORTER = 'Shorten the window. A range in the query, such as [7h], counts on top of it.';
const NARROWER = 'Select fewer streams or series, shorten the window, or aggregate.';

// Limits of Loki (they come as 400 text) and of Prometheus and Mimir, by what their texts have in common.
const LIMITS: readonly [RegExp, string][] = [
  [/max entries limit per query exceeded/i, 'Ask for fewer lines.'],
  [/time range exceeds the limit/i, SHORTER],
  [/\[interval\] value exceeds limit/i, 'Use a smaller range in square brackets.'],
  [/maximum (number )?of series/i, NARROWER],
  [/would read too many bytes|too large to execute|shard query is too large|un-?shardable query/i, NARROWER],
  [/missing required matchers|less label matchers than required/i, 'Add the matchers that the datasource demands.'],
  [/max streams matchers per query exceeded|input size too long/i, 'Make the query shorter.'],
  [/too many samples|err-mimir-max|max_?fetched|limit.*exceeded/i, NARROWER],
  [/query blocked by policy/i, 'The operator of the datasource blocks this query; ask another one.'],
];

// Read from the top; the first that fits decides. An empty 502 or 504 is Grafana's proxy speaking of the datasource.
const RULES: readonly Rule[] = [
  {
    // First, and by its beginning: what follows quotes the query or the log line, which may say anything.
    when: (f) => f.status === 400 && /^(parse|pipeline) error/i.test(f.said),
    code: 'bad_query',
    say: (f) => `${f.server} cannot read this query (400).`,
  },
  {
    when: (f) => /^no org id\b/i.test(f.said),
    code: 'datasource_auth',
    say: (f) => `${f.server} wants a tenant and got none (${f.status}).`,
    remedy: () => TENANT,
  },
  {
    when: (f) => /^authentication to data source failed/i.test(f.said) || f.status === 401,
    code: 'datasource_auth',
    say: (f) => `Grafana reached ${f.who}, which refused Grafana's credential (${f.status}).`,
    remedy: (f) =>
      familyOf(f.family) === 'loki'
        ? `The caller's token is fine. Correct the datasource's credentials in Grafana. If ${TENANT}`
        : "The caller's token is fine. Correct the datasource's credentials in Grafana.",
  },
  {
    when: (f) => f.status === 403,
    code: 'datasource_auth',
    say: (f) => `Grafana reached ${f.who}, which denies this (403).`,
  },
  {
    when: (f) => f.status === 404 && /(unable to find|not found).*data ?source|data ?source not found/i.test(f.said),
    code: 'no_datasource',
    say: (f) => `Grafana does not know ${f.who} (404).`,
  },
  {
    when: (f) => f.own && f.hop === 'proxy',
    code: 'grafana_error',
    say: (f) => `Grafana could not pass the call on to ${f.who} (${f.status}).`,
  },
  {
    when: (f) => f.status === 502 && f.said === '',
    code: 'datasource_unreachable',
    say: (f) => `Grafana could not reach ${f.who} (502).`,
  },
  {
    when: (f) => f.status === 504 && f.said === '',
    code: 'datasource_unreachable',
    say: (f) => `${capital(f.who)} did not answer Grafana in time (504).`,
    remedy: () => 'Narrow the window or the selector; Grafana itself is well. check_access tells which hop fails.',
  },
  {
    when: (f) => f.html && f.viaGrafana,
    code: 'datasource_unreachable',
    say: (f) => `Something in front of ${f.who} answered with a page of HTML (${f.status}).`,
  },
  {
    when: (f) => /exceeded maximum resolution of 11,000 points/i.test(f.said),
    code: 'too_many_points',
    say: (f) => `${f.server} gives at most 11,000 points a series (${f.status}): the step is too small.`,
  },
  {
    when: (f) => f.errorType === 'timeout' || f.errorType === 'canceled' || /^request timed out/i.test(f.said),
    code: 'datasource_limit',
    say: (f) => `${f.server} ended the query because it took too long (${f.status}).`,
    remedy: () => NARROWER,
  },
  {
    when: (f) => f.status < 500 && LIMITS.some(([text]) => text.test(f.said)),
    code: 'datasource_limit',
    say: (f) => `The query exceeds a limit of ${f.server} (${f.status}).`,
    remedy: (f) => LIMITS.find(([text]) => text.test(f.said))?.[1] ?? NARROWER,
  },
  {
    when: (f) => f.status === 413,
    code: 'datasource_limit',
    say: (f) => `The answer is too large for ${f.server} (413).`,
    remedy: () => NARROWER,
  },
  {
    when: (f) => f.status === 422 || f.errorType === 'execution',
    code: 'bad_query',
    say: (f) => `${f.server} cannot evaluate this query (${f.status}).`,
    remedy: () => 'Correct the query as the message says.',
  },
  {
    when: (f) => f.status === 400,
    code: 'bad_query',
    say: (f) => `${f.server} cannot read this query (400).`,
  },
  {
    when: (f) => f.status === 404 || f.status === 405 || f.status === 501,
    code: 'datasource_error',
    say: (f) => `${capital(f.who)} does not have this endpoint (${f.status}).`,
    remedy: () => 'The datasource is of an older version, or only similar to what Grafana takes it for.',
  },
  {
    when: (f) => f.status === 502 || f.status === 503 || f.status === 504,
    code: 'datasource_unreachable',
    say: (f) => `${capital(f.who)} is not ready (${f.status}).`,
    remedy: () => 'Try again in some seconds; check_access tells which hop fails.',
  },
];

/** The error of a datasource behind Grafana, from an answer that failed on /proxy or /resources. */
export function datasourceFault(facts: Facts): GatewayError {
  const rule = RULES.find((r) => r.when(facts));
  const code = rule?.code ?? 'datasource_error';
  const message = rule?.say(facts) ?? `${capital(facts.who)} answered with an error (${facts.status}).`;
  const remedy = rule?.remedy?.(facts);
  return new GatewayError(code, message, {
    status: facts.status,
    ...(remedy === undefined ? {} : { remedy }),
    // The place that a parse error marks is in the caller's own query, which may well hold an address.
    ...(facts.said === '' || facts.html
      ? {}
      : { said: [code === 'bad_query' ? facts.said : withoutAddresses(facts.said)], upstreamText: facts.said }),
  });
}
