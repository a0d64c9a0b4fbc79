import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Desk, openDesk } from './support/in-process.ts';

// Each tool asked as an engineer would; whole first lines are compared, since those are what is read at 3 a.m.
const SECRETS = /hunter2|eyJhbGciOi|AKIA|BEGIN (?:RSA )?PRIVATE KEY|glsa_/;
const WINDOW = String.raw`\d\d:\d\d:\d\d–\d\d:\d\d:\d\d UTC`;

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());
afterEach(() => desk.audits.splice(0));

const loki = (logql: string, more: Record<string, unknown> = {}) =>
  desk.ask('query_loki_logs', { logql, datasource: 'Loki Demo', ...more });
const prom = (promql: string, more: Record<string, unknown> = {}) => desk.ask('query_prometheus', { promql, ...more });

describe('list_datasources', () => {
  test('gives the same compact JSON as text and as structured content', async () => {
    const { text, structured } = await desk.ask('list_datasources');
    expect(JSON.parse(text)).toEqual(structured);
    expect(text).toBe(
      '{"datasources":[{"uid":"am-demo","name":"Alertmanager Demo","type":"alertmanager","isDefault":false},' +
        '{"uid":"broken","name":"Broken Prometheus","type":"prometheus","isDefault":false},' +
        '{"uid":"loki-demo","name":"Loki Demo","type":"loki","isDefault":false},' +
        '{"uid":"prometheus-demo","name":"Prometheus Demo","type":"prometheus","isDefault":true},' +
        '{"uid":"edge-logs","name":"東京 / Edge Logs","type":"loki","isDefault":false}],"total":5}',
    );
  });

  test('filters by type and name, and says what there is when nothing fits', async () => {
    const { structured } = await desk.ask('list_datasources', { type: 'LOKI', name: 'demo' });
    expect(structured).toMatchObject({ datasources: [{ uid: 'loki-demo' }], total: 1 });
    expect((await desk.ask('list_datasources', { type: 'tempo' })).structured).toEqual({
      datasources: [],
      total: 0,
      note: 'Nothing fits; without filter there are 5, of the types alertmanager, loki, prometheus.',
    });
  });

  test('pages in a small budget without loss; a cursor of another question is refused', async () => {
    const small = await openDesk(['--answer-chars', '1000']);
    const uids: string[] = [];
    let cursor: unknown;
    do {
      const { structured } = await small.ask('list_datasources', { cursor });
      const page = structured as { datasources: { uid: string }[]; nextCursor?: string };
      uids.push(...page.datasources.map((ds) => ds.uid));
      cursor = page.nextCursor;
      if (cursor !== undefined) {
        expect((await small.ask('list_datasources', { cursor, type: 'loki' })).text).toContain('code: bad_cursor');
      }
    } while (cursor !== undefined);
    expect(uids).toEqual(['am-demo', 'broken', 'loki-demo', 'prometheus-demo', 'edge-logs']);
    await small.close();
  });

  test('a role without datasources:read gets the limited view and is told', async () => {
    const { structured } = await desk.ask('list_datasources', {}, { token: desk.sandbox.tokens.limited });
    expect(structured).toMatchObject({ note: expect.stringContaining('Limited view') });
  });
});

