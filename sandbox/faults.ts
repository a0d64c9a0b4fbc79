import { z } from 'zod';

const common = {
  /** Regular expression on path and query string, as sent. */
  match: z.string().default(''),
  method: z.string().optional(),
  /** How many requests it meets; absent = all until removed. */
  times: z.number().int().positive().optional(),
};

export const faultSchema = z.discriminatedUnion('kind', [
  /** Answers as usual, `ms` later. */
  z.strictObject({ kind: z.literal('latency'), ms: z.number().nonnegative(), ...common }),
  /** Answers this instead. */
  z.strictObject({
    kind: z.literal('status'),
    status: z.number().int().min(100).max(599),
    body: z.string().default(''),
    contentType: z.string().default('application/json'),
    headers: z.record(z.string(), z.string()).default({}),
    ...common,
  }),
  /** Never answers; ends when the client goes away. */
  z.strictObject({ kind: z.literal('hang'), ...common }),
  /** Declares the whole body, sends `bytes` of it and closes the connection. */
  z.strictObject({ kind: z.literal('truncate'), bytes: z.number().int().nonnegative().default(20), ...common }),
  /** Labels the usual answer so. */
  z.strictObject({ kind: z.literal('contentType'), contentType: z.string().default('text/plain'), ...common }),
  /** A login page, as a proxy in front of Grafana serves it. */
  z.strictObject({ kind: z.literal('html'), status: z.number().int().default(200), ...common }),
  z.strictObject({
    kind: z.literal('redirect'),
    status: z.number().int().default(302),
    location: z.string().default('https://login.example.com/'),
    ...common,
  }),
  /** Resets the connection without an answer. */
  z.strictObject({ kind: z.literal('reset'), ...common }),
  /** What the datasource behind answers; Grafana then treats it as it does (401 → 400, resources: 5xx → 500 …). */
  z.strictObject({
    kind: z.literal('upstream'),
    status: z.number().int(),
    body: z.string().default(''),
    contentType: z.string().default('text/plain; charset=utf-8'),
    ...common,
  }),
]);

export type Fault = z.output<typeof faultSchema>;
/** As callers write it: defaults may be left out. */
export type FaultInput = z.input<typeof faultSchema>;

export interface Faults {
  add(fault: FaultInput): void;
  clear(): void;
  list(): Fault[];
  /** The first fault that meets the request; counts it. */
  take(method: string, pathAndQuery: string): Fault | undefined;
}

export function createFaults(): Faults {
  let active: { fault: Fault; pattern: RegExp; left: number }[] = [];
  return {
    add(input) {
      const fault = faultSchema.parse(input);
      active.push({ fault, pattern: new RegExp(fault.match), left: fault.times ?? Number.POSITIVE_INFINITY });
    },
    clear() {
      active = [];
    },
    list: () => active.map(({ fault }) => fault),
    take(method, pathAndQuery) {
      const met = active.find(
        ({ fault, pattern }) => (!fault.method || fault.method === method) && pattern.test(pathAndQuery),
      );
      if (!met) return undefined;
      met.left--;
      if (met.left <= 0) active = active.filter((own) => own !== met);
      return met.fault;
    },
  };
}
