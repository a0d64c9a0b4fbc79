// @grafana/data's formatters read navigator.language(s) while they load; Node 20 has no navigator. Imported before it.
if (!('navigator' in globalThis)) {
  Object.defineProperty(globalThis, 'navigator', {
    value: { language: 'en-US', languages: ['en-US'] },
    configurable: true,
  });
}