describe('query_loki_logs', () => {
  test('lines: how many, order, more, window, from where; shared labels once; the way on; the link last', async () => {
    const { lines, data } = await loki('{app="checkout", env="prod"}', { limit: 3 });
    expect(lines[0]).toMatch(
      new RegExp(`^3 lines, newest first, more exist · ${WINDOW} \\(default: last hour\\) · Loki Demo$`),
    );
    expect(data[0]).toMatch(/^all: app=checkout container=checkout .*env=prod namespace=shop-prod/);
    expect(data.length).toBe(4);
    expect(lines.at(-3)).toMatch(/^older: cursor="[\w.-]+"$/);
    expect(lines.at(-2)).toMatch(/^count instead: sum .*\(count_over_time\(\{app="checkout", env="prod"\} \[1h\]\)\)$/);
    expect(lines.at(-1)?.startsWith(`${desk.sandbox.url}/explore?schemaVersion=1&panes=`)).toBe(true);
  });

  test.each(['backward', 'forward'] as const)('pages %s: no loss, no repeat, in order', async (direction) => {
    const facts = desk.sandbox.facts;
    const logql = `{app="${facts.service}", env="prod"} |= "${facts.error}"`;
    const window = { start: '10m', end: '1m', direction, detail: 'raw' };
    const all: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const { text, data } = await loki(logql, { ...window, limit: 1000, cursor });
      all.push(...data.filter((line) => /^\d\d:/.test(line)));
      cursor = /cursor="([^"]+)"/.exec(text)?.[1];
      pages++;
    } while (cursor !== undefined && pages < 100);
    const count = await loki(`sum(count_over_time(${logql} [9m]))`, { end: '1m' });
    const times = all.map((line) => line.slice(0, 18));
    expect(pages).toBeGreaterThan(2);
    expect(new Set(all).size).toBe(all.length);
    expect(times).toEqual([...times].sort((a, b) => (direction === 'forward' ? 1 : -1) * (a < b ? -1 : 1)));
    // The clock of each call is its own: the windows may differ by the lines of some milliseconds.
    expect(Math.abs(all.length - Number(count.data[0]?.replace(/\D/g, '')))).toBeLessThan(5);
  });

  test('the cursor keeps its window, needs no start or end again, and refuses another question', async () => {
    const first = await loki('{app="cart"}', { limit: 2, start: '30m' });
    const cursor = /cursor="([^"]+)"/.exec(first.text)?.[1] ?? '';
    const window = new RegExp(`${WINDOW}`).exec(first.text)?.[0] ?? 'none';
    for (const more of [{}, { start: '30m' }]) {
      const next = await loki('{app="cart"}', { limit: 2, cursor, ...more });
      expect(next.lines[0]).toContain(window);
      expect(next.data).not.toEqual(first.data);
    }
    for (const more of [
      { start: '20m' },
      { direction: 'forward' },
      { datasource: 'edge-logs' },
      { cursor: `${cursor}x` },
    ]) {
      expect((await loki('{app="cart"}', { cursor, ...more })).lines.at(-1)).toBe('code: bad_cursor · hop: caller');
    }
  });

  test('a metric query at an instant, largest first', async () => {
    const { lines, data } = await loki('topk(2, sum by (app) (count_over_time({env="prod"} |~ "(?i)error" [20m])))');
    expect(lines[0]).toMatch(/^topk\(2, .*\) · now \(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\) · Loki Demo$/);
    expect(data[0]).toMatch(/^app=checkout {2}\d+$/);
    expect(data[1]).toMatch(/^app=payments {2}\d+$/);
  });

  test('a metric query over a window, with automatic step and interval variables', async () => {
    const { lines, text } = await loki('sum by (app) (rate({env="prod"} [$__auto]))', { start: '30m' });
    expect(lines[0]).toMatch(new RegExp(`^sum by .*\\[15s\\]\\)\\) · ${WINDOW}, step 15s \\(auto\\) · Loki Demo$`));
    expect(text).toContain('replaced: $__auto = 15s');
    expect(text).toMatch(/app=checkout .*\/s/);
  });

  test('around an instant: lines before and after, that one marked', async () => {
    const facts = desk.sandbox.facts;
    const { data } = await loki(`{app="${facts.service}"} |= "${facts.error}"`, {
      detail: 'raw',
      limit: 1,
      direction: 'forward',
      start: '10m',
    });
    const time = /^(\d\d:\d\d:\d\d\.\d+)/.exec(data[1] ?? '')?.[1];
    const around = `${new Date().toISOString().slice(0, 10)}T${time}Z`;
    const context = await loki(`{app="${facts.service}"}`, { around, limit: 6 });
    expect(context.lines[0]).toMatch(new RegExp(`^6 lines around .*${time}, oldest first · `));
    const rows = context.data.filter((line) => /^[> ] \d/.test(line));
    expect(rows.map((line) => line[0])).toEqual([' ', ' ', ' ', '>', ' ', ' ']);
  });

  test('a typo in a label value: no lines, the near one, and what exists', async () => {
    const { lines, data, isError } = await loki('{app="chekout"}');
    expect(isError).toBe(false);
    expect(lines[0]).toMatch(new RegExp(`^no lines · ${WINDOW} \\(default: last hour\\) · Loki Demo$`));
    expect(data[0]).toMatch(/^no stream has app="chekout" in this window; near: app="checkout" \([\d,]+ lines\)$/);
    expect(data[1]).toBe('values of app: auth, cart, checkout, frontend, inventory, notifications, payments, search');
    expect(data[2]).toMatch(/^other labels that exist: container \(.*env \(prod, staging\)/);
  });

  test.each([
    ['{ap="checkout"}', 'no stream has a label ap in this window; near: app'],
    ['{app="checkout"} |= "no such words"', 'holds'],
    ['{app="checkout", namespace="shop-staging", env="prod"}', 'each label value exists, but no stream matches'],
  ])('%s says why', async (logql, why) => {
    expect((await loki(logql)).data[0]).toContain(why);
  });

  test('a window long ago and empty: the clock is told', async () => {
    const { text } = await loki('{app="checkout"}', { start: '2024-01-01T00:00:00Z', end: '2024-01-01T01:00:00Z' });
    expect(text).toMatch(/^no lines · 2024-01-01 00:00:00–01:00:00 UTC · Loki Demo\n/);
    expect(text).toMatch(/the clock of this call is \d{4}-.*; did you mean start="now-1h"\?/);
  });

  test('cut by the budget, the first line counts what is shown', async () => {
    for (const answerLines of [2, 500]) {
      const { lines, data } = await loki('{app="cart", env="prod"}', { detail: 'raw', limit: answerLines });
      const rows = data.filter((line) => /^\d\d:\d\d:\d\d/.test(line));
      expect(rows.length).toBeLessThanOrEqual(answerLines);
      expect(lines[0]).toMatch(new RegExp(`^${rows.length} lines, newest first, more exist · `));
    }
  });

  test('a missing comma: the place and a query that works', async () => {
    const { text, isError } = await loki('{app="checkout" env="prod"} |= "error"');
    expect(isError).toBe(true);
    expect(text).toBe(
      [
        'Loki cannot read this query (line 1, column 17): matchers are separated by commas.',
        '  {app="checkout" env="prod"} |= "error"',
        '                  ^',
        'try: {app="checkout", env="prod"} |= "error"',
        'code: bad_query · hop: caller',
      ].join('\n'),
    );
  });

  test.each<[Record<string, unknown>, RegExp]>([
    [{ logql: 'rate({app="cart"}[5m])', cursor: 'x' }, /^The cursor was altered/],
    [{ logql: 'rate({app="cart"}[5m])', around: '5m' }, /^The argument "around" belongs to log queries/],
    [{ logql: '{app="cart"}', step: 15 }, /^The argument "step" belongs to metric queries/],
    [{ logql: '{app="cart"}', start: 'yesterday-ish' }, /^"yesterday-ish" is not a time\./],
    [{ logql: 'up' }, /It reads as PromQL: query_prometheus runs it\./],
    [{ logql: "{app='checkout'}" }, /try: \{app="checkout"\}/],
    [{ logql: '{app="cart"}', datasource: 'prometheus-demo' }, /is of type prometheus, not Loki; use query_prometheus/],
    [{ logql: '{app="cart"}', datasource: 'nowhere' }, /^No datasource has the uid or the name "nowhere"/],
    [{ logql: '{app="cart"}', datasource: '' }, /^There is more than one Loki datasource: loki-demo/],
  ])('%j is refused in words', async (args, text) => {
    const asked = await desk.ask('query_loki_logs', { datasource: 'loki-demo', ...args });
    expect([asked.isError, asked.text]).toEqual([true, expect.stringMatching(text)]);
  });
});

