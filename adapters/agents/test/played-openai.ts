/** An item of the Responses API, as far as it is played. */
interface Item {
  readonly type?: string
  readonly id?: string
  readonly approval_request_id?: string
  readonly approve?: boolean
}

interface PlayedOptions {
  /** Beside the call that it ran, the model calls a tool of the application's. */
  readonly notes?: boolean
  /** Status of the first request that tells something, which is refused. */
  readonly failsOnce?: number
  /** The first request of all fails. */
  readonly failsUnasked?: boolean
}

/**
 * The Responses API, with a model that calls the tool `pay` of a hosted MCP server by these arguments: it asks for an
 * approval, and runs the call under its own name once it is told of one.
 */
export function playedOpenAI(
  args: string,
  { notes = false, failsOnce, failsUnasked = false }: PlayedOptions = {},
) {
  /** Of each request, which approvals it told, and how. */
  const told: (readonly [string | undefined, boolean | undefined])[][] = []
  /** Of each request, the items that it names by their ids alone. */
  const referred: (string | undefined)[][] = []
  let ran = 0
  let hasFailed = failsOnce === undefined
  const call = { server_label: 'crm', name: 'pay', arguments: args }
  const text = (id: string) => ({
    type: 'message',
    id,
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: 'Done.', annotations: [] }],
  })

  function outputOf(input: readonly Item[]): readonly object[] {
    const words = input.filter(({ type }) => type === 'mcp_approval_response')
    if (words.some(({ approve }) => approve === true) && ran === 0) {
      ran++
      const done = {
        type: 'mcp_call',
        id: 'mcp_1',
        status: 'completed',
        approval_request_id: 'mcpr_1',
        ...call,
        output: 'paid',
        error: null,
      }
      const noted = {
        type: 'function_call',
        id: 'fc_1',
        call_id: 'call_1',
        name: 'note',
        arguments: '{}',
        status: 'completed',
      }
      return [done, notes ? noted : text('msg_1')]
    }
    const isAnswered = words.length > 0 || input.some(({ id }) => id === 'mcp_1')
    return isAnswered
      ? [text(`msg_${told.length}`)]
      : [{ type: 'mcp_approval_request', id: 'mcpr_1', ...call }]
  }

  const fetch = async (_: unknown, init?: { readonly body?: unknown }): Promise<Response> => {
    const { input, stream }: { readonly input: readonly Item[]; readonly stream?: boolean } =
      JSON.parse(String(init?.body))
    const words = input.filter(({ type }) => type === 'mcp_approval_response')
    told.push(words.map((each) => [each.approval_request_id, each.approve]))
    referred.push(input.filter(({ type }) => type === 'item_reference').map(({ id }) => id))
    if (!hasFailed && (words.length > 0 || failsUnasked)) {
      hasFailed = true
      const error = { message: 'Later.', type: 'requests', code: 'rate_limit_exceeded' }
      const headers = { 'content-type': 'application/json', 'retry-after-ms': '1' }
      return new Response(JSON.stringify({ error }), { status: failsOnce ?? 500, headers })
    }
    const output = outputOf(input)
    const response = {
      id: `resp_${told.length}`,
      object: 'response',
      created_at: 1,
      status: 'completed',
      model: 'gpt',
      output,
      usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
      incomplete_details: null,
      error: null,
    }
    const headers = { 'content-type': stream ? 'text/event-stream' : 'application/json' }
    return new Response(stream ? eventsOf(response) : JSON.stringify(response), { headers })
  }
  return { fetch, told, referred, ran: () => ran }
}

/** A response as its stream of events. */
function eventsOf(response: { readonly output: readonly object[] }): string {
  const items = response.output.flatMap((item, index) => [
    { type: 'response.output_item.added', output_index: index, item: begun(item) },
    { type: 'response.output_item.done', output_index: index, item },
  ])
  const created = { type: 'response.created', response: { ...response, service_tier: null } }
  const events = [created, ...items, { type: 'response.completed', response }]
  return [...events.map((each) => JSON.stringify(each)), '[DONE]']
    .map((data) => `data: ${data}\n\n`)
    .join('')
}

const begun = (item: object) => ('content' in item ? { ...item, content: [] } : item)
