import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { createShop } from '../sandbox/data/shop.ts';
import { loadSettings } from '../src/config/load.ts';
import { classifyLogql } from '../src/logs/logql.ts';
import { checkPromql } from '../src/metrics/promql.ts';

// The images cannot be started where this is built: the files are held against each other instead.
const root = fileURLToPath(new URL('..', import.meta.url));
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const yaml = (file: string): unknown => parse(read(file));

const serviceSchema = z.looseObject({
  image: z.string().optional(),
  build: z.union([z.string(), z.looseObject({ target: z.string() })]).optional(),
  command: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.string()).default({}),
  depends_on: z.record(z.string(), z.looseObject({ condition: z.string() })).default({}),
  healthcheck: z.looseObject({ test: z.array(z.string()) }).optional(),
});
const { services, volumes } = z
  .object({ services: z.record(z.string(), serviceSchema), volumes: z.record(z.string(), z.unknown()) })
  .parse(yaml('docker-compose.yaml'));

/** Where each service listens, by its own configuration. */
const PORTS: Record<string, readonly string[]> = {
  grafana: ['3000'],
  loki: [
    String(
      z.looseObject({ server: z.looseObject({ http_listen_port: z.number() }) }).parse(yaml('testdata/loki-config.yml'))
        .server.http_listen_port,
    ),
  ],
  prometheus: ['9090'],
  alertmanager: ['9093'],
  alloy: [/listen_port\s*=\s*(\d+)/.exec(read('testdata/config.alloy'))?.[1] ?? ''],
  'sample-app': [services['sample-app']?.command.at(-1) ?? ''],
  gateway: ['8080', services.gateway?.environment.GATEWAY_METRICS_PORT ?? ''],
};

/** Services that end. */
const ONE_SHOT = ['token'];

