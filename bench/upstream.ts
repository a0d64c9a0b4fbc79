import { createServer } from 'node:http';

// A Grafana that answers at once, or after a fixed delay: what is left of a call's time is the gateway's own.
// Not the sandbox: that evaluates queries, and its time would be measured too.
const delayMs = Number(process.argv[2] ?? 0);

const start = 1_796_032_800_000_000_000n;
const lines = Array.from({ length: 100 }, (_, i) => [
  String(start + BigInt(i) * 1_000_000_007n),
  `level=info method=POST path=/api/things status=200 duration=${i}ms id=${10_000 + i} msg="thing made"`,
  {},
]);
const logs = {
  status: 'success',
  data: {
    resultType: 'streams',
    encodingFlags: ['categorize-labels'],
    result: [{ stream: { app: 'bench' }, values: lines }],
  },
};
const vector = {
  status: 'success',
  data: {
    resultType: 'vector',
    result: Array.from({ length: 8 }, (_, i) => ({ metric: { job: `j${i}` }, value: [1_796_032_800, String(i)] })),
  },
};
const datasource = (id: number, uid: string, type: string) => ({
  id,
  uid,
  orgId: 1,
  name: uid,
  type,
  typeName: type,
  access: 'proxy',
  url: `http://${uid}`,
  isDefault: type === 'prometheus',
  jsonData: {},
  readOnly: true,
});
const label = { status: 'success', data: ['app', 'env', 'job'] };

const ANSWERS: [RegExp, unknown][] = [
  [/^\/api\/health/, { commit: 'bench', database: 'ok', version: '10.1.0' }],
  [/^\/api\/org$/, { id: 1, name: 'Main Org.' }],
  [
    /^\/api\/frontend\/settings/,
    { appUrl: 'http://grafana.example.test/', appSubUrl: '', buildInfo: { version: '10.1.0' }, datasources: {} },
  ],
  [/^\/api\/datasources$/, [datasource(1, 'bench-loki', 'loki'), datasource(2, 'bench-prometheus', 'prometheus')]],
  [/\/health$/, { status: 'OK', message: 'fine' }],
  [/\/loki\/api\/v1\/query_range/, logs],
  [/\/loki\/api\/v1\/index\/stats/, { streams: 1, chunks: 1, bytes: 1000, entries: 100 }],
  [/\/api\/v1\/query/, vector],
  [/\/labels|\/label\//, label],
  [/\/api\/v1\/metadata/, { status: 'success', data: { up: [{ type: 'gauge', help: 'Up.', unit: '' }] } }],
];
const bodies = ANSWERS.map(([path, body]) => [path, JSON.stringify(body)] as const);

const server = createServer((request, response) => {
  request.resume();
  const path = new URL(request.url ?? '/', 'http://x').pathname;
  const body = bodies.find(([pattern]) => pattern.test(path))?.[1];
  const answer = () => {
    response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' });
    response.end(body ?? '{"message":"Not found"}');
  };
  // A timer costs a millisecond even with 0, so the prompt form answers in the same turn.
  if (delayMs === 0) answer();
  else setTimeout(answer, delayMs);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address && typeof address === 'object') process.stdout.write(`http://127.0.0.1:${address.port}\n`);
});
