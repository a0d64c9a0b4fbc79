import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RpcFault } from '../mcp/surface.ts';
import { datasourceUri, parseUri } from './uri.ts';

const type = fc.stringMatching(/^[A-Za-z0-9][\w.-]{0,30}$/);
/** Names of datasources: anything but control characters, halves of characters and blanks alone. */
const name = fc
  .string({
    unit: fc.oneof(fc.constantFrom(...'%/: ,?#[]+&=25"日本京é😀'), fc.string({ unit: 'grapheme', minLength: 1 })),
    maxLength: 40,
  })
  .filter((text) => text.trim() !== '' && !/[\u0000-\u001f\u007f]|\p{Surrogate}/u.test(text));

describe('a datasource URI', () => {
  test('that was built is read back, whatever the name holds', () => {
    fc.assert(
      fc.property(type, name, (t, n) => {
        const uri = datasourceUri(t, n);
        expect(uri).toMatch(/^datasource:[\w.-]+:[\w.!~*'()%-]+$/);
        expect(parseUri(uri)).toEqual({ kind: 'datasource', type: t, name: n });
      }),
    );
  });

  test('is read raw as well, where no percent sign stands', () => {
    fc.assert(
      fc.property(type, name, (t, n) => {
        const raw = n.replaceAll('%', '');
        fc.pre(raw.trim() !== '');
        expect(parseUri(`datasource:${t}:${raw}`)).toEqual({ kind: 'datasource', type: t, name: raw });
      }),
    );
  });

  test.each([
    ['EU%2FProd', 'EU/Prod'],
    ['EU/Prod', 'EU/Prod'],
    ['a:b:c', 'a:b:c'],
    ['a%3Ab', 'a:b'],
    ['one, two', 'one, two'],
    ['a?b#c', 'a?b#c'],
    ['東京 / Edge', '東京 / Edge'],
    ['%E6%9D%B1%E4%BA%AC%20%2F%20Edge', '東京 / Edge'],
    // A plus is a plus, not a space: this is no form.
    ['a+b', 'a+b'],
    ['100%25', '100%'],
    ['100%', '100%'],
    ['50% done', '50% done'],
    // Decoded once, never twice.
    ['100%2525', '100%25'],
    ['a%252Fb', 'a%2Fb'],
  ])('%s names %s', (written, meant) => {
    expect(parseUri(`datasource:prometheus:${written}`)).toEqual({
      kind: 'datasource',
      type: 'prometheus',
      name: meant,
    });
  });

  test.each([
    ['datasource:prometheus:%zz', 'badParams', /broken percent escape/],
    ['datasource:prometheus:%FF', 'badParams', /broken percent escape/],
    ['datasource:prometheus:%E6%9D', 'badParams', /broken percent escape/],
    ['datasource:prometheus:a%00b', 'badParams', /control characters/],
    ['datasource:prometheus:a\nb', 'badParams', /control characters/],
    ['datasource:prometheus:', 'badParams', /names no datasource/],
    ['datasource:prometheus:%20', 'badParams', /names no datasource/],
    ['datasource::x', 'badParams', /type/],
    ['datasource:a b:x', 'badParams', /type/],
    ['datasource:loki', 'badParams', /datasource:\{type\}:\{name\}/],
    [`datasource:loki:${'x'.repeat(3000)}`, 'badParams', /longer than/],
    ['grafana:nothing', 'notFound', /There is no resource "grafana:nothing"/],
    ['file:///etc/passwd', 'notFound', /There is no resource/],
    ['', 'notFound', /There is no resource ""/],
  ])('%j is refused', (uri, kind, message) => {
    expect(faultOf(uri)).toMatchObject({ kind, message: expect.stringMatching(message) });
  });

  test('whatever else comes is refused in words, and never crashes', () => {
    const any = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'binary' }).map((s) => `datasource:loki:${s}`),
    );
    fc.assert(
      fc.property(any, (uri) => {
        try {
          parseUri(uri);
        } catch (error) {
          expect(error).toBeInstanceOf(RpcFault);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

function faultOf(uri: string): unknown {
  try {
    return parseUri(uri);
  } catch (error) {
    return error;
  }
}
