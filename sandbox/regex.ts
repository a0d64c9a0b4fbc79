import { RE2JS } from 're2js';

/** Go's text: `error parsing regexp: CODE: \`PART\``. */
export class RegexError extends Error {
  override name = 'RegexError';
}

/** A regular expression as Go's `regexp` reads it, in time linear in the text. */
export interface GoRegex {
  test(text: string): boolean;
  /** The first match. */
  exec(text: string): GoMatch | undefined;
  /** Every match, one after the other. */
  matchAll(text: string): Iterable<GoMatch>;
  /** Names by group number; '' for a group without one. Index 0 is the whole match. */
  names: readonly string[];
}

export interface GoMatch {
  /** UTF-16 offset */
  index: number;
  /** Undefined for a group that took no part. Index 0 is the whole match. */
  groups: readonly (string | undefined)[];
}

const cache = new Map<string, GoRegex>();
const CACHE_SIZE = 500;

/** Throws RegexError. `whole`: the text must match from its beginning to its end; `dotAll`: `.` matches newlines too. */
export function compileRegex(pattern: string, mode: { whole?: boolean; dotAll?: boolean } = {}): GoRegex {
  const source = mode.whole ? `^(?:${pattern})$` : pattern;
  const key = `${mode.dotAll ? 's' : ''}/${source}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const made = compile(source, mode.dotAll ? RE2JS.DOTALL : 0);
  if (cache.size >= CACHE_SIZE) cache.clear();
  cache.set(key, made);
  return made;
}

function compile(source: string, flags: number): GoRegex {
  const re = read(source, flags);
  const names = Array.from({ length: re.groupCount() + 1 }, () => '');
  for (const [name, group] of Object.entries(re.namedGroups())) names[group] = name;
  function* matches(text: string): Generator<GoMatch> {
    const matcher = re.matcher(text);
    while (matcher.find()) {
      yield { index: matcher.start(), groups: names.map((_, group) => matcher.group(group) ?? undefined) };
    }
  }
  return {
    names,
    test: (text) => re.test(text),
    exec(text) {
      for (const match of matches(text)) return match;
      return undefined;
    },
    matchAll: matches,
  };
}

function read(source: string, flags: number): RE2JS {
  try {
    return RE2JS.compile(source, flags);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new RegexError(message.endsWith('at end of expression') ? `${message}: \`\`` : message);
  }
}

/** `$1`, `${1}`, `$name`, `$$` as Go expands them: the longest name counts, an unknown one is empty. */
export function expand(template: string, match: GoMatch, names: readonly string[]): string {
  return template.replace(
    /\$(?:(\$)|\{(\w+)\}|(\w+))/g,
    (_, dollar: string | undefined, braced: string | undefined, plain: string | undefined) => {
      if (dollar !== undefined) return '$';
      const name = braced ?? plain ?? '';
      return (/^\d+$/.test(name) ? match.groups[Number(name)] : match.groups[names.indexOf(name)]) ?? '';
    },
  );
}
