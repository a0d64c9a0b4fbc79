import type { Settings } from '../config/schema.ts';
import { GatewayError } from '../errors.ts';
import { capital, datasourceName } from './facts.ts';
import type { Ending } from './lifetime.ts';
import { TransportError } from './send.ts';
import type { UpstreamRequest } from './upstream.ts';

const CERTIFICATE = 'Pass the CA by --grafana-ca-file, or renew the certificate.';

// Node's codes for what fails before Grafana answers.
const NETWORK: readonly { codes: RegExp; say: string; remedy?: string }[] = [
  { codes: /^(ENOTFOUND|EAI_AGAIN|EAI_FAIL)$/, say: "the name of Grafana's host cannot be resolved" },
  { codes: /^ECONNREFUSED$/, say: 'the connection to Grafana was refused' },
  { codes: /^(EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EHOSTDOWN)$/, say: 'there is no way to the host of Grafana' },
  { codes: /^CERT_HAS_EXPIRED$/, say: "Grafana's certificate has expired", remedy: CERTIFICATE },
  {
    codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    say: "Grafana's certificate is for another host name",
    remedy: 'Use the name that the certificate is for in --grafana-url.',
  },
  {
    codes: /SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|^CERT_/,
    say: "Grafana's certificate is not signed by a known authority",
    remedy: CERTIFICATE,
  },
  {
    codes: /^(EPROTO|ERR_SSL_.*|ERR_TLS_.*)$/,
    say: 'the TLS handshake with Grafana failed',
    remedy: 'Check http:// or https:// in --grafana-url, and the client certificate if Grafana wants one.',
  },
  { codes: /^HPE_/, say: 'what answered does not speak HTTP' },
];

/** The error for a request that got no whole answer. `ending` says when it was ended from our side. */
export function transportFault(
  error: unknown,
  request: UpstreamRequest,
  ending: Ending | undefined,
  settings: Settings,
): GatewayError {
  const who = request.datasource ? datasourceName(request.datasource) : 'Grafana';
  if (ending === 'cancelled') return new GatewayError('cancelled', 'The client cancelled the call.');
  if (ending === 'deadline') {
    const seconds = Math.round(settings.upstreamTimeout / 100) / 10;
    return new GatewayError(
      'deadline',
      `${capital(who)} did not answer within ${seconds} s, the gateway's own deadline.`,
    );
  }
  if (!(error instanceof TransportError)) {
    return new GatewayError('internal', 'The call to Grafana could not be made.', { cause: error });
  }
  if (error.code === 'TOO_LARGE') {
    const megabytes = Math.round(settings.maxResponseBytes / 1024 / 102.4) / 10;
    return new GatewayError('response_too_large', `The answer of ${who} is larger than ${megabytes} MB.`);
  }
  if (error.receiving) {
    return new GatewayError(
      'grafana_unreachable',
      `The connection broke off inside the answer of ${who} (${error.code}).`,
      {
        remedy: 'Call again; if it stays so, look at the proxies between gateway and Grafana.',
      },
    );
  }
  const known = NETWORK.find((n) => n.codes.test(error.code));
  return new GatewayError(
    'grafana_unreachable',
    `Grafana cannot be reached: ${known?.say ?? 'the connection failed'} (${error.code}).`,
    known?.remedy === undefined ? {} : { remedy: known.remedy },
  );
}