describe('list_loki_labels', () => {
  test('names, values by volume, and a misspelt label', async () => {
    const names = await desk.ask('list_loki_labels', { datasource: 'Loki Demo' });
    expect(names.structured).toMatchObject({ labels: ['app', 'container', 'env', 'namespace', 'pod'], total: 5 });
    expect(JSON.parse(names.text)).toEqual(names.structured);
    const { structured } = await desk.ask('list_loki_labels', { datasource: 'Loki Demo', label: 'app', match: 'C' });
    const { values, bytes, total } = structured as { values: string[]; bytes: Record<string, number>; total: number };
    expect([total, [...values].sort()]).toEqual([4, ['cart', 'checkout', 'notifications', 'search']]);
    expect(values).toEqual([...values].sort((a, b) => (bytes[b] ?? 0) - (bytes[a] ?? 0)));
    expect(bytes[values[0] ?? '']).toBeGreaterThan(10_000);
    expect((await desk.ask('list_loki_labels', { datasource: 'Loki Demo', label: 'ap' })).structured).toMatchObject({
      values: [],
      total: 0,
      note: 'No label ap in this window; did you mean app? Labels: app, container, env, namespace, pod.',
    });
  });
});

describe('query_prometheus', () => {
  test('a range: window, automatic step, the series that changed most first', async () => {
    const facts = desk.sandbox.facts;
    const { lines, data } = await prom('sum by (job) (rate(http_requests_total{status="500"}[5m]))', { start: '30m' });
    expect(lines[0]).toMatch(new RegExp(`^sum by \\(job\\) .* · ${WINDOW}, step 15s \\(auto\\) · Prometheus Demo$`));
    expect(data[0]?.trim().split(/ +/)).toEqual(['first', 'last', 'min', 'max', 'mean']);
    expect(data[1]).toMatch(new RegExp(`^job=${facts.job} .*/s .* up [\\d,.]+ × since \\d\\d:\\d\\d`));
    expect(lines.at(-2)).toMatch(/^8 series, at most 12\d points each · detail="points" for the values$/);
    expect(lines.at(-1)).toMatch(/^http:.*\/explore\?schemaVersion=1&panes=/);
  });

  test("other servers' spellings; points; seconds as a unit", async () => {
    const { data, lines } = await desk.ask('query_prometheus', {
      expr: 'histogram_quantile(0.95, sum by (le) (rate(http_request_duration_seconds_bucket[5m])))',
      startRfc3339: 'now-10m',
      stepSeconds: 60,
      datasource_uid: 'prometheus-demo',
      detail: 'points',
    });
    expect(lines[0]).toMatch(/, step 1m · Prometheus Demo$/);
    expect(data[0]).toMatch(/^value: (?:\d\d:\d\d:\d\d \d+(?:\.\d+)? m?s(?: · |$)){11}$/);
  });

  test('an instant; a number', async () => {
    const { lines, data } = await prom('sum by (job) (up) == 0');
    expect(lines[0]).toMatch(/^sum by \(job\) \(up\) == 0 · now \(.* UTC\) · Prometheus Demo$/);
    expect(data).toEqual(['all: job=dead', 'value  0']);
    expect((await prom('1+1')).data).toEqual(['2']);
  });

  test('too many series: how many, by which labels, and what to ask instead', async () => {
    const { lines, data, size } = await prom('demo_user_sessions');
    expect(lines[0]).toMatch(/^demo_user_sessions · now \(.* UTC\) · Prometheus Demo$/);
    expect(data[0]).toMatch(/^2,000 series\. Labels: user 2,000 values · region 4 · .*job 1 \(demo\)/);
    expect(lines).toContain('  sum by (region) (demo_user_sessions)');
    expect(lines).toContain('  topk(10, demo_user_sessions)');
    expect(size).toBeLessThan(2500);
  });

  test.each([
    ['up{job="chekout"}', 'no series of up has job="chekout" in this window; near: job="checkout"'],
    ['htp_requests_total', 'no metric htp_requests_total in this window; near: http_requests_total'],
    ['up{nope="x"}', 'no series of up has a label nope in this window'],
  ])('%s: no series, and why', async (promql, why) => {
    const { lines, data } = await prom(promql);
    expect(lines[0]).toMatch(/^no series · .* · now \(.*\) · Prometheus Demo$/);
    expect(data[0]).toBe(why);
  });

  test.each<[Record<string, unknown>, string]>([
    [
      { promql: 'sum(rate(up[5m])' },
      'Prometheus cannot read this query (line 1, column 17): a brace, bracket or parenthesis is not closed.',
    ],
    [
      { promql: 'up', start: '1h', step: '100ms' },
      'A step of 100ms over 1h gives 36,000 points a series; the limit is 11,000.',
    ],
    [
      { promql: 'up', datasource: 'broken' },
      'Grafana could not reach the datasource "Broken Prometheus" (broken) (502).',
    ],
    [
      { promql: 'up', datasource: 'loki-demo' },
      'The datasource "Loki Demo" (loki-demo) is of type loki, not Prometheus; use query_loki_logs.',
    ],
    [{ promql: 'up', detail: 'all' }, 'The argument "detail" must be one of summary, points, not "all".'],
    [{ promql: 'up', form: '1h' }, 'Unknown argument "form"; did you mean "start"?'],
    [{}, 'The argument "promql" is missing. PromQL, e.g. sum by (job) (rate(x_total[5m])).'],
  ])('%j', async (args, first) => {
    const { lines, isError } = await desk.ask('query_prometheus', args);
    expect([isError, lines[0]]).toEqual([true, first]);
  });

  test.each<[unknown, string]>([
    [15, 'step 15s'],
    ['15', 'step 15s'],
    ['15s', 'step 15s'],
    ['1m', 'step 1m'],
    [undefined, 'now ('],
  ])('step %j', async (step, shown) => {
    expect((await prom('up{job="cart"}', { step, end: 'now' })).lines[0]).toContain(shown);
  });
  test.each(['0', -1, 'abc', '0s'])('step %j is refused', async (step) => {
    expect((await prom('up', { step })).lines[0]).toBe(`"${step}" is not a duration above zero.`);
  });

  test('LogQL is sent to its tool', async () => {
    expect((await prom('{app="x"} |= "a"')).text).toContain('It reads as LogQL: query_loki_logs runs it.');
  });
});