describe('docker-compose.yaml', () => {
  test('pins its images, mounts what exists read-only, waits for what can be waited for', () => {
    for (const [name, service] of Object.entries(services)) {
      if (service.image) expect(service.image, name).toMatch(/:v?\d+\.\d+\.\d+$/);
      for (const volume of service.volumes) {
        const [from = '', , mode] = volume.split(':');
        if (from.startsWith('.')) expect([existsSync(join(root, from)), mode], volume).toEqual([true, 'ro']);
        else expect(Object.keys(volumes), volume).toContain(from);
      }
      for (const [other, { condition }] of Object.entries(service.depends_on)) {
        expect(Object.keys(services), name).toContain(other);
        if (condition === 'service_healthy')
          expect(services[other]?.healthcheck, `${other} has a health check`).toBeDefined();
      }
      if (typeof service.build === 'object') expect(read('Dockerfile')).toContain(` AS ${service.build.target}`);
    }
  });

  test('checks the health of every server at a port where it listens, and has one-shots waited for', () => {
    for (const [name, service] of Object.entries(services)) {
      if (ONE_SHOT.includes(name)) {
        // `up --wait` takes an ended container for a failure, unless another one waits for its end.
        const waiting = Object.values(services).map(({ depends_on }) => depends_on[name]?.condition);
        expect(waiting, name).toContain('service_completed_successfully');
        continue;
      }
      // The gateway's is in its image.
      const check = service.healthcheck?.test.join(' ') ?? (name === 'gateway' ? read('Dockerfile') : '');
      expect(check, `${name} has a health check`).not.toBe('');
      // Not localhost: where that is ::1 first, a server on IPv4 is not found.
      expect(check, name).not.toContain('localhost');
      for (const [, port = ''] of check.matchAll(/127\.0\.0\.1[:/](\d+)/g)) expect(PORTS[name], name).toContain(port);
      for (const { condition } of Object.values(service.depends_on)) expect(condition).not.toBe('service_started');
    }
  });

  test('names each settings file where it is mounted', () => {
    for (const [name, { command, volumes: mounted }] of Object.entries(services)) {
      const targets = mounted.map((volume) => volume.split(':')[1] ?? '');
      for (const [path] of command.join(' ').matchAll(/\/etc\/\S+/g)) expect(targets, name).toContain(path);
    }
    const folder = services.prometheus?.volumes.map((volume) => volume.split(':')[1]);
    for (const file of z.looseObject({ rule_files: z.array(z.string()) }).parse(yaml('testdata/prometheus.yml'))
      .rule_files)
      expect(folder).toContain(`/etc/prometheus/${file}`);
  });

  test('hands lines on as they came: an agent that stamps them anew would put the history into the present', () => {
    const alloy = read('testdata/config.alloy');
    expect(alloy).toMatch(/loki\.source\.api "lines" \{[^}]*\{[^}]*\}[^}]*use_incoming_timestamp\s*=\s*true/);
    const [, to] = /forward_to\s*=\s*\[(\S+)\.receiver\]/.exec(alloy) ?? [];
    expect(alloy).toContain(`${to?.replace(/\.(\w+)$/, ' "$1"')} {`);
  });

  test('gives the gateway settings that it knows, and the token of the service that makes it', () => {
    const { GRAFANA_SERVICE_ACCOUNT_TOKEN_FILE: file, ...rest } = services.gateway?.environment ?? {};
    expect(loadSettings([], rest)).toMatchObject({
      host: '0.0.0.0',
      auth: ['grafana'],
      grafanaUrl: 'http://grafana:3000',
    });
    expect(services.token?.environment.TOKEN_FILE).toBe(file);
    const folder = (volumes: string[] = []) => volumes.filter((volume) => volume.startsWith('tokens:'));
    expect([...folder(services.token?.volumes), ...folder(services.gateway?.volumes)]).toEqual([
      'tokens:/tokens',
      'tokens:/tokens:ro',
    ]);
    expect(
      read('testdata/make-token.sh')
        .match(/\$([A-Z_]+)/g)
        ?.map((name) => name.slice(1)),
    ).toEqual(expect.arrayContaining(Object.keys(services.token?.environment ?? {})));
  });

  test('holds no secret', () => {
    for (const file of ['docker-compose.yaml', ...files('testdata')]) {
      expect(read(file), file).not.toMatch(/glsa_\w{8}|eyJ[\w-]{10}|-----BEGIN|PASSWORD: (?!\$\{)/);
    }
  });
});

