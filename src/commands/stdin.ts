import { text } from 'node:stream/consumers';
import { type Shell, UsageError } from './command.ts';

/** What is piped in, without white space around it. Never from an argument: the process list shows those. */
export async function readStdin({ stdin }: Shell, what: string): Promise<string> {
  if (stdin.isTTY) throw new UsageError(`Pipe ${what} to stdin, e.g. with "printf %s … |" or "< file".`);
  const piped = (await text(stdin)).trim();
  if (piped === '') throw new UsageError(`stdin holds nothing: pipe ${what} to it.`);
  return piped;
}
