import { hash, pick } from './random.ts';
import type { Format, Service } from './services.ts';
import type { Request } from './traffic.ts';

export type Level = 'debug' | 'info' | 'warn' | 'error';

/** What a line says, before its service's format writes it. */
export interface Message {
  /** ms since epoch */
  at: number;
  level: Level;
  text: string;
  /** In this order; numbers stay numbers in JSON. */
  fields: Record<string, string | number>;
  trace: string;
}

/** One line in the format of the service. `salt` varies addresses, thread names and the like. */
export function writeLine(service: Service, message: Message, salt: number): string {
  return WRITERS[service.format](message, salt, service);
}

/** The completion line of a request as nginx writes it: no message, no level. */
export function accessLine(at: number, request: Request, method: string, path: string, salt: number): string {
  const size = 180 + (salt % 40_000);
  const agent = pick(AGENTS, salt >>> 3);
  return `10.0.${salt % 4}.${(salt >>> 2) % 250} - - [${clfTime(at)}] "${method} ${path} HTTP/1.1" ${request.status} ${size} "-" "${agent}" ${(request.ms / 1000).toFixed(3)}`;
}

const WRITERS: Record<Format, (message: Message, salt: number, service: Service) => string> = {
  logfmt: (m) =>
    `ts=${iso(m.at)} level=${m.level} msg=${quoted(m.text)}${pairs(m.fields)}${m.trace ? ` trace_id=${m.trace}` : ''}`,
  cjk: (m) =>
    `level=${m.level} ts=${iso(m.at)} msg=${quoted(m.text)}${pairs(m.fields)}${m.trace ? ` trace_id=${m.trace}` : ''}`,
  json: (m, salt) =>
    JSON.stringify({
      ts: iso(m.at),
      level: m.level,
      msg: m.text,
      ...m.fields,
      ...(m.trace && { trace_id: m.trace }),
      user: { id: 1000 + (salt % 4000), name: pick(NAMES, salt), plan: salt % 3 ? 'free' : 'pro' },
    }),
  ansi: (m) =>
    `\u001b[90m${iso(m.at).slice(11, 23)}\u001b[0m ${COLOURS[m.level]}${m.level.toUpperCase()}\u001b[0m \u001b[1m${m.text}\u001b[0m${pairs(m.fields)}${m.trace ? ` trace_id=${m.trace}` : ''}`,
  nginx: (m, salt) => {
    const level = m.level === 'warn' || m.level === 'error' ? m.level : 'notice';
    const time = iso(m.at).slice(0, 19).replaceAll('-', '/').replace('T', ' ');
    const cookie = m.fields.cookie ? `, cookie: "${m.fields.cookie}"` : '';
    return `${time} [${level}] ${7 + (salt % 4)}#0: *${salt % 100_000} ${m.text}, client: 10.0.1.${salt % 250}, server: shop.example.com${cookie}`;
  },
  java: (m, salt, service) => {
    const logger = `c.e.${service.name.charAt(0).toUpperCase()}${service.name.slice(1)}`;
    const head = `${iso(m.at).slice(0, 23).replace('T', ' ').replace('.', ',')} ${m.level.toUpperCase().padEnd(5)} [http-nio-8080-exec-${1 + (salt % 9)}] ${logger} - ${m.text}${pairs(m.fields)}${m.trace ? ` trace_id=${m.trace}` : ''}`;
    return m.level === 'error' ? `${head}\n${stackTrace(m.text, salt)}` : head;
  },
};

const COLOURS: Record<Level, string> = {
  debug: '\u001b[36m',
  info: '\u001b[32m',
  warn: '\u001b[33m',
  error: '\u001b[31m',
};
const NAMES = ['Ada', 'Grace', '田中太郎', 'Владимир', 'Zoë', '王小明', '김민준', 'José'];
const AGENTS = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'curl/8.15.0',
  'ShopApp/7.2 (iPhone)',
];

/** Multi-line, as log4j prints an exception. */
function stackTrace(text: string, salt: number): string {
  const exception = /^[\w.]+Exception/.exec(text)?.[0] ?? 'java.sql.SQLTransientConnectionException';
  return [
    `${exception}: ${text.replace(`${exception}: `, '')}`,
    `\tat c.e.repo.StockRepository.find(StockRepository.java:${40 + (salt % 60)})`,
    `\tat c.e.StockService.reserve(StockService.java:${100 + (salt % 30)})`,
    '\tat c.e.web.StockController.post(StockController.java:57)',
    '\tat org.springframework.web.servlet.DispatcherServlet.doDispatch(DispatcherServlet.java:1088)',
    '\tat java.base/java.lang.Thread.run(Thread.java:1583)',
    `Caused by: java.net.SocketTimeoutException: Read timed out`,
    `\t... ${12 + (salt % 20)} more`,
  ].join('\n');
}

function pairs(fields: Message['fields']): string {
  let text = '';
  for (const key in fields) {
    const value = fields[key];
    text += ` ${key}=${typeof value === 'string' && /[\s"=]/.test(value) ? quoted(value) : value}`;
  }
  return text;
}
function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
/** As Date.toISOString, which is called for each line and would be the slowest part: only the minute is asked of Date. */
function iso(at: number): string {
  const minute = Math.floor(at / 60_000);
  if (minute !== known.minute) known = { minute, text: new Date(minute * 60_000).toISOString().slice(0, 17) };
  const ms = Math.floor(at - minute * 60_000);
  return `${known.text}${String(100_000 + ms).slice(1, 3)}.${String(100_000 + ms).slice(3)}Z`;
}
let known = { minute: -1, text: '' };
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
function clfTime(at: number): string {
  const text = iso(at);
  return `${text.slice(8, 10)}/${MONTHS[Number(text.slice(5, 7)) - 1]}/${text.slice(0, 4)}:${text.slice(11, 19)} +0000`;
}

/** A concrete path for a route template. */
export function pathOf(route: string, salt: number): string {
  return route.includes('{') ? route.replace(/\{\w+\}/, String(1 + (hash(salt) % 900))) : route;
}
