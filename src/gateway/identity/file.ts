import { readFileSync, statSync } from 'node:fs';

/** How often a file is looked at, ms. */
const LOOK_EVERY = 1000;

export interface WatchedFile<T> {
  /** The parsed content as of at most a second ago. While a file cannot be read or parsed, the last good content stands. */
  current(): T;
  /** Looks at once; true when the content is another than before. */
  refresh(): boolean;
}

/** Reads a small file now (throws what `parse` or the file system throws) and again whenever it changes. */
export function watchFile<T>(
  path: string,
  parse: (text: string) => T,
  onFault: (error: unknown) => void,
): WatchedFile<T> {
  let text = readFileSync(path, 'utf8');
  let value = parse(text);
  let stamp = stampOf(path);
  let looked = Date.now();

  function look(force: boolean): boolean {
    looked = Date.now();
    try {
      const now = stampOf(path);
      if (!force && now === stamp) return false;
      const next = readFileSync(path, 'utf8');
      stamp = now;
      if (next === text) return false;
      value = parse(next);
      text = next;
      return true;
    } catch (error) {
      // Half-written or gone for a moment: secrets are swapped by rename. The last good one goes on.
      onFault(error);
      return false;
    }
  }
  return {
    current() {
      if (Date.now() - looked >= LOOK_EVERY) look(false);
      return value;
    },
    refresh: () => look(true),
  };
}

function stampOf(path: string): string {
  const { mtimeMs, size, ino } = statSync(path);
  return `${mtimeMs} ${size} ${ino}`;
}
