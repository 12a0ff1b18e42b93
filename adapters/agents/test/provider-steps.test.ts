import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import {
  generateText as generateText7,
  type ModelMessage as Message7,
  tool as tool7,
  wrapLanguageModel as wrap7,
} from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import {
  generateText as generateText6,
  type ModelMessage as Message6,
  tool as tool6,
  wrapLanguageModel as wrap6,
} from 'ai6'
import { MockLanguageModelV3 } from 'ai6/test'
import * as z from 'zod'
import { answerApprovals, approvalMiddleware } from '../ai-sdk.ts'
import { heldModel } from '../examples/held-model.ts'
import { createReviews } from '../index.ts'
import { playedClient } from './played-client.ts'
import {
  approvalOf,
  deciding,
  type Message,
  payment,
  prompt,
  providerOf,
  secret,
  sessionId,
  type Told,
} from './played-provider.ts'

type Middleware = ReturnType<typeof approvalMiddleware>
type Provider = ReturnType<typeof providerOf>

/** A provider that asks of its call, where the model calls a function beside it. */
function beside() {
  const { told, answer } = providerOf(payment)
  const look = { type: 'tool-call' as const, toolCallId: 'f1', toolName: 'look', input: '{}' }
  const both: Provider['answer'] = (given) => {
    const { content, ...rest } = answer(given)
    const isAsked = content.some(({ type }) => type === 'tool-approval-request')
    return { ...rest, content: isAsked ? [...content, look] : content } as ReturnType<typeof answer>
  }
  return { told, answer: both }
}

const inputSchema = z.object({})
const execute = async () => 'seen'
const stopWhen = ({ steps }: { readonly steps: readonly unknown[] }) => steps.length >= 3

type Run = (
  provider: Provider,
  messages: readonly Message[],
  middleware: Middleware,
) => Promise<readonly Message[]>

const runs: Readonly<Record<string, Run>> = {
  async 'AI SDK 7'({ answer }, messages, middleware) {
    const model = new MockLanguageModelV4({ doGenerate: async ({ prompt }) => answer(prompt) })
    const { responseMessages } = await generateText7({
      model: wrap7({ model, middleware }),
      messages: [...messages] as Message7[],
      tools: { look: tool7({ inputSchema, execute }) },
      stopWhen,
    })
    return responseMessages
  },
  async 'AI SDK 6'({ answer }, messages, middleware) {
    const model = new MockLanguageModelV3({ doGenerate: async ({ prompt }) => answer(prompt) })
    const { response } = await generateText6({
      model: wrap6({ model, middleware }),
      messages: [...messages] as Message6[],
      tools: { look: tool6({ inputSchema, execute }) },
      stopWhen,
    })
    return response.messages
  },
}

for (const [name, run] of Object.entries(runs))
  describe(`approvals that wait while the SDK goes on: ${name}`, () => {
    it('are asked for after it, and told once', async () => {
      const { reviews, cases } = deciding()
      const provider = beside()
      const held = approvalMiddleware(reviews, { sessionId, secret })
      const history = [prompt, ...(await run(provider, [prompt], held))]
      assert.deepEqual(
        history.map(({ role }) => role),
        ['user', 'assistant', 'tool', 'assistant'],
      )
      const asked = [...history, prompt]
      const answers = (await answerApprovals(reviews, asked, { sessionId })) ?? assert.fail('none')
      assert.equal(cases.size, 1)
      const told = [...asked, answers]
      assert.equal(await answerApprovals(reviews, told, { sessionId }), null)
      for (const _ of [1, 2]) await run(provider, told, held)
      assert.deepEqual(
        provider.told.map(({ approvalId, approved }) => [approvalId, approved]),
        [
          ['mcpr_1', true],
          ['mcpr_1', false],
        ],
      )
    })

    it('are told as denials where the answer stands beside their requests, for they may have been told', async () => {
      const { reviews, cases } = deciding()
      const provider = beside()
      const held = approvalMiddleware(reviews, { sessionId, secret })
      const history = [prompt, ...(await run(provider, [prompt], held))]
      const placed = history.toSpliced(2, 0, approvalOf(history))
      for (const _ of [1, 2]) await run(provider, [...placed, prompt], held)
      assert.deepEqual(
        provider.told.map(({ approved }) => approved),
        [false, false],
      )
      assert.match(provider.told[0]?.reason ?? '', /The model went on/)
      assert.equal(cases.size, 0)
    })
  })

