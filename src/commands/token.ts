import { type Command, UsageError } from './command.ts';

const ACTIONS: Record<string, () => Promise<{ run: Command['run'] }>> = {
  mint: () => import('./token-mint.ts'),
  inspect: () => import('./token-inspect.ts'),
  hash: () => import('./token-hash.ts'),
};

export const command: Command = {
  usage: 'token mint|inspect|hash [flags]',
  help: [
    'mint: prints a JWT for a caller. Issuer and audience come from the settings (--jwt-issuer, --jwt-audience); the key',
    'is the HMAC secret of the settings (GATEWAY_JWT_SECRET, --jwt-secret-file) or --key-file.',
    '  --sub NAME         who the token is for',
    '  --scope SCOPES     e.g. logs:read,metrics:read; without it the default scopes hold',
    '  --expires TIME     e.g. 1h (default), 30d',
    '  --key-file FILE    private key (PEM): RSA or EC',
    '',
    'inspect: reads a JWT from stdin, prints what it says and what the settings would refuse; exit 1 if they would.',
    '',
    'hash: reads a static key from stdin or from GATEWAY_KEY and prints "sha256:<hex>" for --keys-file.',
    '  --generate         makes a new random key and prints it with its hash',
  ].join('\n'),
  options: {
    sub: { type: 'string' },
    scope: { type: 'string', multiple: true },
    expires: { type: 'string' },
    'key-file': { type: 'string' },
    generate: { type: 'boolean' },
  },
  takesSettings: false,
  async run(flags, shell) {
    const [name = '', ...positionals] = flags.positionals;
    const load = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
    if (load === undefined) throw new UsageError('token is followed by mint, inspect or hash.');
    const { run } = await load();
    return await run({ ...flags, positionals }, shell);
  },
};
