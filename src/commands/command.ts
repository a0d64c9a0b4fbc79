import type { Flags, OwnOptions } from '../config/flags.ts';

/** What a command sees of the process. */
export interface Shell {
  env: NodeJS.ProcessEnv;
  stdin: NodeJS.ReadStream;
  /** The answer, with a line end. */
  out: (text: string) => void;
  /** Everything that is not the answer, with a line end. */
  err: (text: string) => void;
}

export interface Command {
  usage: string;
  /** Lines of `--help` below the usage. */
  help: string;
  /** Options that are not settings. */
  options?: OwnOptions;
  /** False where settings mean nothing, so that `--help` does not list them. */
  takesSettings: boolean;
  /** 0 fine, 1 the thing asked about failed. Throws UsageError or ConfigError for 2. */
  run: (flags: Flags, shell: Shell) => Promise<number>;
}

/** Wrong use of a command: one plain sentence. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

export const has = (flags: Flags, name: string): boolean => flags.own.get(name)?.at(-1) === 'true';
export const option = (flags: Flags, name: string): string | undefined => flags.own.get(name)?.at(-1);

export function noArguments(flags: Flags): void {
  const [stray] = flags.positionals;
  if (stray !== undefined) throw new UsageError(`Unexpected argument "${stray}".`);
}
