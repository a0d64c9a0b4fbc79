import { lookup } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { getProxyForUrl } from 'proxy-from-env';
import { errorCode } from '../config/file.ts';
import type { Settings } from '../config/schema.ts';
import type { Finding, Hop } from './doctor.ts';

/** ms; a listener that does not answer a handshake in this time answers no query either. */
const PATIENCE = 10_000;

/** Proxy, DNS, connection. With a proxy the gateway itself resolves and reaches only the proxy. */
export function networkHops(settings: Settings): Hop[] {
  const grafana = new URL(settings.grafanaUrl ?? '');
  const proxy = proxyFor(grafana);
  const target = proxy ?? grafana;
  const host = target.hostname.replace(/^\[|\]$/g, '');
  const port = Number(target.port || (target.protocol === 'https:' ? 443 : 80));
  return [
    {
      name: 'proxy',
      check: async () =>
        proxy
          ? { state: 'ok', says: `${proxy.host} (HTTPS_PROXY, HTTP_PROXY); NO_PROXY does not name ${grafana.hostname}` }
          : { state: 'ok', says: 'none' },
    },
    { name: 'dns', check: async () => blameProxy(await resolve(host), proxy) },
    {
      name: 'connection',
      check: async () =>
        blameProxy(await connect(host, port, target.protocol === 'https:', proxy ? undefined : settings), proxy),
    },
  ];
}

function blameProxy(finding: Finding, proxy: URL | undefined): Finding {
  if (finding.state !== 'fail' || proxy === undefined) return finding;
  return { ...finding, remedy: 'this is the proxy: correct HTTPS_PROXY or HTTP_PROXY, or name the host in NO_PROXY.' };
}

function proxyFor(url: URL): URL | undefined {
  const proxy = getProxyForUrl(url.href);
  return proxy === '' ? undefined : new URL(proxy);
}

async function resolve(host: string): Promise<Finding> {
  if (isIP(host)) return { state: 'ok', says: `${host} is an address` };
  try {
    const found = await lookup(host, { all: true });
    return { state: 'ok', says: `${host} is ${found.map((a) => a.address).join(', ')}` };
  } catch (error) {
    const remedy = 'correct the host in GRAFANA_URL, or the name server of this machine.';
    return { state: 'fail', says: `${host} cannot be resolved (${errorCode(error)})`, remedy };
  }
}

function connect(host: string, port: number, tls: boolean, settings: Settings | undefined): Promise<Finding> {
  return new Promise((done) => {
    const finish = (finding: Finding) => {
      socket.destroy();
      done(finding);
    };
    const onOpen = () => finish({ state: 'ok', says: `${host}:${port}${tls ? describeTls(socket) : ', without TLS'}` });
    const socket: Socket | TLSSocket = tls
      ? connectTls({ host, port, ...(isIP(host) ? {} : { servername: host }), ...tlsFiles(settings) }, onOpen)
      : connectTcp({ host, port }, onOpen);
    socket.setTimeout(PATIENCE, () => finish(failed(host, port, 'ETIMEDOUT')));
    socket.once('error', (error) => finish(failed(host, port, errorCode(error))));
  });
}

function tlsFiles(settings: Settings | undefined) {
  const read = (path: string | undefined) => (path === undefined ? undefined : readFileSync(path));
  return {
    ca: read(settings?.grafanaCaFile),
    cert: read(settings?.grafanaCertFile),
    key: read(settings?.grafanaKeyFile),
    rejectUnauthorized: !settings?.grafanaInsecure,
  };
}

function describeTls(socket: Socket | TLSSocket): string {
  if (!('getPeerCertificate' in socket)) return '';
  const { valid_to: until } = socket.getPeerCertificate();
  const verified = socket.authorized ? 'certificate verified' : 'certificate NOT verified';
  return `, ${socket.getProtocol()}, ${verified}${until ? `, valid until ${until}` : ''}`;
}

const WRONG_CERTIFICATE: Record<string, string> = {
  CERT_HAS_EXPIRED: 'renew the certificate of Grafana.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'use the host name that the certificate is made for.',
};
const CONNECTION: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there: correct the port in GRAFANA_URL, or start Grafana.',
  ETIMEDOUT: 'a firewall may drop the packets: check the route and the port.',
  ECONNRESET: 'something closed the connection: does the port speak what GRAFANA_URL says (http or https)?',
  EPROTO: 'the port does not speak TLS: use http:// in GRAFANA_URL, or the right port.',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the port does not speak TLS: use http:// in GRAFANA_URL, or the right port.',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'the port does not speak TLS: use http:// in GRAFANA_URL, or the right port.',
};

function failed(host: string, port: number, code: string): Finding {
  const untrusted = /CERT|SIGNATURE|ISSUER/.test(code)
    ? 'name the CA that signed the certificate by --grafana-ca-file.'
    : undefined;
  const remedy =
    WRONG_CERTIFICATE[code] ?? untrusted ?? CONNECTION[code] ?? 'check the network between here and there.';
  return { state: 'fail', says: `${host}:${port} cannot be reached (${code})`, remedy };
}
