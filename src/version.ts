import manifest from '../package.json' with { type: 'json' };

export const NAME: string = manifest.name;
export const VERSION: string = manifest.version;
