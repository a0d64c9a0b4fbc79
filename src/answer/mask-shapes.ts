import { type Marks, mark } from './mask-mark.ts';

interface Shape {
  kind: string;
  /** Begins with literal text; every repetition is one character class, so that no input makes it slow. */
  source: string;
  /** Keeps what only looks like it. */
  real?: (found: string) => boolean;
}

const digits = (found: string) => /\d/.test(found);
const mixed = (found: string) => /\d/.test(found) && /[A-Za-z0-9]{16}/.test(found.slice(found.indexOf('-') + 1));

// Credentials that are known by their own shape, wherever they stand. Sources: the issuers' documentation of their formats.
const SHAPES: readonly Shape[] = [
  {
    kind: 'jwt',
    source: 'eyJ[\\w-]{6,}\\.(?:eyJ[\\w-]{4,}(?:\\.[\\w-]*){0,3}|[\\w-]{6,}\\.[\\w-]*(?:\\.[\\w-]*){0,2})',
  },
  { kind: 'aws-key', source: '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Z0-9])' },
  { kind: 'gcp-key', source: 'AIza[\\w-]{35}' },
  { kind: 'gcp-token', source: 'ya29\\.[\\w.-]{20,}' },
  { kind: 'gcp-token', source: '1(?://|%2[fF]%2[fF])0[\\w-]{30,}' },
  { kind: 'gcp-secret', source: 'GOCSPX-[\\w-]{20,}' },
  { kind: 'github-token', source: 'gh[pousr]_[A-Za-z0-9]{30,}' },
  { kind: 'github-token', source: 'github_pat_\\w{22,}' },
  { kind: 'gitlab-token', source: 'gl(?:pat|ptt|rt|dt|agent|cbt|oas|soat|ft|imt)-[\\w.-]{16,}' },
  { kind: 'slack-token', source: 'xox[abceoprs]-[A-Za-z0-9-]{10,}' },
  { kind: 'slack-token', source: 'xapp-\\d-[A-Za-z0-9-]{10,}' },
  { kind: 'slack-webhook', source: 'https://hooks\\.slack\\.com/(?:services|workflows)/[\\w/]{20,}' },
  {
    kind: 'discord-webhook',
    source: 'https://(?:ptb\\.|canary\\.)?discord(?:app)?\\.com/api/webhooks/\\d+/[\\w-]{20,}',
  },
  { kind: 'telegram-token', source: '\\d{8,10}(?::|%3[aA])AA[\\w-]{32,34}' },
  { kind: 'stripe-key', source: '(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,}' },
  { kind: 'webhook-secret', source: 'whsec_[A-Za-z0-9+/=]{20,}' },
  { kind: 'npm-token', source: 'npm_[A-Za-z0-9]{36}' },
  { kind: 'pypi-token', source: 'pypi-[\\w-]{32,}', real: mixed },
  { kind: 'rubygems-key', source: 'rubygems_[0-9a-f]{48}' },
  { kind: 'grafana-token', source: 'glsa_\\w{20,}' },
  { kind: 'grafana-token', source: 'glc_[A-Za-z0-9+/=]{20,}' },
  { kind: 'anthropic-key', source: 'sk-ant-[\\w-]{16,}' },
  { kind: 'openai-key', source: 'sk-[\\w-]{20,}', real: mixed },
  { kind: 'huggingface-token', source: 'hf_[A-Za-z]{34}' },
  { kind: 'digitalocean-token', source: 'do[opr]_v1_[0-9a-f]{32,}' },
  { kind: 'sendgrid-key', source: 'SG\\.[\\w-]{16,32}\\.[\\w-]{32,64}' },
  { kind: 'vault-token', source: 'hv[sbr]\\.[\\w-]{20,}' },
  { kind: 'databricks-token', source: 'dapi[0-9a-f]{32}' },
  { kind: 'docker-token', source: 'dckr_(?:pat|oat)_[\\w-]{20,}' },
  { kind: 'shopify-token', source: 'shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}' },
  { kind: 'atlassian-token', source: 'AT(?:ATT|CTT)3[\\w=-]{20,}' },
  { kind: 'newrelic-key', source: 'NRAK-[A-Z0-9]{27}' },
  { kind: 'linear-key', source: 'lin_api_[A-Za-z0-9]{32,}' },
  { kind: 'postman-key', source: 'PMAK-[0-9a-f]{24}-[0-9a-f]{34}' },
  { kind: 'doppler-token', source: 'dp\\.(?:pt|st|ct|sa)\\.[A-Za-z0-9._-]{20,}' },
  { kind: 'sentry-token', source: 'sntry[su]_[\\w=/+.-]{20,}' },
  { kind: 'supabase-key', source: 'sb(?:p|_secret)_[\\w-]{20,}' },
  { kind: 'mailgun-key', source: 'key-[0-9a-f]{32}(?![0-9a-f])' },
  { kind: 'twilio-key', source: 'SK[0-9a-f]{32}(?![0-9a-f])' },
  { kind: 'square-token', source: 'sq0(?:atp|csp)-[\\w-]{22,}' },
  { kind: 'terraform-token', source: 'ATLASV1-[\\w-]{20,}' },
  { kind: 'figma-token', source: 'fig[dor]_[\\w-]{36,}' },
  { kind: 'notion-token', source: 'ntn_[A-Za-z0-9]{40,}' },
  { kind: 'groq-key', source: 'gsk_[A-Za-z0-9]{48,}' },
  { kind: 'xai-key', source: 'xai-[A-Za-z0-9]{60,}' },
  { kind: 'replicate-token', source: 'r8_[A-Za-z0-9]{37}' },
  { kind: 'perplexity-key', source: 'pplx-[A-Za-z0-9]{40,}' },
  { kind: 'nvidia-key', source: 'nvapi-[\\w-]{60,}' },
  { kind: 'pulumi-token', source: 'pul-[0-9a-f]{40}' },
  { kind: 'planetscale-token', source: 'pscale_(?:tkn|pw|oauth)_[\\w.-]{32,}' },
  { kind: 'fly-token', source: 'fm[12][ar]?_[A-Za-z0-9+/=]{40,}' },
  { kind: 'contentful-token', source: 'CFPAT-[\\w-]{40,}' },
  { kind: 'posthog-key', source: 'ph[xsr]_[A-Za-z0-9]{40,}' },
  { kind: 'airtable-token', source: 'pat[A-Za-z0-9]{14}\\.[0-9a-f]{64}' },
  { kind: 'dynatrace-token', source: 'dt0[a-z]\\d{2}\\.[A-Z0-9]{24}\\.[A-Z0-9]{64}' },
  { kind: 'bitbucket-token', source: 'ATBB[A-Za-z0-9]{24,}', real: digits },
  { kind: 'artifactory-key', source: 'AKCp[A-Za-z0-9]{60,}' },
  { kind: 'shippo-token', source: 'shippo_(?:live|test)_[0-9a-f]{40}' },
  { kind: 'easypost-key', source: 'EZ[AT]K[A-Za-z0-9]{50,}' },
  { kind: 'terraform-token', source: 'atlasv1\\.[\\w-]{60,}' },
  {
    // A URL that a parser of logfmt took for a field's name: all that is no word character became `_`, the password too.
    kind: 'dsn',
    source:
      '(?:jdbc_)?(?:postgres(?:ql)?|mysql2?|mariadb|mongodb(?:_srv)?|rediss?|amqps?|sqlserver|mssql|clickhouse|nats|kafka|ldaps?|s?ftps?|smtps?|https?)___\\w+',
  },
  { kind: 'age-key', source: 'AGE-SECRET-KEY-1[A-Z0-9]{50,}' },
];

