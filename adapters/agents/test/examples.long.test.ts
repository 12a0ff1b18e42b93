import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { openWorld, type World } from '@countersign/reference-server/reviewed'
import { AIMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { MemorySaver } from '@langchain/langgraph'
import { setTracingDisabled } from '@openai/agents'
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing'
import type { ModelMessage } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { actInWorkflow } from '../examples/cloudflare.ts'
import { actInInngest } from '../examples/inngest.ts'
import { guardedExecute } from '../examples/mastra.ts'
import { actInTemporal, activitiesOf } from '../examples/temporal.ts'
import { createReviews, NotRun, type Reviews, type RunContext, type ToolCall } from '../index.ts'
import { generated } from './entries/ai-sdk.ts'

const to = 'ACME'
const amounts = { approved: 5, rejected: 7 } as const
const scripted = Object.values(amounts).map((amount) => ({
  callId: `call_${amount}`,
  input: { to, amount },
}))

/** Programs as the README shows them; they read their environment when they are loaded. */
const programs: Readonly<Record<string, (session: string) => Promise<string>>> = {
  'ai-sdk': async (session) => {
    const { converse } = await import('../examples/ai-sdk.ts')
    const model = new MockLanguageModelV4({
      doGenerate: async ({ prompt }) => {
        const made = generated(scripted, prompt)
        const [first] = made.content
        // A model may speak beside its calls, and say nothing in the end.
        if (first?.type === 'text') return { ...made, content: [] }
        const beside = { type: 'text' as const, text: 'I will pay that now.' }
        return { ...made, content: [beside, ...made.content] }
      },
    })
    const messages: ModelMessage[] = [{ role: 'user', content: 'Pay.' }]
    await converse(model, session, messages, async () => {})
    return JSON.stringify(messages)
  },
  langchain: async (session) => {
    const { converse } = await import('../examples/langchain.ts')
    const model = fakeModel()
    const calls = scripted.map(({ callId, input }) => ({
      name: 'transfer',
      args: input,
      id: callId,
    }))
    model.respondWithTools(calls).respond(new AIMessage('done'))
    const saver = new MemorySaver()
    await converse(model, saver, session, 'Pay.')
    const { checkpoint } = (await saver.getTuple({ configurable: { thread_id: session } })) ?? {}
    return JSON.stringify(checkpoint)
  },
  langgraph: async (session) => {
    const { payment } = await import('../examples/langgraph.ts')
    const saver = new MemorySaver()
    const heard = Object.entries(amounts).map(([name, amount]) =>
      payment(saver, `${session}-${name}`, amount),
    )
    return (await Promise.all(heard)).join('\n')
  },
  openai: async (session) => {
    const { converse } = await import('../examples/openai.ts')
    setTracingDisabled(true)
    const calls = scripted.map(({ callId, input }) => functionCall('transfer', input, { callId }))
    const model = new ScriptedModel([calls, [assistantMessage('done')]])
    let state = ''
    const save = async (text: string) => {
      state = text
    }
    await converse(model, session, { prompt: 'Pay.', saved: null }, save)
    return state
  },
}

/** Recipes, over the part of each framework that they use. */
const recipes: Readonly<
  Record<
    string,
    (reviews: Reviews, call: ToolCall, act: Act, decided: () => Promise<void>) => Promise<string>
  >
> = {
  inngest: (reviews, call, act, decided) =>
    actInInngest(
      reviews,
      { run: (_, work) => work(), waitForEvent: async () => decided() },
      call,
      act,
    ),
  cloudflare: (reviews, call, act, decided) =>
    actInWorkflow(
      reviews,
      { do: (_, work) => work(), waitForEvent: async () => decided() },
      call,
      act,
    ),
  temporal: (reviews, call, act, decided) =>
    actInTemporal(
      activitiesOf(reviews, act),
      { condition: async () => decided().then(() => true), isTold: () => true, now: Date.now },
      call,
    ),
}
type Act = (context: RunContext, input: unknown) => Promise<string>

describe('the examples, with the real packages and the real server', () => {
  let world: World
  before(async () => {
    world = await openWorld()
    process.env.COUNTERSIGN_INGEST_URL = world.told.ingestUrl
    process.env.SERVICE_API_KEY = world.told.apiKey
  })
  after(() => world.end())

  it('are what the README shows', () => {
    const root = new URL('../../', import.meta.url)
    const readme = readFileSync(new URL('README.md', root), 'utf8')
    for (const name of Object.keys(programs)) {
      const source = readFileSync(new URL(`examples/${name}.ts`, root), 'utf8')
      assert.ok(readme.includes(`\`\`\`ts\n${source}\`\`\`\n`), name)
    }
  })

  for (const [name, run] of Object.entries(programs))
    it(name, async () => {
      const session = `example-${name}`
      const reviewers = ['', '-approved', '-rejected'].map((more) =>
        world.review(`${session}${more}`, ({ arguments: { amount } }) => ({
          decision: amount === amounts.approved ? 'approved' : 'rejected',
          comment: 'As agreed.',
        })),
      )
      const heard = await run(session)
      await Promise.all(reviewers.map(({ stop }) => stop()))
      assert.match(heard, /paid 5/)
      assert.doesNotMatch(heard, /paid 7/)
      assert.match(heard, /Rejected by a reviewer: As agreed\./)
    })

  for (const [name, make] of Object.entries(recipes))
    it(name, async () => {
      const reviews = createReviews(world.client, { tools: { transfer: {} }, unasked: 'deny' })
      const paid: unknown[] = []
      const pay: Act = async (_, input) => {
        paid.push(input)
        return 'paid'
      }
      const called = (decision: 'approved' | 'rejected') => {
        const sessionId = `recipe-${name}-${decision}`
        const call = { sessionId, callId: 'c', name: 'transfer', input: { to } }
        return { call, decided: () => world.decide(sessionId, decision) }
      }
      const { call, decided } = called('approved')
      assert.equal(await make(reviews, call, pay, decided), 'paid')
      // As after a crash within the last step: whether it was done is not known, and it is not done again.
      await assert.rejects(make(reviews, call, pay, assert.fail), NotRun)
      const refused = called('rejected')
      await assert.rejects(make(reviews, refused.call, pay, refused.decided), NotRun)
      assert.deepEqual(paid, [{ to }])
    })

  it('mastra', async () => {
    const reviews = createReviews(world.client, { tools: { transfer: {} }, pollMs: [20, 50] })
    const execute = guardedExecute(
      reviews,
      'transfer',
      async ({ amount }: { amount: number }) => `paid ${amount}`,
    )
    const context = { agent: { threadId: 'recipe-mastra', toolCallId: 'call_1' } }
    const [made] = await Promise.all([
      execute({ amount: 5 }, context),
      world.decide('recipe-mastra', 'approved'),
    ])
    assert.equal(made, 'paid 5')
    await assert.rejects(execute({ amount: 5 }, context), NotRun)
    await assert.rejects(execute({ amount: 5 }, {}), TypeError)
  })
})
