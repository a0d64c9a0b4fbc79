import type { ToolOutput } from '../answer/answer.ts';
import type { Settings } from '../config/schema.ts';
import type { Upstream } from '../grafana/upstream.ts';
import type { Scope } from '../identity.ts';
import type { Call, Tally } from './call.ts';

/** What every handler of a tool, a resource or a prompt gets. One per request. */
export interface ToolContext {
  readonly call: Call;
  /** Grafana as this caller sees it. */
  readonly upstream: Upstream;
  /** The one "now" of the request, ms since epoch. */
  readonly now: number;
  readonly settings: Settings;
  /** Bytes of logs that Loki says to have read: for this call, and for its session so far. */
  readonly scanned: { readonly bytes: number; readonly session?: Tally };
  /** Whether this caller has a tool of that name: what an answer advises must be there. */
  offers(tool: string): boolean;
  /** Tells the audit which datasource (uid) was asked. */
  readonly noteDatasource?: (uid: string) => void;
}

/** One parameter: its published schema and how its value is read both come from here. */
export type Parameter =
  | { type: 'string'; description: string; required?: true; enum?: readonly string[] }
  | { type: 'integer'; description: string; required?: true; minimum?: number; maximum?: number }
  | { type: 'boolean'; description: string; required?: true }
  | { type: 'array'; items: { type: 'string' }; description: string; required?: true };

export type Parameters = Readonly<Record<string, Parameter>>;

type Value<P extends Parameter> = P extends { enum: readonly (infer E)[] }
  ? E
  : P extends { type: 'string' }
    ? string
    : P extends { type: 'integer' }
      ? number
      : P extends { type: 'boolean' }
        ? boolean
        : string[];

/** The arguments as a handler sees them: read, of the right type, absent ones left out. */
export type ArgumentsOf<P extends Parameters> = {
  [K in keyof P as P[K] extends { required: true } ? K : never]: Value<P[K]>;
} & {
  [K in keyof P as P[K] extends { required: true } ? never : K]?: Value<P[K]> | undefined;
};

/** `--tools` takes these beside the names of tools. */
export type ToolGroup = 'logs' | 'metrics' | 'objects';

export interface ToolDefinition<P extends Parameters> {
  name: string;
  title: string;
  /** One sentence what, one when, limits if any. */
  description: string;
  /** Any one of them opens the tool; empty: any scope of `SCOPES`. */
  scopes: readonly Scope[];
  group: ToolGroup;
  parameters: P;
  /** Properties of the structured content, as JSON Schema; only where an answer has one. */
  output?: Readonly<Record<string, object>>;
  run(args: ArgumentsOf<P>, ctx: ToolContext): Promise<ToolOutput>;
}

/** JSON Schema of an object, written plainly: every client and every model's API takes it. */
export interface ObjectSchema {
  type: 'object';
  properties: Record<string, object>;
  required?: string[];
  additionalProperties?: false;
  [key: string]: unknown;
}

/** A tool with its parameters' types forgotten, as the catalogue holds it. */
export interface Tool extends Omit<ToolDefinition<Parameters>, 'run'> {
  readonly inputSchema: ObjectSchema;
  readonly outputSchema?: ObjectSchema;
  run(args: Record<string, unknown>, ctx: ToolContext): Promise<ToolOutput>;
}

export function defineTool<const P extends Parameters>(definition: ToolDefinition<P>): Tool {
  const { run, output, ...rest } = definition;
  return {
    ...rest,
    inputSchema: inputSchema(definition.parameters),
    ...(output === undefined ? {} : { output, outputSchema: { type: 'object', properties: { ...output } } }),
    // readArguments has checked them against the same parameters.
    run: (args, ctx) => run(args as ArgumentsOf<P>, ctx),
  };
}

function inputSchema(parameters: Parameters): ObjectSchema {
  const properties: Record<string, object> = {};
  const required: string[] = [];
  for (const [name, { required: needed, ...schema }] of Object.entries(parameters)) {
    properties[name] = schema;
    if (needed) required.push(name);
  }
  return {
    type: 'object',
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}
