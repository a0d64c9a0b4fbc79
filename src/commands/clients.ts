/** What a person pastes to connect one client. docs/clients.md and README.md hold the same texts; a test compares. */
export interface ClientSnippet {
  client: string;
  /** The file or the place where it goes. */
  where: string;
  text: string;
}

/** `base` without slash at its end: `https://gateway.example`. */
export function clientSnippets(base: string, token: string): ClientSnippet[] {
  const bearer = `Bearer ${token}`;
  return [
    {
      client: 'Cline',
      where: 'cline_mcp_settings.json (MCP Servers → Configure)',
      text: clineEntry('streamableHttp', `${base}/mcp`, bearer),
    },
    {
      client: 'Cline, versions without Streamable HTTP',
      where: 'cline_mcp_settings.json',
      text: clineEntry('sse', `${base}/sse`, bearer),
    },
    {
      client: 'Claude Code',
      where: 'a shell',
      text: `claude mcp add --transport http grafana ${base}/mcp --header "Authorization: ${bearer}"`,
    },
    {
      client: 'Cursor',
      where: '.cursor/mcp.json',
      text: `{
  "mcpServers": {
    "grafana": {
      "url": "${base}/mcp",
      "headers": { "Authorization": "${bearer}" }
    }
  }
}`,
    },
    {
      client: 'VS Code',
      where: '.vscode/mcp.json',
      text: `{
  "servers": {
    "grafana": {
      "type": "http",
      "url": "${base}/mcp",
      "headers": { "Authorization": "${bearer}" }
    }
  }
}`,
    },
    {
      client: 'MCP Inspector',
      where: 'a shell',
      text: `npx @modelcontextprotocol/inspector --cli --server-url ${base}/mcp --transport http --header "Authorization: ${bearer}" --method tools/list`,
    },
  ];
}

function clineEntry(type: 'streamableHttp' | 'sse', url: string, bearer: string): string {
  return `{
  "mcpServers": {
    "grafana": {
      "type": "${type}",
      "url": "${url}",
      "headers": { "Authorization": "${bearer}" },
      "timeout": 60,
      "disabled": false,
      "autoApprove": []
    }
  }
}`;
}
