import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createOpenAI as createOpenAI7 } from '@ai-sdk/openai'
import {
  generateText as generateText7,
  isStepCount,
  type ModelMessage as Message7,
  streamText as streamText7,
  tool as tool7,
  wrapLanguageModel as wrap7,
} from 'ai'
import {
  generateText as generateText6,
  type ModelMessage as Message6,
  stepCountIs,
  streamText as streamText6,
  tool as tool6,
  wrapLanguageModel as wrap6,
} from 'ai6'
import { createOpenAI as createOpenAI6 } from 'ai6-openai'
import * as z from 'zod'
import { answerApprovals, approvalMiddleware, type MessageLike } from '../ai-sdk.ts'
import { createReviews, type ReviewsOptions } from '../index.ts'
import { playedClient } from './played-client.ts'
import { playedOpenAI } from './played-openai.ts'

const sessionId = 's'
const held = { sessionId, secret: 'of all processes of a conversation' }
const server = {
  serverLabel: 'crm',
  serverUrl: 'https://example.com/mcp',
  requireApproval: 'always',
} as const
const note = {
  description: 'Notes',
  inputSchema: z.object({}),
  execute: async () => 'noted',
}

type Middleware = ReturnType<typeof approvalMiddleware>
type Turn = (
  fetch: typeof globalThis.fetch,
  middleware: Middleware,
  messages: readonly MessageLike[],
) => Promise<readonly MessageLike[]>

function given7(
  fetch: typeof globalThis.fetch,
  middleware: Middleware,
  messages: readonly MessageLike[],
) {
  const openai = createOpenAI7({ apiKey: 'key', fetch })
  return {
    model: wrap7({ model: openai.responses('gpt'), middleware }),
    tools: { mcp: openai.tools.mcp(server), note: tool7(note) },
    messages: [...messages] as Message7[],
    stopWhen: isStepCount(3),
  }
}

function given6(
  fetch: typeof globalThis.fetch,
  middleware: Middleware,
  messages: readonly MessageLike[],
) {
  const openai = createOpenAI6({ apiKey: 'key', fetch })
  return {
    model: wrap6({ model: openai.responses('gpt'), middleware }),
    tools: { mcp: openai.tools.mcp(server), note: tool6(note) },
    messages: [...messages] as Message6[],
    stopWhen: stepCountIs(3),
  }
}

/** A turn of a conversation with the real provider: the messages that come of it. */
const turns: Readonly<Record<string, Turn>> = {
  'AI SDK 7': async (...given) => (await generateText7(given7(...given))).responseMessages,
  'AI SDK 7, streamed': async (...given) => {
    const failed: unknown[] = []
    const onError = ({ error }: { readonly error: unknown }) => void failed.push(error)
    const result = streamText7({ ...given7(...given), onError })
    await result.consumeStream()
    if (failed.length > 0) throw failed[0]
    return await result.responseMessages
  },
  'AI SDK 6': async (...given) => (await generateText6(given6(...given))).response.messages,
  'AI SDK 6, streamed': async (...given) => {
    const failed: unknown[] = []
    const onError = ({ error }: { readonly error: unknown }) => void failed.push(error)
    const result = streamText6({ ...given6(...given), onError })
    await result.consumeStream()
    if (failed.length > 0) throw failed[0]
    return (await result.response).messages
  },
}

const user = (content: string): MessageLike => ({ role: 'user', content })