describe('the stage that lets nothing through', () => {
  const lost = async (logql: string) => (await desk.ask('query_loki_logs', { datasource: 'loki-demo', logql })).data;
  test('a label that is metadata under another name', async () => {
    const data = await lost('{app="checkout"} |= "status" | level="error" | trace_id!=""');
    expect(data[1]).toBe('lines come through {app="checkout"} |= "status" and none through | level="error"');
    expect(data[2]).toMatch(/^these lines have no label level; near: detected_level \(.+\)$/);
  });
  test('a parser that cannot read the lines', async () => {
    const data = await lost('{app="checkout", env="prod"} |= "status=" | json | status=`500`');
    expect(data.join('\n')).toMatch(/cannot read these lines \(JSONParserErr\); they read as logfmt/);
  });
  test('a text in other letters; a value that is not there', async () => {
    expect((await lost('{app="checkout"} |= "ORDER placed"')).join('\n')).toContain(
      'some do in other letters: |~ `(?i)ORDER placed`',
    );
    const data = await lost('{app="checkout", env="prod"} |= "status=" | logfmt | method="post"');
    expect(data.join('\n')).toMatch(/values of method there: .*POST/);
  });
  test('a label of lines between the braces', async () => {
    expect((await lost('{app="checkout", trace_id="1"}')).join('\n')).toContain(
      'is a filter behind the braces: | trace_id="1"',
    );
  });
});

