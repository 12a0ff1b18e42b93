import type { Client } from '@countersign/client'
import { generateText, type LanguageModel, type ModelMessage, tool } from 'ai'
import { type Pay, payment } from './payment.ts'

/**
 * An agent of the AI SDK whose tool needs approval: the SDK hands the call out instead of making it, a person decides,
 * and their answer goes back to it. Resolves to the agent's last text.
 */
export async function runAgent(
  client: Client,
  {
    model,
    sessionId,
    prompt,
    pay,
  }: { readonly model: LanguageModel; sessionId: string; prompt: string; pay: Pay },
): Promise<string> {
  const tools = {
    transfer: tool({
      description: 'Pay an order',
      inputSchema: payment,
      needsApproval: true,
      execute: (input) => pay(input),
    }),
  }
  const messages: ModelMessage[] = [{ role: 'user', content: prompt }]
  for (;;) {
    const { content, text, response } = await generateText({ model, tools, messages })
    messages.push(...response.messages)
    const asked = content.filter((part) => part.type === 'tool-approval-request')
    if (asked.length === 0) return text
    const answers = asked.map(async ({ approvalId, toolCall }) => {
      const { approved, decision } = await client.reviewCases.request({
        sessionId,
        checkpointId: toolCall.toolCallId,
        reasonCategory: 'high_risk_action',
        presentation: { tool: toolCall.toolName, ...payment.parse(toolCall.input) },
      })
      return { type: 'tool-approval-response' as const, approvalId, approved, reason: decision }
    })
    messages.push({ role: 'tool', content: await Promise.all(answers) })
  }
}