// A shape begins after a character that is no part of a word, or after an escape: `%3D`, `\n` in JSON.
const START = '(?:(?<![A-Za-z0-9_])|(?<=%[0-9A-Fa-f]{2})|(?<=\\\\[nrt]))(?=[ACEGNPSacdefghjklmnprsvwxy\\d])';
const ALL = new RegExp(`${START}(?:${SHAPES.map((s) => `(${s.source})`).join('|')})`, 'g');

export function maskShapes(text: string, marks: Marks): string {
  return text.replace(ALL, (found: string, ...groups: unknown[]) => {
    const shape = SHAPES[groups.findIndex((group) => group !== undefined)];
    return shape === undefined || shape.real?.(found) === false ? found : mark(shape.kind, marks, found);
  });
}

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;
/** Base64, line ends (also escaped or quoted), headers of encrypted keys, and the words of END itself. */
const BODY = /[A-Za-z0-9+/=\s\\:,."'-]*/y;

/** PEM blocks, also with escaped line ends; a block that is cut off is masked as far as it goes. */
export function maskPrivateKeys(text: string, marks: Marks): string {
  if (!text.includes('PRIVATE KEY')) return text;
  let out = '';
  let at = 0;
  BEGIN.lastIndex = 0;
  for (let found = BEGIN.exec(text); found; found = BEGIN.exec(text)) {
    const from = BEGIN.lastIndex;
    BODY.lastIndex = from;
    const body = BODY.exec(text)?.[0] ?? '';
    const end = END.exec(body);
    out += text.slice(at, found.index) + mark('private-key', marks, '');
    at = from + (end ? end.index + end[0].length : body.length);
    BEGIN.lastIndex = at;
  }
  return out + text.slice(at);
}