test('every address in the stack is a service that listens there', () => {
  const texts = ['docker-compose.yaml', ...files('testdata').filter((file) => !file.endsWith('.md'))]
    .map(read)
    .join('\n');
  const addresses = [...texts.matchAll(/(?:https?:\/\/|targets: \[")([a-z][a-z-]+):(\d+)/g)];
  expect(addresses.length).toBeGreaterThan(10);
  for (const [, host = '', port = ''] of addresses)
    if (host !== 'localhost') expect(PORTS[host], `${host}:${port}`).toContain(port);
});

describe('provisioning', () => {
  const provisioned = z
    .object({
      datasources: z.array(
        z.looseObject({
          name: z.string(),
          uid: z.string(),
          type: z.string(),
          url: z.string(),
          isDefault: z.boolean().optional(),
        }),
      ),
    })
    .loose()
    .parse(yaml('testdata/provisioning/datasources/datasources.yml')).datasources;
  const uids = [...provisioned.map(({ uid }) => uid), '__expr__', '-- Grafana --'];

  test('has the datasources of the demo, their addresses from the environment that compose sets', () => {
    expect(provisioned.map(({ name, uid, isDefault = false }) => [name, uid, isDefault])).toEqual([
      ['Prometheus Demo', 'prometheus-demo', true],
      ['Loki Demo', 'loki-demo', false],
      ['Alertmanager Demo', 'am-demo', false],
    ]);
    for (const file of files('testdata/provisioning')) {
      for (const [, name = ''] of read(file).matchAll(/\$\{?([A-Z_]+)/g))
        expect(Object.keys(services.grafana?.environment ?? {}), file).toContain(name);
      // Grafana expands what looks like a variable: there is no other.
      expect(read(file).match(/\$(?![A-Z_{])/), file).toBeNull();
    }
    const folder = services.grafana?.environment.DASHBOARDS_PATH;
    expect(services.grafana?.volumes).toContain(`./testdata/dashboards:${folder}:ro`);
  });

  test('asks queries that the grammars read, of datasources that exist', () => {
    const rules = read('testdata/provisioning/alerting/rules.yml');
    for (const [, uid] of rules.matchAll(/datasourceUid: (\S+)/g)) expect(uids).toContain(uid);
    const alerts = z
      .object({ groups: z.array(z.object({ rules: z.array(z.looseObject({ expr: z.string() })) }).loose()) })
      .parse(yaml('testdata/prometheus-rules.yml'));
    const promql = [
      ...alerts.groups.flatMap((group) => group.rules.map(({ expr }) => expr)),
      ...[...rules.matchAll(/^\s+expr: (.*)$/gm)].map(([, expr = '']) => expr),
    ];
    expect(promql.length).toBe(3);
    for (const expr of promql) expect(checkPromql(expr).valid, expr).toBe(true);
  });

  test('has a dashboard with variables, rows, a collapsed one, metrics, logs and annotations', () => {
    const panelSchema = z.looseObject({
      type: z.string(),
      collapsed: z.boolean().optional(),
      datasource: z.looseObject({ uid: z.string() }).optional(),
      targets: z.array(z.looseObject({ expr: z.string() })).default([]),
    });
    const dashboard = z
      .looseObject({
        uid: z.literal('shop-demo'),
        templating: z.object({ list: z.array(z.looseObject({ name: z.string() })) }),
        annotations: z.object({ list: z.array(z.looseObject({ name: z.string() })) }),
        panels: z.array(panelSchema.extend({ panels: z.array(panelSchema).default([]) })),
      })
      .parse(JSON.parse(read('testdata/dashboards/demo.json')));
    const all = dashboard.panels.flatMap((panel) => [panel, ...panel.panels]);
    expect(new Set(all.map(({ type }) => type))).toEqual(new Set(['row', 'timeseries', 'stat', 'logs']));
    expect(all.filter(({ collapsed }) => collapsed).length).toBe(1);
    expect(dashboard.templating.list.map(({ name }) => name)).toEqual(['env', 'job']);
    expect(dashboard.annotations.list.length).toBe(2);
    for (const { datasource, targets } of all) {
      if (datasource !== undefined) expect(uids).toContain(datasource.uid);
      for (const { expr } of targets) {
        const plain = expr.replace(/\$__rate_interval/g, '5m').replace(/\$(?:job|env)/g, 'x');
        const valid =
          datasource?.uid === 'loki-demo' ? classifyLogql(plain).kind !== 'invalid' : checkPromql(plain).valid;
        expect(valid, expr).toBe(true);
      }
    }
  });
});

test('rules and panels ask for metrics that the sample app has, and scrape jobs for what is served', () => {
  const known = new Set(createShop(1, Date.now(), Date.now).metrics.metadata().keys());
  const texts = [
    'testdata/prometheus-rules.yml',
    'testdata/provisioning/alerting/rules.yml',
    'testdata/dashboards/demo.json',
  ]
    .map(read)
    .join('\n');
  const asked = [...texts.matchAll(/\b((?:db|http|build|queue|process)_[a-z_]+?)(?:_bucket)?\b/g)].map(
    ([, name = '']) => name,
  );
  expect(asked.length).toBeGreaterThan(8);
  for (const name of asked) expect(known, name).toContain(name);
  const { scrape_configs: jobs } = z
    .looseObject({
      scrape_configs: z.array(
        z.looseObject({ job_name: z.string(), static_configs: z.tuple([z.object({ targets: z.array(z.string()) })]) }),
      ),
    })
    .parse(yaml('testdata/prometheus.yml'));
  for (const {
    job_name: name,
    static_configs: [{ targets }],
  } of jobs) {
    for (const target of targets) expect(target.split(':')[0]).toBe(name);
  }
});

function files(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length));
}
