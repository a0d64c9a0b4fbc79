import type { ServerResponse } from 'node:http';
import type { Settings } from '../config/schema.ts';
import type { Tally } from '../mcp/call.ts';

export interface Session<T> {
  readonly id: string;
  readonly kind: 'streamable' | 'sse';
  readonly principal: string;
  readonly transport: T;
  /** The revision agreed on in `initialize`. */
  protocolVersion?: string;
  /** ms since epoch */
  lastSeen: number;
  /** Whether anything came after `initialize`. */
  used: boolean;
  /** Bytes of logs that its calls made Loki read. */
  readonly scanned: Tally;
  /** Streams, requests and calls that are open now: while there is one, the session is not idle. */
  open: number;
  close(): Promise<void>;
}

export interface Sessions<T> {
  /** The session, or why there is no place for it. */
  add(session: Omit<Session<T>, 'lastSeen' | 'used' | 'open' | 'scanned'>): Session<T> | 'full' | 'full for principal';
  /** Undefined for an unknown id, another kind and another principal alike. */
  find(id: string, kind: Session<T>['kind'], principal: string): Session<T> | undefined;
  /** Counts as activity until the returned function is called. */
  begin(session: Session<T>): () => void;
  /** Counts the response as activity until it closes. */
  hold(session: Session<T>, response: ServerResponse): void;
  remove(id: string): void;
  count(kind?: Session<T>['kind']): number;
  /** Ends every session and the sweep. */
  closeAll(): Promise<void>;
}

/** Clients seldom end their sessions: at a cap, one that was left for so long makes room, ms. */
const ABANDONED = 10 * 60_000;
/** The same for one whose client never came back after `initialize`: it may have gone before it had the answer. */
const UNUSED = 60_000;

type Limits = Pick<Settings, 'sessionIdle' | 'maxSessions' | 'maxSessionsPerPrincipal'>;

/** Who owns which session. Idle ones end after --session-idle; nothing else outlives its transport. */
export function createSessions<T>(limits: Limits): Sessions<T> {
  const all = new Map<string, Session<T>>();
  const sweep = setInterval(endIdle, Math.min(30_000, Math.max(100, limits.sessionIdle / 4))).unref();

  function endIdle(): void {
    const before = Date.now() - limits.sessionIdle;
    for (const session of all.values()) {
      if (session.open === 0 && session.lastSeen < before) void end(session);
    }
  }
  async function end(session: Session<T>): Promise<void> {
    all.delete(session.id);
    await session.close().catch(() => {});
  }
  /** Ends the session that was left longest, among those left long enough ago. */
  function makeRoom(among: Session<T>[]): void {
    const now = Date.now();
    const left = among.filter((s) => s.open === 0 && now - s.lastSeen >= (s.used ? ABANDONED : UNUSED));
    const [oldest] = left.sort((a, b) => a.lastSeen - b.lastSeen);
    if (oldest !== undefined) void end(oldest);
  }
  const owned = (principal: string) => [...all.values()].filter((s) => s.principal === principal);

  function begin(session: Session<T>): () => void {
    session.open += 1;
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      session.open -= 1;
      session.lastSeen = Date.now();
    };
  }
  return {
    add(session) {
      if (all.size >= limits.maxSessions) makeRoom([...all.values()]);
      if (all.size >= limits.maxSessions) return 'full';
      if (owned(session.principal).length >= limits.maxSessionsPerPrincipal) makeRoom(owned(session.principal));
      if (owned(session.principal).length >= limits.maxSessionsPerPrincipal) return 'full for principal';
      const added = { ...session, lastSeen: Date.now(), used: false, open: 0, scanned: { bytes: 0 } };
      all.set(session.id, added);
      return added;
    },
    find(id, kind, principal) {
      const session = all.get(id);
      if (session === undefined || session.kind !== kind || session.principal !== principal) return undefined;
      session.lastSeen = Date.now();
      session.used = true;
      return session;
    },
    begin,
    hold: (session, response) => void response.once('close', begin(session)),
    remove: (id) => void all.delete(id),
    count: (kind) => (kind === undefined ? all.size : [...all.values()].filter((s) => s.kind === kind).length),
    async closeAll() {
      clearInterval(sweep);
      await Promise.all([...all.values()].map(end));
    },
  };
}