/** A conversation whose reviewer decides so each case as it is opened. */
function conversation(
  turn: Turn,
  provider: ReturnType<typeof playedOpenAI>,
  decision: 'approved' | 'rejected' = 'approved',
) {
  const { cases, decide, withCalls } = playedClient()
  let looked = 0
  const counting = withCalls(({ find }) => ({
    find: (...asked) => {
      looked++
      return find(...asked)
    },
  }))
  const onOpen: ReviewsOptions['onOpen'] = ({ reviewCaseId, state }) => {
    if (state === 'open') decide(reviewCaseId, decision)
  }
  const reviews = createReviews(counting, { tools: {}, onOpen })
  const messages: MessageLike[] = []
  return {
    messages,
    cases,
    looked: () => looked,
    /** A request with these messages. */
    async go(...more: readonly MessageLike[]): Promise<void> {
      messages.push(...more)
      messages.push(...(await turn(provider.fetch, approvalMiddleware(reviews, held), messages)))
    },
    async answers(): Promise<MessageLike> {
      const answers = await answerApprovals(reviews, messages, { sessionId })
      return answers ?? assert.fail('nothing waits')
    },
  }
}

for (const [name, turn] of Object.entries(turns))
  describe(`approvals that @ai-sdk/openai tells: ${name}`, () => {
    it('are told once, and never denied beside their result', async () => {
      const provider = playedOpenAI('{"to":"Caf\\u00e9","amount":5.00}')
      const { go, answers, cases, looked } = conversation(turn, provider)
      await go(user('Pay.'))
      await go(await answers())
      const before = looked()
      await go(user('And now?'))
      await go(user('And then?'))
      const asked = [['mcpr_1', true]]
      assert.deepEqual(provider.told, [[], asked, [], []])
      assert.deepEqual([provider.ran(), cases.size, looked()], [1, 1, before])
      // The provider has the result by its own name of the call, once, and the request for an approval no more.
      for (const names of provider.referred.slice(2)) {
        assert.deepEqual(names.filter((each) => each === 'mcp_1').length, 1)
        assert.ok(!names.includes('mcpr_1'))
      }
      const shown = [...cases.values()].map(({ presentation }) => presentation?.action)
      assert.deepEqual(shown, [{ tool: 'mcp.pay', arguments: { to: 'Café', amount: 5 } }])
    })

    it('are told once in a turn of several steps', async () => {
      const provider = playedOpenAI('{"amount":5}', { notes: true })
      const { go, answers } = conversation(turn, provider)
      await go(user('Pay, and note it.'))
      await go(await answers())
      assert.deepEqual(provider.told, [[], [['mcpr_1', true]], []])
      assert.equal(provider.ran(), 1)
    })

    it('are denied in every turn where people rejected the call', async () => {
      const provider = playedOpenAI('{"amount":5}')
      const { go, answers } = conversation(turn, provider, 'rejected')
      await go(user('Pay.'))
      await go(await answers())
      await go(user('And now?'))
      const denied = [['mcpr_1', false]]
      assert.deepEqual([provider.told, provider.ran()], [[[], denied, denied], 0])
    })

    it('are denied where readers differ about the arguments', async () => {
      const provider = playedOpenAI('{"amount":1,"amount":5}')
      const { go, answers, cases } = conversation(turn, provider)
      await go(user('Pay.'))
      await go(await answers())
      assert.deepEqual(provider.told, [[], [['mcpr_1', false]]])
      assert.deepEqual([provider.ran(), cases.size], [0, 0])
    })

    it('are not told again by the SDK itself, and denied in a request that is made again', async () => {
      const provider = playedOpenAI('{"amount":5}', { failsOnce: 429 })
      const { go, answers } = conversation(turn, provider)
      await go(user('Pay.'))
      const given = await answers()
      await assert.rejects(go(given), { statusCode: 429, isRetryable: false })
      const approved = [['mcpr_1', true]]
      assert.deepEqual(provider.told, [[], approved])
      await go()
      assert.deepEqual(provider.told, [[], approved, [['mcpr_1', false]]])
      assert.equal(provider.ran(), 0)
    })

    it('that are none are no reason not to make a request again', async () => {
      const provider = playedOpenAI('{"amount":5}', { failsOnce: 429, failsUnasked: true })
      const { go } = conversation(turn, provider)
      await go(user('Pay.'))
      assert.deepEqual(provider.told, [[], []])
    })
  })
