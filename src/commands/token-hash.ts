import { randomBytes } from 'node:crypto';
import { clean } from '../config/text.ts';
import { sha256 } from '../gateway/identity/hash.ts';
import { type Command, has, noArguments, UsageError } from './command.ts';
import { readStdin } from './stdin.ts';

/** `sha256:<hex>` of a static key, as the keys file wants it. */
export const run: Command['run'] = async (flags, shell) => {
  noArguments(flags);
  if (has(flags, 'generate')) {
    const key = `gmg_${randomBytes(32).toString('base64url')}`;
    shell.out(`key:  ${key}\nhash: ${hashOf(key)}`);
    shell.err('The key is shown this once; the keys file holds the hash alone.');
    return 0;
  }
  const key = clean(shell.env.GATEWAY_KEY ?? '').text || (await readStdin(shell, 'the key'));
  if (key.length < 16) throw new UsageError('The key is shorter than 16 characters; --generate makes a good one.');
  shell.out(hashOf(key));
  return 0;
};

const hashOf = (key: string) => `sha256:${sha256(key)}`;
