import type { Response } from 'express';

/** JSON-RPC codes of refusals that happen before a message reaches the protocol. */
export const RPC = { parse: -32700, request: -32600, internal: -32603, refused: -32000, session: -32001 } as const;

/** Refuses a request as a JSON-RPC error, which every MCP client can show. */
export function refuse(response: Response, status: number, message: string, code: number = RPC.refused): void {
  if (response.headersSent) return void response.end();
  response.status(status).json({ jsonrpc: '2.0', error: { code, message }, id: null });
}
