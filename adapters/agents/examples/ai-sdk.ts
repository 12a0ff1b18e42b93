import { createReviews } from '@countersign/agents'
import { answerApprovals, idsOf } from '@countersign/agents/ai-sdk'
import { createClient } from '@countersign/client'
import { generateText, type LanguageModel, type ModelMessage, tool } from 'ai'
import * as z from 'zod'

// The key of the application is SERVICE_API_KEY of the environment.
const client = createClient({ ingestUrl: process.env.COUNTERSIGN_INGEST_URL ?? '' })
const reviews = createReviews(client, { tools: { transfer: { reviewTier: 'high' } } })
const inputSchema = z.object({ to: z.string(), amount: z.number() })

/** Goes on with a conversation until the model has no more calls; `messages` are as they were saved last. */
export async function converse(
  model: LanguageModel,
  sessionId: string,
  messages: ModelMessage[],
  save: (messages: readonly ModelMessage[]) => Promise<void>,
): Promise<string> {
  const execute = reviews.guard(
    'transfer',
    async ({ to, amount }: z.infer<typeof inputSchema>) => `paid ${amount} to ${to}`,
    idsOf(sessionId),
  )
  const tools = { transfer: tool({ inputSchema, execute }) }
  let reply: string | null = null
  for (;;) {
    const answers = await answerApprovals(reviews, messages, { sessionId }) // null where nothing waits
    if (answers) messages.push(answers)
    else if (reply !== null) return reply
    const toolApproval = { transfer: 'user-approval' } as const
    const { responseMessages, text } = await generateText({ model, tools, messages, toolApproval })
    messages.push(...responseMessages)
    await save(messages) // before anyone is asked
    reply = responseMessages.at(-1)?.role === 'tool' ? null : text // the model hears of results first
  }
}