describe('search_metrics, list_prometheus_labels', () => {
  test('words in any order, with type and series; a regular expression', async () => {
    const { lines, data } = await desk.ask('search_metrics', { match: 'duration http' });
    expect(lines[0]).toBe('3 metrics for "duration http" · last hour · Prometheus Demo');
    expect(data[0]).toMatch(/^http_request_duration_seconds_sum +histogram .* \d+ series/);
    expect((await desk.ask('search_metrics', { match: '^DB_pool_(in_use|max)$' })).lines[0]).toBe(
      '2 metrics for "^DB_pool_(in_use|max)$" · last hour · Prometheus Demo',
    );
  });

  test('a glob is read as one; a broken expression is the fault of match', async () => {
    expect((await desk.ask('search_metrics', { match: '*pool*' })).lines[0]).toMatch(/^\d metrics for "\*pool\*"/);
    const { lines, text } = await desk.ask('search_metrics', { match: 'pool_(' + '[a' });
    expect(lines[0]).toMatch(/^The argument "match" is no regular expression/);
    expect(text).toContain('code: bad_argument · hop: caller');
    expect(text.slice(0, 300)).not.toContain('__name__!=');
  });

  test('nothing found: what is near', async () => {
    const { lines, data } = await desk.ask('search_metrics', { match: 'queue depht' });
    expect(lines[0]).toBe('no metric fits "queue depht" · last hour · Prometheus Demo');
    expect(data.slice(0, 2)).toEqual(['near: queue_depth', 'with one of the words: queue_depth']);
  });

  test('labels and values; what does not fit is counted', async () => {
    const jobs = await desk.ask('list_prometheus_labels', { label: 'job', selector: 'up{job=~"c.*"}' });
    expect(jobs.structured).toMatchObject({ label: 'job', values: ['cart', 'checkout'], total: 2 });
    const users = await desk.ask('list_prometheus_labels', { label: 'user' });
    expect(users.structured).toMatchObject({
      total: 2000,
      note: expect.stringMatching(/^\d+ of 2000 shown; narrow with selector\.$/),
    });
  });
});

