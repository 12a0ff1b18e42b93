import type { Scripted } from '@countersign/reference-server/reviewed'
import { generateText as generateText7, type ModelMessage as Message7, tool as tool7 } from 'ai'
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test'
import { generateText as generateText6, type ModelMessage as Message6, tool as tool6 } from 'ai6'
import { MockLanguageModelV3 } from 'ai6/test'
import { answerApprovals, idsOf, toolApproval } from '../../ai-sdk.ts'
import { type Entries, payment, type Run } from './play.ts'

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
}

/** What a mock model of the AI SDK answers: the calls, until a message has their results. */
export function generated(
  calls: readonly Scripted[],
  prompt: readonly { readonly role: string }[],
) {
  const hasCalled = prompt.some(({ role }) => role === 'tool')
  const content = hasCalled
    ? [{ type: 'text' as const, text: 'done' }]
    : calls.map(({ callId, input }) => ({
        type: 'tool-call' as const,
        toolCallId: callId,
        toolName: 'transfer',
        input: JSON.stringify(input),
      }))
  const unified = hasCalled ? ('stop' as const) : ('tool-calls' as const)
  return { content, finishReason: { unified, raw: undefined }, usage, warnings: [] }
}

type Streamed = Awaited<ReturnType<MockLanguageModelV4['doStream']>>
type Chunk = Streamed['stream'] extends ReadableStream<infer Part> ? Part : never

/** What a mock model of the AI SDK 7 streams in the place of an answer. */
export function streamed({
  content,
  finishReason,
}: Pick<ReturnType<typeof generated>, 'content' | 'finishReason'>): Streamed {
  const parts = content.flatMap((part): Chunk[] =>
    part.type === 'tool-call'
      ? [part]
      : [
          { type: 'text-start', id: 't' },
          { type: 'text-delta', id: 't', delta: part.text },
          { type: 'text-end', id: 't' },
        ],
  )
  const chunks: Chunk[] = [
    { type: 'stream-start', warnings: [] },
    ...parts,
    { type: 'finish', finishReason, usage },
  ]
  return { stream: simulateReadableStream({ chunks }) }
}

const aiSdk7: Run = async ({ reviews, sessionId, calls, disk, pay }) => {
  const model = new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => generated(calls, prompt),
  })
  const execute = reviews.guard('transfer', pay, idsOf(sessionId))
  const tools = { transfer: tool7({ inputSchema: payment, execute }) }
  const messages: Message7[] = JSON.parse(disk.load() ?? '[{"role":"user","content":"Pay."}]')
  for (;;) {
    const answers = await answerApprovals(reviews, messages, { sessionId })
    if (answers) messages.push(answers)
    const { responseMessages, text } = await generateText7({
      model,
      tools,
      messages,
      toolApproval: { transfer: 'user-approval' },
    })
    messages.push(...responseMessages)
    disk.save(JSON.stringify(messages))
    if (text) return JSON.stringify(model.doGenerateCalls.at(-1)?.prompt)
  }
}

const aiSdk6: Run = async ({ reviews, sessionId, calls, disk, pay }) => {
  const model = new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => generated(calls, prompt),
  })
  const execute = reviews.guard('transfer', pay, idsOf(sessionId))
  const tools = { transfer: tool6({ inputSchema: payment, needsApproval: true, execute }) }
  const messages: Message6[] = JSON.parse(disk.load() ?? '[{"role":"user","content":"Pay."}]')
  for (;;) {
    const answers = await answerApprovals(reviews, messages, { sessionId })
    if (answers) messages.push(answers)
    const { response, text } = await generateText6({ model, tools, messages })
    messages.push(...response.messages)
    disk.save(JSON.stringify(messages))
    if (text) return JSON.stringify(model.doGenerateCalls.at(-1)?.prompt)
  }
}

/** Asks in place, where nothing is kept: a restarted model makes the same calls, for this one is played. */
const aiSdkInPlace: Run = async ({ reviews, sessionId, calls, pay }) => {
  const model = new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => generated(calls, prompt),
  })
  const execute = reviews.guard('transfer', pay, idsOf(sessionId))
  const tools = { transfer: tool7({ inputSchema: payment, execute }) }
  const messages: Message7[] = [{ role: 'user', content: 'Pay.' }]
  for (;;) {
    const { responseMessages, text } = await generateText7({
      model,
      tools,
      messages,
      toolApproval: toolApproval(reviews, { sessionId }),
    })
    messages.push(...responseMessages)
    if (text) return JSON.stringify(model.doGenerateCalls.at(-1)?.prompt)
  }
}

export const entries: Entries = {
  'AI SDK 7, handed out': { run: aiSdk7 },
  'AI SDK 6, handed out': { run: aiSdk6 },
  'AI SDK 7, in place': { run: aiSdkInPlace, stepwise: true },
}
