/** Go `Regexp.Expand`: `$1`, `$name`, `${1}`, `$$`; what is not there is ''. */
export function expand(template: string, match: RegExpMatchArray, names: readonly string[]): string {
  return template.replace(
    /\$(?:\$|\{(\w+)\}|(\w+))/g,
    (whole, braced: string | undefined, plain: string | undefined) => {
      const name = braced ?? plain;
      if (name === undefined) return whole === '$$' ? '$' : whole;
      return (/^\d+$/.test(name) ? match[Number(name)] : match[names.indexOf(name)]) ?? '';
    },
  );
}
