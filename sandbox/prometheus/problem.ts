/** A refusal in Prometheus's envelope. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly type: string;
  constructor(status: number, type: string, message: string) {
    super(message);
    this.status = status;
    this.type = type;
  }
}

export function badData(message: string): ApiProblem {
  return new ApiProblem(400, 'bad_data', message);
}

export function badParameter(name: string, message: string): ApiProblem {
  return badData(`invalid parameter "${name}": ${message}`);
}
