import assert from 'node:assert/strict'
import {
  generateText as generateText7,
  type ModelMessage as Message7,
  streamText as streamText7,
  wrapLanguageModel as wrap7,
} from 'ai'
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test'
import {
  generateText as generateText6,
  type ModelMessage as Message6,
  wrapLanguageModel as wrap6,
} from 'ai6'
import { MockLanguageModelV3 } from 'ai6/test'
import type { approvalMiddleware, PartLike } from '../ai-sdk.ts'
import { createReviews, type ReviewsOptions } from '../index.ts'
import { generated } from './entries/ai-sdk.ts'
import { playedClient } from './played-client.ts'

export const sessionId = 's'
export const secret = 'of all processes of a conversation'
export const payment = '{"to":"ACME","amount":5}'

/** Reviews whose reviewer decides so each case as it is opened. */
export function deciding(
  decision: 'approved' | 'rejected' = 'approved',
  options: Partial<ReviewsOptions> = {},
  onOpen = () => {},
) {
  const played = playedClient()
  const reviews = createReviews(played.client, {
    tools: {},
    onOpen: ({ reviewCaseId, state }) => {
      onOpen()
      if (state === 'open') played.decide(reviewCaseId, decision)
    },
    ...options,
  })
  return { ...played, reviews }
}

export interface Told {
  readonly type: string
  readonly approvalId: string
  readonly approved: boolean
  readonly reason?: string
}

/** A provider that asks before it runs a call of the model's; what it was told. */
export function providerOf(input: string) {
  const told: Told[] = []
  const answer = (prompt: readonly { readonly role: string; readonly content: unknown }[]) => {
    const parts = prompt.flatMap(({ content }) => (Array.isArray(content) ? content : []))
    const responses = parts.filter(({ type }) => type === 'tool-approval-response')
    told.push(...responses)
    const { content, ...rest } = generated([], [{ role: 'tool' }])
    if (parts.some(({ type }) => type === 'tool-call')) return { ...rest, content }
    const toolCallId = 'c1'
    const made = {
      type: 'tool-call' as const,
      toolCallId,
      toolName: 'mcp.pay',
      input,
      providerExecuted: true,
      dynamic: true,
    }
    const asked = { type: 'tool-approval-request' as const, approvalId: 'mcpr_1', toolCallId }
    return { ...rest, content: [made, asked] }
  }
  return { told, answer }
}

export interface Message {
  readonly role: string
  readonly content: string | readonly PartLike[]
}
type Middleware = ReturnType<typeof approvalMiddleware>
type Provider = ReturnType<typeof providerOf>

/** A request of each kind to a provider: the messages that come of it. */
export const requests: Readonly<
  Record<
    string,
    (
      provider: Provider,
      messages: readonly Message[],
      middleware: readonly Middleware[],
    ) => Promise<readonly Message[]>
  >
> = {
  async 'AI SDK 7'({ answer }, messages, middleware) {
    const model = new MockLanguageModelV4({ doGenerate: async ({ prompt }) => answer(prompt) })
    const wrapped = wrap7({ model, middleware: [...middleware] })
    const given = { model: wrapped, messages: [...messages] as Message7[], maxRetries: 0 }
    return (await generateText7(given)).responseMessages
  },
  async 'AI SDK 7, streamed'({ answer }, messages, middleware) {
    const model = new MockLanguageModelV4({
      async doStream({ prompt }) {
        const { content, finishReason, usage } = answer(prompt)
        const parts = content.filter((part) => part.type !== 'text')
        const chunks = [
          { type: 'stream-start' as const, warnings: [] },
          ...parts,
          { type: 'finish' as const, finishReason, usage },
        ]
        return { stream: simulateReadableStream({ chunks }) }
      },
    })
    const wrapped = wrap7({ model, middleware: [...middleware] })
    const result = streamText7({
      model: wrapped,
      messages: [...messages] as Message7[],
      maxRetries: 0,
    })
    await result.consumeStream()
    return await result.responseMessages
  },
  async 'AI SDK 6'({ answer }, messages, middleware) {
    const model = new MockLanguageModelV3({ doGenerate: async ({ prompt }) => answer(prompt) })
    const wrapped = wrap6({ model, middleware: [...middleware] })
    const given = { model: wrapped, messages: [...messages] as Message6[], maxRetries: 0 }
    return (await generateText6(given)).response.messages
  },
}

export const prompt: Message = { role: 'user', content: 'Pay.' }

/** Members of the parts of these types, as somebody wrote them. */
export function rewritten(
  messages: readonly Message[],
  more: Readonly<Record<string, object>>,
): readonly Message[] {
  return messages.map(
    ({ role, content }) =>
      ({
        role,
        content: Array.isArray(content)
          ? content.map((part) => ({ ...part, ...more[part.type] }))
          : content,
      }) as Message,
  )
}

export const approvalOf = (messages: readonly Message[]): Message => {
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []))
  const { approvalId = '' } =
    parts.find((part) => part.type === 'tool-approval-request') ?? assert.fail('nothing is asked')
  const response = { type: 'tool-approval-response' as const, approvalId, approved: true }
  return { role: 'tool', content: [{ ...response, providerExecuted: true }] }
}

interface Made {
  readonly toolName: string
  readonly input: unknown
}

/** A call that the provider runs, by this id. */
export const callOf = (toolCallId: string, made: Made): Message => {
  const call = { type: 'tool-call' as const, toolCallId, ...made, providerExecuted: true }
  return { role: 'assistant', content: [call] }
}

/** What a provider says of a call that it ran, by the name that it gives that. */
export const resultOf = (toolCallId: string, made: Made): Message => {
  const output = { type: 'text' as const, value: 'paid' }
  const { toolName } = made
  const result = { type: 'tool-result' as const, toolCallId, toolName, output }
  return { role: 'assistant', content: [...callOf(toolCallId, made).content, result] as PartLike[] }
}