describe('describe_datasource, check_access, read_resource', () => {
  test('a datasource: health, content with counts, and calls that give data', async () => {
    const { lines, data } = await desk.ask('describe_datasource', { datasource: 'prometheus demo' });
    expect(lines[0]).toMatch(/^Prometheus Demo \(prometheus-demo\) · prometheus · default · health ok/);
    expect(data).toEqual(expect.arrayContaining([expect.stringMatching(/^user {2}2,000 values: /)]));
    const examples = lines.flatMap(
      (line) => /^ {2}(\w+)\((\w+)='(.*)', datasource="(.*)"\)$/.exec(line)?.slice(1, 5) ?? [],
    );
    expect(examples.length).toBeGreaterThanOrEqual(8);
    for (let i = 0; i < examples.length; i += 4) {
      const [tool = '', parameter = '', query, uid] = examples.slice(i, i + 4);
      const answer = await desk.ask(tool, { [parameter]: query, datasource: uid });
      expect([answer.isError, answer.lines[0]?.startsWith('no ')]).toEqual([false, false]);
    }
  });

  test('a dead datasource is described, not failed on', async () => {
    const { lines, isError } = await desk.ask('describe_datasource', { datasource: 'broken' });
    expect([isError, lines[0]]).toEqual([
      false,
      expect.stringMatching(/^Broken Prometheus \(broken\) · prometheus · health error: /),
    ]);
  });

  test('access: who, what, and which hop fails', async () => {
    const { structured, text, isError } = await desk.ask('check_access', {}, { scopes: ['logs:read'] });
    expect(JSON.parse(text)).toEqual(structured);
    expect(isError).toBe(false);
    expect(structured).toMatchObject({
      summary: 'Failing: datasource:prometheus:broken.',
      principal: 'grafana:0123',
      scopes: ['logs:read'],
      grafana: { url: desk.sandbox.url, org: { id: 1 } },
      hops: [
        { hop: 'gateway', status: 'ok' },
        { hop: 'grafana', status: 'ok' },
        { hop: 'token', status: 'ok' },
        { hop: 'permissions', status: 'ok' },
        { hop: 'datasource:prometheus:broken', status: 'error' },
        { status: 'unknown' },
        { hop: 'datasource:loki:loki-demo', status: 'ok' },
        { hop: 'datasource:prometheus:prometheus-demo', status: 'ok' },
        { hop: 'datasource:loki:edge-logs', status: 'ok' },
      ],
    });
  });

  test('a revoked token is a finding', async () => {
    const { structured, isError } = await desk.ask('check_access', {}, { token: desk.sandbox.tokens.revoked });
    expect(isError).toBe(false);
    expect(structured?.hops).toEqual(
      expect.arrayContaining([expect.objectContaining({ hop: 'token', status: 'error' })]),
    );
  });

  test('a login page in front of Grafana: every hop says so, and the tool does not fail', async () => {
    const apart = await openDesk();
    apart.sandbox.faults.add({ kind: 'html' });
    const { structured, isError } = await apart.ask('check_access');
    const hops = structured?.hops as { hop: string; status: string; remedy?: string }[];
    expect(isError).toBe(false);
    expect(hops.map(({ hop, status }) => `${hop} ${status}`)).toEqual([
      'gateway ok',
      'grafana error',
      'token error',
      'permissions error',
      'datasources error',
    ]);
    expect(hops[1]?.remedy).toContain('--grafana-url');
    await apart.close();
  });

  test('a resource that does not fit is paged as text, whole', async () => {
    const small = await openDesk(['--answer-chars', '1000']);
    const uri = 'datasource:loki:loki-demo';
    let text = '';
    let cursor: unknown;
    do {
      const { structured, size } = await small.ask('read_resource', { uri, cursor });
      expect(size).toBeLessThanOrEqual(1000);
      text += String(structured?.text);
      cursor = structured?.nextCursor;
    } while (cursor !== undefined);
    expect(JSON.parse(text)).toMatchObject({ uid: 'loki-demo', type: 'loki' });
    await small.close();
  });

  test('a resource by URI, and one that does not exist', async () => {
    const { structured } = await desk.ask('read_resource', { uri: 'datasource:prometheus:Prometheus Demo' });
    expect(structured).toMatchObject({
      kind: 'datasource',
      name: 'Prometheus Demo',
      uid: 'prometheus-demo',
      isDefault: true,
    });
    const missing = await desk.ask('read_resource', { uri: 'datasource:prometheus:nope' });
    expect([missing.isError, missing.lines.at(-1)]).toEqual([true, 'code: unknown_resource · hop: caller']);
  });
});

