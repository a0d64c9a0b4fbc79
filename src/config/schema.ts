import { z } from 'zod';
import { DEFAULT_SCOPES, SCOPES } from '../identity.ts';
import { atLeast, bytes, duration, flag, list, port, rate } from './values.ts';

// One table of settings: flags, environment, YAML and docs/configuration.md all come from it.
// Name of the flag: camelCase → kebab-case. Durations are ms, sizes are bytes.
// meta: `path` = names a file that must be readable; `env` = plain names instead of GATEWAY_…; `envOnly` = no flag and
// no YAML key; `secret` = never printed; `derived` = made by load.ts from another setting, cannot be given.
export const settingsSchema = z.strictObject({
  host: z
    .string()
    .default('127.0.0.1')
    .describe('Address of the listener. Beyond loopback only with an identity configured, or --allow-unauthenticated.'),
  port: port.default(8080).describe('Port of the listener; 0 takes a free one.'),
  basePath: z.string().default('').describe('Path prefix behind a proxy, e.g. /grafana-mcp.'),
  publicUrl: z.string().optional().describe("The gateway's own address as clients see it."),
  tlsCertFile: z.string().optional().describe('Certificate (PEM) for HTTPS on the listener.').meta({ path: true }),
  tlsKeyFile: z.string().optional().describe('Key (PEM) for HTTPS on the listener.').meta({ path: true }),
  allowedHosts: list
    .default([])
    .describe('Host names that requests may carry, besides the loopback names and that of --public-url.'),
  allowedOrigins: list
    .default([])
    .describe('Origins of browsers that may call, besides loopback ones on a loopback listener.'),
  trustedProxies: list.default([]).describe('Addresses of peers whose X-Forwarded-* headers count.'),
  stateless: flag.default(false).describe('No sessions on /mcp: every request stands alone.'),
  noSse: flag.default(false).describe('No legacy HTTP+SSE.'),
  auth: list
    .pipe(z.array(z.enum(['grafana', 'jwt', 'static', 'anonymous'])))
    .optional()
    .describe(
      'How callers identify themselves. Default: grafana, and anonymous on loopback when the gateway has a service account.',
    ),
  allowUnauthenticated: flag.default(false).describe('Let anonymous callers in beyond loopback.'),
  jwtSecretFile: z
    .string()
    .optional()
    .describe("File with the HMAC secret of callers' JWTs, 32 bytes or more.")
    .meta({ path: true }),
  jwtSecret: z
    .string()
    .optional()
    .describe("HMAC secret of callers' JWTs, 32 bytes or more.")
    .meta({ secret: true, envOnly: true }),
  jwtKeyFile: z.string().optional().describe("Public key (PEM) of callers' JWTs.").meta({ path: true }),
  jwtJwksUrl: z.string().optional().describe("JWKS address of callers' JWTs."),
  jwtIssuer: z.string().optional().describe('Required `iss` of JWTs.'),
  jwtAudience: z.string().optional().describe('Required `aud` of JWTs.'),
  jwtAlgorithms: list.optional().describe("Accepted algorithms; default by the key's kind."),
  keysFile: z
    .string()
    .optional()
    .describe('Static keys, YAML: - {name, hash: "sha256:<hex>", scopes, expires, datasources?}.')
    .meta({ path: true }),
  defaultScopes: list
    .pipe(z.array(z.enum(SCOPES)))
    .default([...DEFAULT_SCOPES])
    .describe('Scopes of callers that bring none (Grafana tokens, anonymous).'),
  upstreamIdentity: z
    .enum(['service-account', 'jwt'])
    .default('service-account')
    .describe("Who JWT callers are at Grafana: the gateway's service account, or themselves by a minted JWT."),
  upstreamJwtKeyFile: z
    .string()
    .optional()
    .describe("Private key (PEM) that signs JWTs for Grafana's [auth.jwt].")
    .meta({ path: true }),
  upstreamJwtHeader: z
    .string()
    .default('X-JWT-Assertion')
    .describe('Header that carries the minted JWT ([auth.jwt] header_name).'),
  allowDatasources: list.optional().describe('Uids of the only datasources that are offered.'),
  denyDatasources: list.optional().describe('Uids of datasources that are never offered.'),
  tools: list.optional().describe('Groups or names of tools to offer; default all.'),
  grafanaUrl: z
    .string()
    .optional()
    .describe('Address of Grafana, with its sub-path.')
    .meta({ env: ['GATEWAY_GRAFANA_URL', 'GRAFANA_URL'] }),
  grafanaToken: z
    .string()
    .optional()
    .describe("The gateway's own service account at Grafana.")
    .meta({ secret: true, envOnly: true, env: ['GRAFANA_SERVICE_ACCOUNT_TOKEN', 'GRAFANA_TOKEN'] }),
  grafanaTokenFile: z
    .string()
    .optional()
    .describe("File with the token of the gateway's own service account; re-read on change and on 401.")
    .meta({ path: true, envOnly: true, env: ['GRAFANA_SERVICE_ACCOUNT_TOKEN_FILE', 'GRAFANA_TOKEN_FILE'] }),
  grafanaAuthorization: z
    .string()
    .optional()
    .describe('Authorization header made of the user and password in --grafana-url.')
    .meta({ secret: true, derived: true }),
  grafanaPublicUrl: z.string().optional().describe('Base of links into Grafana; default: what Grafana says of itself.'),
  orgId: atLeast(1).optional().describe('Sent on every upstream call as X-Grafana-Org-Id.'),
  grafanaHeadersFile: z
    .string()
    .optional()
    .describe('Extra upstream headers, one "Name: value" a line (an auth proxy in front of Grafana).')
    .meta({ path: true }),
  forwardHeaders: list.default([]).describe('Headers of callers that are passed on to Grafana.'),
  grafanaCaFile: z.string().optional().describe("CA bundle (PEM) for Grafana's certificate.").meta({ path: true }),
  grafanaCertFile: z.string().optional().describe('Client certificate (PEM) for Grafana.').meta({ path: true }),
  grafanaKeyFile: z.string().optional().describe('Client key (PEM) for Grafana.').meta({ path: true }),
  grafanaInsecure: flag.default(false).describe("Do not verify Grafana's certificate."),
  upstreamTimeout: duration.default(45_000).describe('Deadline of one upstream call.'),
  maxResponseBytes: bytes.default(32 * 1024 * 1024).describe('Largest upstream body that is read.'),
  upstreamConcurrency: atLeast(1).default(8).describe('Upstream calls at once per datasource.'),
  answerChars: atLeast(1000).default(7500).describe('Budget of an answer, in characters of its JSON.'),
  scanBudget: bytes
    .default(5 * 1024 ** 3)
    .describe('Bytes of logs that one call may make Loki read, as its index counts them; 0 = off.'),
  sessionScanBudget: bytes
    .default(50 * 1024 ** 3)
    .describe('Bytes of logs that the calls of one session may make Loki read; 0 = off.'),
  mask: z.enum(['secrets', 'secrets+pii', 'off']).default('secrets').describe('What is masked in answers.'),
  auditFile: z.string().optional().describe('Audit log, JSON lines; default stderr.'),
  rateLimit: rate.default({ count: 120, per: 60_000 }).describe('Requests per principal (e.g. 120/min); 0 = off.'),
  sessionIdle: duration.default(4 * 3_600_000).describe('Sessions idle for so long end.'),
  maxSessions: atLeast(1).default(1000).describe('Sessions in total; above it 429.'),
  maxSessionsPerPrincipal: atLeast(1).default(50).describe('Sessions of one principal; above it 429.'),
  metricsPort: port.optional().describe('Own port for /metrics.'),
  metricsPublic: flag.default(false).describe('Serve /metrics on the main port beyond loopback.'),
  timezone: z.string().default('UTC').describe('Zone in which answers show times.'),
  drain: duration.default(10_000).describe('Grace for running calls at shutdown.'),
  logLevel: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Level of the log on stderr.'),
  logFormat: z.enum(['json', 'pretty']).default('json').describe('Form of the log on stderr.'),
});

export type Settings = z.output<typeof settingsSchema>;
