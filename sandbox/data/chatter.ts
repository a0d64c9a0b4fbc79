import type { Incident } from './incident.ts';
import type { Message } from './lines.ts';
import type { Replica } from './pods.ts';
import { hash, pick, type Random } from './random.ts';
import { DATABASE_URL, FAKE_SECRETS } from './secrets.ts';

/** Text of a message and its fields, without time. */
type Plain = Omit<Message, 'at' | 'trace'>;

/** What a replica logs in a minute besides its requests: probes, warnings, very long lines and fake secrets. */
export function chatter(incident: Incident, replica: Replica, minute: number, next: Random): Message[] {
  const plain: Plain[] = [PROBE];
  const few = Math.ceil(replica.perSecond * 3);
  for (let i = 0; i < few; i++) {
    const level = next() < 0.06 ? 'warn' : next() < 0.3 ? 'debug' : 'info';
    plain.push({ level, text: pick(replica.service.chatter, Math.floor(next() * 97)), fields: {} });
  }
  for (const rule of OCCASIONS) {
    if (rule.app !== '*' && rule.app !== replica.service.name) continue;
    if ((minute + hash(rule.name, replica.index)) % rule.everyMinutes === 0) plain.push(rule.say(minute));
  }
  if (replica.failing && minute * 60_000 >= incident.facts.deployedAt) {
    // The connection string (fake) that a careless new version prints again and again.
    plain.push({ level: 'warn', text: 'reconnecting', fields: { dsn: DATABASE_URL, version: incident.facts.version } });
  }
  return plain.map((message) => ({ ...message, at: minute * 60_000 + Math.floor(next() * 59_990), trace: '' }));
}

const PROBE: Plain = { level: 'debug', text: 'readiness probe ok', fields: {} };

interface Occasion {
  name: string;
  app: string;
  everyMinutes: number;
  say(minute: number): Plain;
}

/** Fake secrets and very long lines, each where a careless service would print it. */
const OCCASIONS: readonly Occasion[] = [
  {
    name: 'password',
    app: 'auth',
    everyMinutes: 2,
    // fake password
    say: () => ({
      level: 'debug',
      text: `login attempt user=ada@example.com password=${FAKE_SECRETS.password}`,
      fields: {},
    }),
  },
  {
    name: 'bearer',
    app: 'auth',
    everyMinutes: 3,
    // fake token
    say: () => ({ level: 'debug', text: 'upstream call', fields: { authorization: `Bearer ${FAKE_SECRETS.jwt}` } }),
  },
  {
    name: 'cloud key',
    app: 'payments',
    everyMinutes: 4,
    // fake key, from AWS's documentation
    say: () => ({
      level: 'info',
      text: 'receipts bucket configured',
      fields: { aws_access_key_id: FAKE_SECRETS.cloudKey, aws_secret_access_key: FAKE_SECRETS.cloudSecret },
    }),
  },
  {
    name: 'database url',
    app: 'checkout',
    everyMinutes: 5,
    // fake password in the URL
    say: () => ({ level: 'info', text: 'database connected', fields: { dsn: DATABASE_URL } }),
  },
  {
    name: 'cookie',
    app: 'frontend',
    everyMinutes: 3,
    // fake session
    say: () => ({
      level: 'warn',
      text: 'an upstream response is buffered to a temporary file',
      fields: { cookie: `session=${FAKE_SECRETS.cookie}; theme=dark` },
    }),
  },
  {
    name: 'long json',
    app: 'cart',
    everyMinutes: 10,
    say: (minute) => ({ level: 'debug', text: 'cart snapshot', fields: { snapshot: longText(minute, 12_000) } }),
  },
  {
    name: 'long line',
    app: 'search',
    everyMinutes: 25,
    say: (minute) => ({ level: 'debug', text: 'query plan', fields: { plan: longText(minute, 40_000) } }),
  },
];

function longText(salt: number, length: number): string {
  const words = ['sku', 'qty', 'price', 'node', 'score', 'filter', '単価', 'bucket'];
  let text = '';
  for (let i = 0; text.length < length; i++) text += `${pick(words, hash(salt, i))}:${hash(salt, i) % 10_000};`;
  return text.slice(0, length);
}
