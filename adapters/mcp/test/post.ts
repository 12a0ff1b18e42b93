/** A fetch handler of an MCP server. */
export type Handle = (request: Request) => Promise<Response>

/** What a request of 2026-07-28 has beside its method and parameters. */
export interface Posted {
  /** Declares the tasks extension; default true. */
  readonly tasks?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

/** Posts one request to an MCP server, as a client of 2026-07-28 does. */
export async function post(
  handle: Handle,
  method: string,
  params: Readonly<Record<string, unknown>>,
  { tasks = true, headers = {} }: Posted = {},
) {
  const _meta = {
    ...Object(params._meta),
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': tasks
      ? { extensions: { 'io.modelcontextprotocol/tasks': {} } }
      : {},
  }
  const answer = await handle(
    new Request('https://mcp.example.com/mcp', {
      method: 'POST',
      headers: {
        host: 'mcp.example.com',
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        'mcp-name': String(params.name ?? params.taskId),
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
    }),
  )
  const text = await answer.text()
  const body = text.startsWith('{') ? JSON.parse(text) : null
  return { status: answer.status, result: body?.result, error: body?.error }
}
