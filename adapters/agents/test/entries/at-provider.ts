import { generateText, type LanguageModel, type ModelMessage, wrapLanguageModel } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { answerApprovals, approvalMiddleware } from '../../ai-sdk.ts'
import { generated } from './ai-sdk.ts'
import type { Entries, Run } from './play.ts'

type Played = Pick<Parameters<Run>[0], 'reviews' | 'sessionId' | 'calls' | 'pay'>

const secret = 'of all processes of a conversation'
const withoutCase = { reviewCaseId: null, presentationDigest: null }
const isCalled = { toolName: 'transfer', providerExecuted: true, dynamic: true } as const

/** A model whose provider runs its calls: it asks for each, and runs what it is told of, by what the model wrote. */
export function providerModel({ reviews, sessionId, calls, pay }: Played): {
  readonly model: LanguageModel
  /** Each request's prompt. */
  readonly heard: readonly string[]
} {
  const heard: string[] = []
  const model = new MockLanguageModelV4({
    async doGenerate({ prompt }) {
      heard.push(JSON.stringify(prompt))
      const words = prompt.flatMap(({ content }) =>
        typeof content === 'string'
          ? []
          : content.flatMap((part) => (part.type === 'tool-approval-response' ? [part] : [])),
      )
      const { content: done, ...rest } = generated([], [{ role: 'tool' }])
      if (words.length === 0) {
        const asked = calls.flatMap(({ callId: toolCallId, input }) => [
          {
            type: 'tool-call' as const,
            toolCallId,
            ...isCalled,
            input: JSON.stringify(input),
          },
          {
            type: 'tool-approval-request' as const,
            approvalId: `mcpr_${toolCallId}`,
            toolCallId,
          },
        ])
        return { ...rest, content: asked }
      }
      const approved = calls.filter(({ callId }) =>
        words.some((each) => each.approved && each.approvalId === `mcpr_${callId}`),
      )
      const ran = approved.map(async ({ callId, input }) => {
        const result = await pay(input, withoutCase)
        // By a name of its own, as the provider of OpenAI names what it ran.
        const named = { toolCallId: `mcp_${callId}`, ...isCalled }
        return [
          { type: 'tool-call' as const, ...named, input: JSON.stringify(input) },
          { type: 'tool-result' as const, ...named, result },
        ]
      })
      return { ...rest, content: [...(await Promise.all(ran)).flat(), ...done] }
    },
  })
  const middleware = approvalMiddleware(reviews, { sessionId, secret })
  return { model: wrapLanguageModel({ model, middleware }), heard }
}

const atProvider: Run = async (play) => {
  const { reviews, sessionId, disk } = play
  const { model, heard } = providerModel(play)
  const messages: ModelMessage[] = JSON.parse(disk.load() ?? '[{"role":"user","content":"Pay."}]')
  for (;;) {
    const answers = await answerApprovals(reviews, messages, { sessionId })
    if (answers) messages.push(answers)
    const { responseMessages, text } = await generateText({ model, messages, maxRetries: 0 })
    messages.push(...responseMessages)
    disk.save(JSON.stringify(messages))
    if (text) return JSON.stringify([heard, messages])
  }
}

export const entries: Entries = {
  'AI SDK 7, at the provider': { run: atProvider, asksAlways: true },
}