describe('every tool', () => {
  test('stays within its budget and shows no secret', async () => {
    const asks: [string, Record<string, unknown>][] = [
      ['describe_datasource', { datasource: 'loki-demo' }],
      ['query_prometheus', { promql: '{__name__=~".+"}' }],
      ['query_prometheus', { promql: '{__name__=~".+"}', start: '1h', detail: 'points' }],
      ['search_metrics', { match: '.*' }],
      ...['app', 'pod'].map((label): [string, Record<string, unknown>] => [
        'list_loki_labels',
        { datasource: 'loki-demo', label },
      ]),
      ...['short', 'raw'].flatMap((detail) =>
        ['forward', 'backward'].map((direction): [string, Record<string, unknown>] => [
          'query_loki_logs',
          {
            datasource: 'loki-demo',
            logql: '{env=~".+"} |~ "(?i)pass|token|key|cookie|auth|postgres|at "',
            detail,
            direction,
            start: '3h',
            limit: 2000,
          },
        ]),
      ),
    ];
    for (const [name, args] of asks) {
      const { text, size, isError } = await desk.ask(name, args);
      expect([name, isError, size <= 7500]).toEqual([name, false, true]);
      expect(text).not.toMatch(SECRETS);
    }
  });

  test('is audited: names and a hash of the arguments, the datasource, the outcome; no value', async () => {
    await loki('{app="checkout"}', { limit: 1 });
    await loki('{app="checkout"}', { limit: 1 });
    await loki('{', { limit: '1' });
    const [first, second, failed] = desk.audits;
    expect(first).toMatchObject({
      requestId: 'request-1',
      subject: 'test',
      tool: 'query_loki_logs',
      args: ['logql', 'datasource', 'limit'],
      argsHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      datasource: 'loki-demo',
      outcome: 'ok',
      upstreamCalls: 1,
    });
    expect(first?.bytes).toBeGreaterThan(100);
    expect(second?.argsHash).toBe(first?.argsHash);
    expect(failed).toMatchObject({ outcome: 'error', code: 'bad_query', datasource: 'loki-demo' });
    expect(JSON.stringify(desk.audits)).not.toContain('checkout');
  });

  test('that the caller may not see does not exist', async () => {
    const call = desk.call({ scopes: ['metrics:read'] });
    await expect(desk.surface.callTool('query_loki_logs', {}, call)).rejects.toMatchObject({
      kind: 'badParams',
      message: 'There is no tool "query_loki_logs".',
    });
    await expect(desk.surface.callTool('query_loki', {}, desk.call())).rejects.toThrow(
      'There is no tool "query_loki"; did you mean query_loki_logs?',
    );
    expect(desk.audits.map((record) => record.code)).toEqual(['unknown_tool', 'unknown_tool']);
  });

  test('ends with an error as soon as the client cancels', async () => {
    desk.sandbox.faults.add({ kind: 'hang', match: 'query' });
    const abort = new AbortController();
    const asked = desk.ask('query_prometheus', { promql: 'up{a="b"}' }, { signal: abort.signal });
    setTimeout(() => abort.abort(), 50);
    const { text, isError } = await asked;
    desk.sandbox.faults.clear();
    expect([isError, text]).toEqual([true, expect.stringContaining('code: cancelled · hop: caller')]);
    expect(desk.audits[0]?.ms).toBeLessThan(1000);
  });

  test('says that it still runs, and stops saying so', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
    try {
      desk.sandbox.faults.add({ kind: 'hang', match: 'query' });
      const said: [number, string | undefined][] = [];
      const abort = new AbortController();
      const progress = async (done: number, _total?: number, message?: string) => void said.push([done, message]);
      const asked = desk.ask('query_prometheus', { promql: 'up' }, { signal: abort.signal, progress });
      vi.advanceTimersByTime(11_000);
      abort.abort();
      await asked;
      vi.advanceTimersByTime(60_000);
      expect(said).toEqual([
        [5, 'query_prometheus has been running for 5 s'],
        [10, 'query_prometheus has been running for 10 s'],
      ]);
    } finally {
      desk.sandbox.faults.clear();
      vi.useRealTimers();
    }
  });

  test('fails in one sentence with the request id when the gateway itself is at fault', async () => {
    const call = desk.call();
    const broken = {
      ...call,
      identity: {
        ...call.identity,
        caller: { cacheKey: 'b', headers: () => Promise.reject(new TypeError('fake secret')) },
      },
    };
    const result = await desk.surface.callTool('query_prometheus', { promql: 'up' }, broken);
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result)).toContain('The request id is request-1.');
    expect(JSON.stringify(result)).not.toContain('fake secret');
    expect(desk.logged.join('')).toContain('"requestId":"request-1"');
  });
});

