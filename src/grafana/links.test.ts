import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exploreLink } from './links.ts';

const WINDOW = { start: 1796032800000000001n, end: 1796034600000000001n };

test('a link into Explore, whole', () => {
  const link = exploreLink(
    { publicUrl: 'https://g.example.test/sub/', version: '13.3.1' },
    { uid: 'logs', type: 'loki' },
    [{ expr: '{app="x"} |= "(a)"' }],
    WINDOW,
    6,
  );
  expect(link).toMatch(/^https:\/\/g\.example\.test\/sub\/explore\?schemaVersion=1&orgId=6&panes=[\w%.~-]+$/);
  expect(panes(link)).toEqual({
    a: {
      datasource: 'logs',
      queries: [
        {
          refId: 'A',
          datasource: { type: 'loki', uid: 'logs' },
          expr: '{app="x"} |= "(a)"',
          editorMode: 'code',
          queryType: 'range',
        },
      ],
      range: { from: '1796032800000', to: '1796034600001' },
    },
  });
});

test('Prometheus, instant and range, without an organisation', () => {
  const queries = [{ expr: 'up' }, { expr: 'down', instant: true }];
  const link = exploreLink(
    { publicUrl: 'https://g.example.test', version: '' },
    { uid: 'p', type: 'prometheus' },
    queries,
    WINDOW,
  );
  expect(link).not.toContain('orgId');
  expect(panes(link).a.queries).toMatchObject([
    { refId: 'A', expr: 'up', range: true, instant: false },
    { refId: 'B', expr: 'down', range: false, instant: true },
  ]);
});

test.each([
  ['9.5.21', 'left'],
  ['10.0.13', 'left'],
  ['10.1.0-pre', 'panes'],
  ['12.1.1', 'panes'],
  ['', 'panes'],
  ['main', 'panes'],
])('Grafana %j reads %s', (version, name) => {
  const site = { publicUrl: 'https://g.example.test', version };
  const { searchParams } = new URL(exploreLink(site, { uid: 'p', type: 'prometheus' }, [{ expr: 'up' }], WINDOW, 6));
  expect([...searchParams.keys()]).toEqual(name === 'left' ? ['orgId', 'left'] : ['schemaVersion', 'orgId', 'panes']);
  const pane = JSON.parse(searchParams.get(name) ?? '');
  expect(name === 'left' ? pane : pane.a).toMatchObject({
    datasource: 'p',
    queries: [{ refId: 'A', expr: 'up' }],
    range: { from: '1796032800000', to: '1796034600001' },
  });
});

test('any query comes back as it was, and nothing in a link ends it early', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (expr) => {
      const link = exploreLink(
        { publicUrl: 'https://g.example.test', version: '' },
        { uid: 'l', type: 'loki' },
        [{ expr }],
        WINDOW,
      );
      expect(link).toMatch(/^[\w:/?=&%.~-]+$/);
      expect(panes(link).a.queries[0].expr).toBe(expr);
    }),
  );
});

function panes(link: string) {
  return JSON.parse(new URL(link).searchParams.get('panes') ?? '');
}
