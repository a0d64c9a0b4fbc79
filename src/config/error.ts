/** A setting that cannot be used: one plain sentence that names it, without its value when that may be a secret. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConfigError';
  }
}
