/**
 * Why a request is not let in. `missing`: nothing arrived that could be a credential; `invalid`: it was refused, and no
 * more is said, since more would help an attacker; `unavailable`: nobody could be asked whether it is valid.
 */
export class Refusal extends Error {
  readonly kind: 'missing' | 'invalid' | 'unavailable';
  constructor(kind: 'missing' | 'invalid' | 'unavailable', message = '') {
    super(message);
    this.name = 'Refusal';
    this.kind = kind;
  }
}
