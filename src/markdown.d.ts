/** Markdown is inlined as text: by esbuild's text loader in the bundle, by a plugin in the tests. */
declare module '*.md' {
  const text: string;
  export default text;
}
