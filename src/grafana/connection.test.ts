import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { type AddressInfo, connect, type Server } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { GatewayError } from '../errors.ts';
import { clientOf, upstreamOf } from './testing/callers.ts';
import { json, type ScriptedServer, scriptedServer } from './testing/scripted-server.ts';
import { grafanaOrg } from './whoami.ts';

// A self-signed certificate of the tests; see the README beside it.
const cert = fileURLToPath(new URL('../../test/fixtures/tls/cert.pem', import.meta.url));
const key = fileURLToPath(new URL('../../test/fixtures/tls/key.pem', import.meta.url));

let plain: ScriptedServer;
let secure: Server;
let proxy: Server;
let secureUrl = '';
let proxyUrl = '';
const throughProxy: string[] = [];
let clientCertificates: string[] = [];

beforeAll(async () => {
  plain = await scriptedServer({ '*': json({ id: 1, name: 'plain' }) });
  secure = https.createServer(
    {
      cert: readFileSync(cert),
      key: readFileSync(key),
      ca: readFileSync(cert),
      requestCert: true,
      rejectUnauthorized: false,
    },
    (request, response) => {
      const peer = (request.socket as TLSSocket).getPeerCertificate();
      clientCertificates.push(String(peer.subject?.CN ?? 'none'));
      response.setHeader('content-type', 'application/json');
      response.end('{"id":1,"name":"secure"}');
    },
  );
  // A forward proxy: absolute addresses for http, CONNECT for https.
  const forward = http.createServer((request, response) => {
    throughProxy.push(`${request.method} ${request.url}`);
    response.setHeader('content-type', 'application/json');
    response.end('{"id":1,"name":"proxied"}');
  });
  forward.on('connect', (request, socket, head) => {
    throughProxy.push(`CONNECT ${request.url}`);
    const [host, port] = (request.url ?? '').split(':');
    const far = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      far.write(head);
      far.pipe(socket).pipe(far);
    });
    far.on('error', () => socket.destroy());
    socket.on('error', () => far.destroy());
  });
  proxy = forward;
  secureUrl = `https://127.0.0.1:${await listen(secure)}`;
  proxyUrl = `http://127.0.0.1:${await listen(proxy)}`;
});
afterEach(() => {
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']) delete process.env[name];
  throughProxy.length = 0;
  clientCertificates = [];
});
afterAll(async () => {
  secure.close();
  proxy.close();
  await plain.close();
});

async function orgName(url: string, settings = {}): Promise<string> {
  const client = clientOf(url, settings);
  try {
    return (await grafanaOrg(upstreamOf(client))).name;
  } catch (error) {
    return `${(error as GatewayError).code}: ${(error as GatewayError).message}`;
  } finally {
    client.close();
  }
}

test('a certificate that nobody knows is refused, with the remedy; a CA file or a setting lets it pass', async () => {
  expect(await orgName(secureUrl)).toBe(
    "grafana_unreachable: Grafana cannot be reached: Grafana's certificate is not signed by a known authority (DEPTH_ZERO_SELF_SIGNED_CERT).",
  );
  expect(await orgName(secureUrl, { grafanaCaFile: cert })).toBe('secure');
  expect(await orgName(secureUrl, { grafanaInsecure: true })).toBe('secure');
  expect(clientCertificates).toEqual(['none', 'none']);
});

test('a client certificate', async () => {
  expect(await orgName(secureUrl, { grafanaCaFile: cert, grafanaCertFile: cert, grafanaKeyFile: key })).toBe('secure');
  expect(clientCertificates).toEqual(['test only']);
});

test('https where http is spoken', async () => {
  expect(await orgName(plain.url.replace('http:', 'https:'))).toMatch(
    /^grafana_unreachable: .*TLS handshake with Grafana failed/,
  );
});

test('proxies by environment: CONNECT for https with the own CA, absolute addresses for http, and NO_PROXY', async () => {
  process.env.HTTPS_PROXY = proxyUrl;
  process.env.HTTP_PROXY = proxyUrl;
  expect(await orgName(secureUrl, { grafanaCaFile: cert })).toBe('secure');
  expect(await orgName(plain.url)).toBe('proxied');
  expect(throughProxy).toEqual([`CONNECT ${new URL(secureUrl).host}`, `GET ${plain.url}/api/org`]);
  throughProxy.length = 0;
  process.env.NO_PROXY = '127.0.0.1';
  expect([await orgName(secureUrl, { grafanaCaFile: cert }), await orgName(plain.url)]).toEqual(['secure', 'plain']);
  expect(throughProxy).toEqual([]);
});

test('connections are kept and used again', async () => {
  const ports = new Set<number | undefined>();
  const server = http.createServer((request, response) => {
    ports.add(request.socket.remotePort);
    response.setHeader('content-type', 'application/json');
    response.end('{"id":1,"name":"x"}');
  });
  const client = clientOf(`http://127.0.0.1:${await listen(server)}`);
  for (let i = 0; i < 5; i++) await grafanaOrg(upstreamOf(client));
  expect(ports.size).toBe(1);
  client.close();
  server.close();
});

test('a file that is missing is told at the start', () => {
  expect(() => clientOf(secureUrl, { grafanaCaFile: '/nowhere/ca.pem' })).toThrow(/ca\.pem/);
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