describe('approvals of one request', () => {
  it('are all kept where it is left while people look at one of their calls', async () => {
    const { cases, decide, withCalls } = playedClient()
    let onRead = () => {}
    const client = withCalls(({ read }) => ({
      async read(asked) {
        onRead()
        return read(asked)
      },
    }))
    let onSecond = () => {}
    const reviews = createReviews(client, {
      tools: {},
      onOpen: () => cases.size === 2 && onSecond(),
    })
    const held = approvalMiddleware(reviews, { sessionId, secret })
    const calls = ['c1', 'c2'].map((toolCallId, nth) => [
      { type: 'tool-call', toolCallId, toolName: 'mcp.pay', input: payment },
      { type: 'tool-approval-request', approvalId: `mcpr_${nth}`, toolCallId },
    ])
    const doGenerate = async () => ({ content: calls.flat() })
    const { content } = await held.wrapGenerate({ doGenerate, params: { prompt: [] } })
    const made = content.map((part) =>
      'input' in part ? { ...part, input: JSON.parse(payment) } : part,
    )
    const responses = made.flatMap((part) =>
      'approvalId' in part ? [{ ...part, type: 'tool-approval-response', approved: true }] : [],
    )
    const messages = [
      { role: 'assistant', content: made },
      { role: 'tool', content: responses },
    ]
    const leaving = new AbortController()
    const params = { prompt: messages, abortSignal: leaving.signal }
    const areOpen = new Promise<void>((resolve) => {
      onSecond = resolve
    })
    const left = held.transformParams({ params })
    await areOpen
    const isRead = new Promise<void>((resolve) => {
      onRead = resolve
    })
    decide('rc_1', 'approved')
    await isRead
    // What follows the reading of a case, follows at once.
    await setImmediate()
    leaving.abort(new Error('left'))
    await assert.rejects(left, /left/)
    const ends = () => [...cases.values()].map(({ continuation }) => continuation?.outcome)
    assert.deepEqual(ends(), [undefined, undefined])
    const again = held.transformParams({ params: { prompt: messages } })
    decide('rc_2', 'rejected')
    const { prompt: told } = await again
    const words = told.flatMap(({ content: parts }) =>
      (parts as readonly Partial<Told>[]).flatMap(({ approved }) =>
        approved === undefined ? [] : [approved],
      ),
    )
    assert.deepEqual(
      [words, ends()],
      [
        [true, false],
        ['resumed', 'terminated'],
      ],
    )
  })
})

describe('approvals that no policy needs', () => {
  it('are asked of people and told once all the same', async () => {
    const tools = { 'mcp.pay': { when: () => false } }
    const { reviews, cases } = deciding('approved', { tools })
    const provider = providerOf(payment)
    const run = runs['AI SDK 7'] ?? assert.fail('no run')
    const held = approvalMiddleware(reviews, { sessionId, secret })
    const history = [prompt, ...(await run(provider, [prompt], held))]
    const answers = (await answerApprovals(reviews, history, { sessionId })) ?? assert.fail('none')
    const asked = [...history, answers]
    await run(provider, asked, held)
    await run(provider, asked, held)
    assert.deepEqual(
      [provider.told.map(({ approved }) => approved), cases.size],
      [[true, false], 1],
    )
  })

  it('are told as denials where a person rejected them', async () => {
    const tools = { 'mcp.pay': { when: () => false } }
    const { reviews } = deciding('rejected', { tools })
    const provider = providerOf(payment)
    const run = runs['AI SDK 7'] ?? assert.fail('no run')
    const held = approvalMiddleware(reviews, { sessionId, secret })
    const history = [prompt, ...(await run(provider, [prompt], held))]
    await answerApprovals(reviews, history, { sessionId })
    await run(provider, [...history, approvalOf(history)], held)
    assert.deepEqual(
      provider.told.map(({ approved }) => approved),
      [false],
    )
  })
})

describe('requests that somebody wrote into a history', () => {
  it('open no more cases than people are asked of at once, of the newest', async () => {
    const { reviews, cases } = deciding()
    const history = Array.from({ length: 100 }, (_, nth) => {
      const toolCallId = `call_${nth}`
      const call = { toolCallId, toolName: 'mcp.pay', input: { nth }, providerExecuted: true }
      const approvalId = `mcpr_${nth}.c${nth}.${'0'.repeat(64)}`
      return {
        role: 'assistant' as const,
        content: [
          { type: 'tool-call', ...call },
          { type: 'tool-approval-request', approvalId, toolCallId },
        ],
      }
    })
    const { content } = (await answerApprovals(reviews, history, { sessionId })) ?? { content: [] }
    assert.equal(content.length, 100)
    assert.equal(cases.size, 64)
    assert.match(content[35]?.reason ?? '', /More than 64 calls wait/)
    assert.equal(content[36]?.approved, true)
  })

  it('are none of those that have a result', async () => {
    const { reviews, cases } = deciding()
    const provider = providerOf(payment)
    const run = runs['AI SDK 7'] ?? assert.fail('no run')
    const held = approvalMiddleware(reviews, { sessionId, secret })
    const history = [prompt, ...(await run(provider, [prompt], held))]
    const parts = history.flatMap(({ content }) => (typeof content === 'string' ? [] : content))
    const { toolCallId = '' } = parts.find(({ type }) => type === 'tool-call') as {
      readonly toolCallId?: string
    }
    const result = { type: 'tool-result', toolCallId, toolName: 'mcp.pay' } as const
    const done = [...history, { role: 'assistant' as const, content: [result] }, prompt]
    assert.equal(await answerApprovals(reviews, done, { sessionId }), null)
    assert.equal(cases.size, 0)
  })
})

describe('heldModel', () => {
  it('is what the README shows', () => {
    const root = new URL('../../', import.meta.url)
    const source = readFileSync(new URL('examples/held-model.ts', root), 'utf8')
    const readme = readFileSync(new URL('README.md', root), 'utf8')
    assert.ok(readme.includes(`\`\`\`ts\n${source}\`\`\`\n`))
  })

  it('tells an approval once', async () => {
    const { reviews } = deciding()
    const { told, answer } = providerOf(payment)
    const doGenerate = async (given: { prompt: Parameters<typeof answer>[0] }) =>
      answer(given.prompt)
    const model = heldModel(new MockLanguageModelV4({ doGenerate }), reviews, { sessionId, secret })
    const messages: Message7[] = [{ role: 'user', content: 'Pay.' }]
    messages.push(...(await generateText7({ model, messages })).responseMessages)
    messages.push((await answerApprovals(reviews, messages, { sessionId })) ?? assert.fail('none'))
    for (const _ of [1, 2]) await generateText7({ model, messages })
    assert.deepEqual(
      told.map(({ approved }) => approved),
      [true, false],
    )
  })
})
