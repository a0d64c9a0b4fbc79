import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createShop } from '../data/shop.ts';
import { exposition } from './exposition.ts';
import { pushLines } from './push.ts';

// `npm run sample-app`: the shop of the sandbox for a real Loki and a real Prometheus. See testdata/README.md.
const USAGE = `npm run sample-app -- --loki URL [options]

  --loki URL      where the lines go, e.g. http://127.0.0.1:3100
  --port N        port of /metrics and /healthz (default 9101; 0 takes a free one)
  --host ADDRESS  address of the listener (default 127.0.0.1)
  --backfill T    history that is sent first: 90m, 1h, or a number of hours (default 1h, up to 6h)
  --seed N        another incident (default 1)
`;
/** New lines are sent this often. ms */
const EVERY = 5_000;
/** Lines are made whole that far behind the clock. ms */
const BEHIND = 1_000;
/** The shop has no more history. ms */
const MOST_BACKFILL = 6 * 3_600_000;

const ended = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => ended.abort());
try {
  const { values } = parseArgs({
    options: {
      loki: { type: 'string' },
      port: { type: 'string', default: '9101' },
      host: { type: 'string', default: '127.0.0.1' },
      backfill: { type: 'string', default: '1h' },
      seed: { type: 'string', default: '1' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) process.stdout.write(USAGE);
  else await run(values);
} catch (error) {
  if (!ended.signal.aborted) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    process.exitCode = 2;
  }
}
if (ended.signal.aborted || process.exitCode === 2) process.exit();

interface Values {
  loki?: string;
  port: string;
  host: string;
  backfill: string;
  seed: string;
}

async function run(values: Values): Promise<void> {
  const { loki } = values;
  if (loki === undefined || !/^https?:\/\//.test(loki)) throw new Error('--loki needs the address of a Loki.');
  const backfill = span('--backfill', values.backfill);
  const startedAt = Date.now();
  const shop = createShop(whole('--seed', values.seed, 999_999_999), startedAt, Date.now);
  const server = createServer((request, response) => {
    const found = request.url === '/metrics' || request.url === '/healthz';
    const body = request.url === '/metrics' ? exposition(shop.metrics, Date.now()) : found ? 'ok\n' : 'see /metrics\n';
    response.writeHead(found ? 200 : 404, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(body);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(whole('--port', values.port, 65_535), values.host, resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  process.stderr.write(`metrics at http://${values.host}:${port}/metrics\n`);
  let sentTo = nanos(startedAt - backfill);
  try {
    for (;;) {
      const until = nanos(Date.now() - BEHIND);
      const sent = await pushLines(loki.replace(/\/+$/, ''), shop.logs, sentTo, until, ended.signal);
      process.stderr.write(`${sent} lines sent\n`);
      sentTo = until;
      await sleep(EVERY, undefined, { signal: ended.signal });
    }
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

function nanos(ms: number): bigint {
  return BigInt(Math.floor(ms)) * 1_000_000n;
}

/** ms */
function span(flag: string, text: string): number {
  const [, amount = '', unit = 'h'] = /^(\d{1,4})([mh])?$/.exec(text) ?? [];
  const ms = Number(amount) * (unit === 'm' ? 60_000 : 3_600_000);
  if (amount === '' || ms > MOST_BACKFILL) throw new Error(`${flag} must be minutes or hours up to 6h, such as 90m.`);
  return ms;
}

function whole(flag: string, text: string, most: number): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) > most) throw new Error(`${flag} must be a whole number up to ${most}.`);
  return Number(text);
}
