import type { Client } from '@countersign/client'
import { generateText, type LanguageModel, type ModelMessage, tool } from 'ai'
import { type Pay, payment } from './payment.ts'

/** A conversation that outlives the process. */
export interface Conversation {
  readonly sessionId: string
  /** Begins with the user's message. */
  readonly messages: ModelMessage[]
  /** Keeps the messages. Without it a restarted model makes other calls, for which people are asked once more. */
  save(messages: readonly ModelMessage[]): Promise<void>
}

/**
 * An agent of the AI SDK whose tool needs approval: the SDK hands the call out instead of making it, a person decides,
 * and their answer goes back to it. Resolves to the agent's last text.
 */
export async function runAgent(
  client: Client,
  model: LanguageModel,
  { sessionId, messages, save }: Conversation,
  pay: Pay,
): Promise<string> {
  const tools = {
    transfer: tool({
      description: 'Pay an order',
      inputSchema: payment,
      needsApproval: true,
      execute: (input) => pay(input),
    }),
  }
  for (;;) {
    const asked = approvalsIn(messages)
    const answers = asked.map(async ({ approvalId, toolCallId, toolName, input }) => {
      const { approved, decision, comment } = await client.reviewCases.request({
        sessionId,
        checkpointId: toolCallId,
        reasonCategory: 'high_risk_action',
        presentation: { action: { tool: toolName, arguments: input } },
      })
      const reason = comment === null ? decision : `${decision}: ${comment}`
      return { type: 'tool-approval-response' as const, approvalId, approved, reason }
    })
    if (asked.length > 0) messages.push({ role: 'tool', content: await Promise.all(answers) })
    const { text, response } = await generateText({ model, tools, messages })
    messages.push(...response.messages)
    // Before anyone is asked: a restart finds the same calls.
    await save(messages)
    if (approvalsIn(messages).length === 0) return text
  }
}

/** The calls of the last message that wait for approval. */
function approvalsIn(messages: readonly ModelMessage[]) {
  const last = messages.at(-1)
  if (last?.role !== 'assistant' || typeof last.content === 'string') return []
  const parts = last.content
  return parts.flatMap((part) => {
    if (part.type !== 'tool-approval-request') return []
    const call = parts.find(
      (each) => each.type === 'tool-call' && each.toolCallId === part.toolCallId,
    )
    return call?.type === 'tool-call' ? [{ ...call, approvalId: part.approvalId }] : []
  })
}