describe('summarize_loki_logs', () => {
  const summarize = (args: Record<string, unknown>) =>
    desk.ask('summarize_loki_logs', { datasource: 'loki-demo', ...args });
  const checkout = '{app="checkout", env="prod"}';

  test('counts are those of Loki itself, by level, and of groups where all lines were read', async () => {
    const args = { logql: `${checkout} | detected_level="error"`, start: 'now-40m', end: 'now-1m', limit: 50 };
    const { lines, data } = await summarize(args);
    const total = Number(/^([\d,]+) lines in/.exec(lines[0] ?? '')?.[1]?.replace(/,/g, ''));
    const counts = data.flatMap((row) => /^(?:[A-Z]+ )?error × (\d+)/.exec(row)?.slice(1).map(Number) ?? []);
    expect(counts.reduce((sum, n) => sum + n, 0)).toBe(total);
    const levels = lines.find((line) => line.startsWith('by level:'));
    expect(levels).toMatch(new RegExp(`^by level: error ${total.toLocaleString('en-US')} `));
  });

  test('what was not read is said', async () => {
    const { lines } = await summarize({ logql: '{env="prod"}', start: 'now-2h', compare: 'none', limit: 3 });
    expect(lines.find((line) => line.includes('were read'))).toMatch(/^[\d,]+ of [\d,]+ lines of the window were read/);
    expect(lines[0]).toMatch(/groups, 3 shown/);
  });

  test('a window that is mostly empty is read as far as the budget goes; a comment hides nothing', async () => {
    const { lines, text } = await summarize({ logql: '{app="frontend"} # all of it', start: 'now-2d', limit: 2 });
    const read = Number(
      /^([\d,]+) of/.exec(lines.find((line) => line.includes('were read')) ?? '')?.[1]?.replace(/,/g, ''),
    );
    expect(read).toBeGreaterThan(3_000);
    expect(text).toContain('by level: info');
    expect(text).not.toContain('# all of it |=');
  });

  test('since an instant, against as long before it', async () => {
    const at = new Date(desk.sandbox.facts.deployedAt).toISOString();
    const { lines, data } = await summarize({ logql: checkout, compare: at, limit: 5 });
    expect(lines[0]).toMatch(/[1-9] new/);
    expect(data.join('\n')).toMatch(/NEW error × \d+ \(before 0\)/);
  });

  test.each([
    [{ logql: 'rate({app="a"}[5m])' }, 'bad_argument'],
    [{ logql: '{app="a" env="b"}' }, 'bad_query'],
    [{ logql: '{app="a"}', compare: 'soon' }, 'bad_time'],
    [{ logql: '{app="a"}', compare: 'now+1h' }, 'bad_time'],
  ])('%j is refused: %s', async (args, code) => {
    const { isError, text } = await summarize(args);
    expect([isError, text]).toEqual([true, expect.stringContaining(`code: ${code}`)]);
  });

  test('nothing found says what is near', async () => {
    expect((await summarize({ logql: '{app="chekout"}' })).data[0]).toMatch(/near: app="checkout"/);
  });

  test('every answer is within the budget', async () => {
    for (const args of [
      {},
      { logql: '{env="prod"}', limit: 50 },
      { follow: 'error' },
      { logql: checkout, compare: '1d', limit: 50 },
    ]) {
      expect((await summarize(args)).size).toBeLessThanOrEqual(7500);
    }
  });
});
