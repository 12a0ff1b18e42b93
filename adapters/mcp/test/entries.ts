import type { Entry, Payment, Play } from '@countersign/reference-server/reviewed'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { createGateway, registerReviewedTool } from '../index.ts'

const inputSchema = z.object({ to: z.string(), amount: z.number() })
const waitMs = 30_000

/** Parameters of a call beside its name and arguments. */
type More = Readonly<Record<string, unknown>>

/** Makes the calls of a play side by side, as a client of the older SDK; what it heard. */
async function called(transport: Transport, { calls }: Play, more: More): Promise<string> {
  const client = new OlderClient({ name: 'test', version: '1.0.0' })
  await client.connect(transport)
  const answers = calls.map(({ input }) =>
    client.callTool({ ...more, name: 'transfer', arguments: { ...input } }),
  )
  const heard = await Promise.all(answers)
  await client.close()
  return JSON.stringify(heard.map(({ content }) => content))
}

type Run = (play: Play, more?: More) => Promise<string>

const textOf = (text: string) => ({ content: [{ type: 'text' as const, text }] })

/** A tool of an author's own server, held back by the server itself. */
const reviewedTool: Run = async (play, more = {}) => {
  const { reviews, sessionId, pay } = play
  const server = new McpServer({ name: 'payments', version: '1.0.0' })
  const config = { inputSchema, sessionId, waitMs }
  registerReviewedTool(server, reviews, 'transfer', config, async (input, context) =>
    textOf(await pay(input, context)),
  )
  const [here, there] = InMemoryTransport.createLinkedPair()
  await server.connect(there)
  // The two SDKs declare one protocol's transport each.
  return called(here as unknown as Transport, play, more)
}

/** A server that knows nothing of reviews, behind the gateway. */
const gateway: Run = async (play, more = {}) => {
  const { reviews, sessionId, pay } = play
  const server = new McpServer({ name: 'payments', version: '1.0.0' })
  const context = { reviewCaseId: null, presentationDigest: null }
  server.registerTool<z.ZodObject, typeof inputSchema>(
    'transfer',
    { inputSchema },
    async (input: Payment) => textOf(await pay(input, context)),
  )
  const [toGateway, ofClient] = InMemoryTransport.createLinkedPair()
  const [ofServer, toServer] = InMemoryTransport.createLinkedPair()
  const { fromClient } = createGateway({
    reviews,
    sessionId,
    run: [],
    waitMs,
    toServer: (message) => void ofServer.send(message as never),
    toClient: (message) => void ofClient.send(message as never),
  })
  ofClient.onmessage = (message) => void fromClient(message)
  ofServer.onmessage = (message) => void ofClient.send(message)
  await Promise.all([server.connect(toServer), ofClient.start(), ofServer.start()])
  return called(toGateway as unknown as Transport, play, more)
}

/** The ways in by MCP, whose calls have no ids that outlive a process. */
export const entries: Readonly<Record<string, Entry & { readonly run: Run }>> = {
  'a reviewed tool': { run: reviewedTool, byContent: true },
  'the gateway': { run: gateway, byContent: true, asksAlways: true },
}
