import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import axios, { type AxiosInstance } from 'axios';
import type { Settings } from '../config/schema.ts';

/** Idle sockets kept; what runs at once is capped per datasource (gate.ts). */
const IDLE_SOCKETS = 64;

export interface Connection {
  http: AxiosInstance;
  /** Grafana's address with its sub-path, without slash at its end and without credentials; '' when none is set. */
  baseUrl: string;
  close(): void;
}

/** The one axios instance. Proxies come from HTTP_PROXY, HTTPS_PROXY and NO_PROXY, which axios reads itself. */
export function openConnection(settings: Settings): Connection {
  const httpAgent = new http.Agent({ keepAlive: true, maxFreeSockets: IDLE_SOCKETS });
  const httpsAgent = new https.Agent({ keepAlive: true, maxFreeSockets: IDLE_SOCKETS, ...tlsOptions(settings) });
  const instance = axios.create({
    httpAgent,
    httpsAgent,
    maxRedirects: 0,
    // Bodies are read by send.ts, which counts what comes out of decompression.
    responseType: 'stream',
    decompress: true,
    validateStatus: () => true,
    transformRequest: [(data: unknown) => data],
    transformResponse: [(data: unknown) => data],
  });
  // axios would add its own Accept, User-Agent and Content-Type; ours are explicit.
  instance.defaults.headers.common = {};
  return {
    http: instance,
    baseUrl: baseUrlOf(settings.grafanaUrl),
    close: () => {
      httpAgent.destroy();
      httpsAgent.destroy();
    },
  };
}

function baseUrlOf(address: string | undefined): string {
  if (address === undefined || address === '') return '';
  const url = new URL(address);
  return url.origin + url.pathname.replace(/\/+$/, '');
}

function tlsOptions(settings: Settings): https.AgentOptions {
  const { grafanaCaFile, grafanaCertFile, grafanaKeyFile, grafanaInsecure } = settings;
  return {
    ...(grafanaCaFile === undefined ? {} : { ca: readFileSync(grafanaCaFile) }),
    ...(grafanaCertFile === undefined ? {} : { cert: readFileSync(grafanaCertFile) }),
    ...(grafanaKeyFile === undefined ? {} : { key: readFileSync(grafanaKeyFile) }),
    ...(grafanaInsecure ? { rejectUnauthorized: false } : {}),
  };
}
