import { createReviews } from '@countersign/agents'
import { reviewMiddleware } from '@countersign/agents/langchain'
import { createClient } from '@countersign/client'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { BaseCheckpointSaver } from '@langchain/langgraph'
import { createAgent, tool } from 'langchain'
import * as z from 'zod'

const client = createClient({ ingestUrl: process.env.COUNTERSIGN_INGEST_URL ?? '' })
const reviews = createReviews(client, { tools: { transfer: {} } })
const transfer = tool(
  async ({ to, amount }: { to: string; amount: number }) => `paid ${amount} to ${to}`,
  {
    name: 'transfer',
    description: 'Pay somebody',
    schema: z.object({ to: z.string(), amount: z.number() }),
  },
)

/** Runs an agent on a thread; without a prompt it goes on where a crash left the thread. */
export async function converse(
  model: BaseChatModel,
  checkpointer: BaseCheckpointSaver,
  threadId: string,
  prompt: string | null,
): Promise<string> {
  const middleware = [reviewMiddleware(reviews)] // asks, checks and spends: the tools are plain
  const agent = createAgent({ model, tools: [transfer], checkpointer, middleware })
  const input = prompt === null ? null : { messages: [{ role: 'user' as const, content: prompt }] }
  const { messages } = await agent.invoke(input, { configurable: { thread_id: threadId } })
  return String(messages.at(-1)?.content)
}
