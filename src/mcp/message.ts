import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  GetPromptRequestSchema,
  InitializeRequestSchema,
  isJSONRPCRequest,
  type JSONRPCMessage,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  PingRequestSchema,
  ReadResourceRequestSchema,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';

const REQUESTS = new Map(
  [
    InitializeRequestSchema,
    PingRequestSchema,
    ListToolsRequestSchema,
    CallToolRequestSchema,
    ListResourcesRequestSchema,
    ListResourceTemplatesRequestSchema,
    ReadResourceRequestSchema,
    ListPromptsRequestSchema,
    GetPromptRequestSchema,
    CompleteRequestSchema,
  ].map((schema) => [String(schema.shape.method.value), schema]),
);

/** What may be handed to the server, or what is wrong with the request's parameters: one sentence, no schema. */
export function readMessage(message: JSONRPCMessage): { message: JSONRPCMessage } | { id: RequestId; problem: string } {
  const schema = isJSONRPCRequest(message) ? REQUESTS.get(message.method) : undefined;
  if (schema === undefined || !isJSONRPCRequest(message)) return { message };
  const { params: given, ...rest } = message;
  const params = withoutNulls(message.method, given);
  const request = params === undefined ? rest : { ...rest, params };
  const parsed = schema.safeParse(request);
  if (parsed.success) return { message: request };
  const [issue] = parsed.error.issues;
  const where = issue === undefined ? 'params' : issue.path.map(String).join('.').slice(0, 100);
  return { id: message.id, problem: `${message.method}: ${where} is missing or of the wrong form.` };
}

type Params = Extract<JSONRPCMessage, { method: string }>['params'];

/** null is absent. A prompt's arguments are strings by the protocol; some clients send numbers and booleans as such. */
function withoutNulls(method: string, params: Params): Params {
  if (params === undefined || params === null) return undefined;
  const present: Record<string, unknown> = Object.fromEntries(
    Object.entries(params).filter(([, value]) => value !== null),
  );
  const given = present.arguments;
  if (method === 'prompts/get' && typeof given === 'object' && given !== null && !Array.isArray(given)) {
    const entries = Object.entries(given).filter(([, value]) => value !== null);
    present.arguments = Object.fromEntries(
      entries.map(([name, value]) => [name, ['number', 'boolean'].includes(typeof value) ? String(value) : value]),
    );
  }
  return present;
}
