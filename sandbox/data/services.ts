export type Format = 'logfmt' | 'json' | 'nginx' | 'java' | 'ansi' | 'cjk';

export interface Service {
  name: string;
  format: Format;
  /** Replicas in `prod`; `staging` has one. */
  replicas: number;
  /** Requests per second of all replicas in `prod`. */
  perSecond: number;
  /** Most frequent first. */
  routes: readonly { method: string; route: string }[];
  /** Median latency. */
  ms: number;
  /** Messages of successful requests. */
  done: readonly string[];
  /** The usual noise: errors that come before and after the incident alike. */
  errors: readonly string[];
  /** Lines that belong to no request. */
  chatter: readonly string[];
}

// The shop. Formats are spread so that every kind of line is met.
export const SERVICES: readonly Service[] = [
  {
    name: 'frontend',
    format: 'nginx',
    replicas: 3,
    perSecond: 1.8,
    routes: [
      { method: 'GET', route: '/' },
      { method: 'GET', route: '/product/{id}' },
      { method: 'POST', route: '/cart' },
    ],
    ms: 40,
    done: [''],
    errors: ['upstream prematurely closed connection while reading response header from upstream'],
    chatter: ['client closed connection while waiting for request', 'using the "epoll" event method'],
  },
  {
    name: 'cart',
    format: 'json',
    replicas: 2,
    perSecond: 1.0,
    routes: [
      { method: 'GET', route: '/api/cart' },
      { method: 'POST', route: '/api/cart/items' },
      { method: 'DELETE', route: '/api/cart/items/{id}' },
    ],
    ms: 22,
    done: ['cart read', 'item added', 'item removed'],
    errors: ['price service answered 409, keeping the old price', 'context canceled while reading body'],
    chatter: ['cache refreshed', 'expired carts removed', 'feature flags reloaded'],
  },
  {
    name: 'checkout',
    format: 'logfmt',
    replicas: 2,
    perSecond: 1.4,
    routes: [
      { method: 'POST', route: '/api/orders' },
      { method: 'GET', route: '/api/orders/{id}' },
      { method: 'POST', route: '/api/vouchers' },
    ],
    ms: 80,
    done: ['order placed', 'order read', 'voucher applied'],
    errors: ['address validation failed: unknown postcode', 'connection reset by peer while sending receipt'],
    chatter: ['exchange rates refreshed', 'outbox flushed', 'config reloaded'],
  },
  {
    name: 'payments',
    format: 'json',
    replicas: 2,
    perSecond: 0.9,
    routes: [
      { method: 'POST', route: '/api/charge' },
      { method: 'POST', route: '/api/refund' },
      { method: 'GET', route: '/api/methods' },
    ],
    ms: 140,
    done: ['charge ok', 'refund ok', 'methods listed'],
    errors: ['card declined by issuer', 'webhook signature mismatch, ignored'],
    chatter: ['settlement batch closed', 'provider status: green'],
  },
  {
    name: 'inventory',
    format: 'java',
    replicas: 2,
    perSecond: 0.8,
    routes: [
      { method: 'GET', route: '/stock/{sku}' },
      { method: 'POST', route: '/reserve' },
      { method: 'POST', route: '/release' },
    ],
    ms: 30,
    done: ['stock read', 'reserved', 'released'],
    errors: ['java.lang.IllegalStateException: stock locked by another reservation'],
    chatter: ['HikariPool-1 - Pool stats (total=50, idle=38, waiting=0)', 'Reindexed 412 products'],
  },
  {
    name: 'search',
    format: 'ansi',
    replicas: 2,
    perSecond: 1.0,
    routes: [
      { method: 'GET', route: '/search' },
      { method: 'GET', route: '/suggest' },
      { method: 'POST', route: '/reindex' },
    ],
    ms: 60,
    done: ['query answered', 'suggestions answered', 'document indexed'],
    errors: ['shard 3 timed out, partial results', 'query too complex: 1024 clauses'],
    chatter: ['segment merge finished', 'warming up searcher'],
  },
  {
    name: 'auth',
    format: 'json',
    replicas: 2,
    perSecond: 0.9,
    routes: [
      { method: 'POST', route: '/login' },
      { method: 'GET', route: '/userinfo' },
      { method: 'POST', route: '/token' },
    ],
    ms: 18,
    done: ['login ok', 'userinfo read', 'token issued'],
    errors: ['LDAP bind failed, falling back to local users', 'clock skew of 3s with the identity provider'],
    chatter: ['signing keys rotated', 'session store compacted'],
  },
  {
    name: 'notifications',
    format: 'cjk',
    replicas: 2,
    perSecond: 0.5,
    routes: [
      { method: 'POST', route: '/send' },
      { method: 'GET', route: '/templates' },
      { method: 'POST', route: '/digest' },
    ],
    ms: 50,
    done: ['邮件已发送 ✓', 'テンプレートを読み込みました', '요약 메일을 보냈습니다'],
    errors: ['SMTP 421 サーバーが混雑しています', '收件人地址无效'],
    chatter: ['队列为空，等待中', '再試行キューを確認しました'],
  },
];
