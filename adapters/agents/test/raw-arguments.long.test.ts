import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { canonicalize } from '@countersign/core/canonical'
import { AIMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { tool as langchainTool } from '@langchain/core/tools'
import { MemorySaver } from '@langchain/langgraph'
import { Agent, tool as openaiTool, Runner } from '@openai/agents'
import { assistantMessage, type functionCall, ScriptedModel } from '@openai/agents/testing'
import {
  generateText as generateText7,
  isStepCount,
  jsonSchema as jsonSchema7,
  streamText as streamText7,
  tool as tool7,
} from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import {
  generateText as generateText6,
  jsonSchema as jsonSchema6,
  stepCountIs,
  streamText as streamText6,
  tool as tool6,
} from 'ai6'
import { MockLanguageModelV3 } from 'ai6/test'
import { createAgent } from 'langchain'
import { idsOf } from '../ai-sdk.ts'
import { canUseTool } from '../claude.ts'
import { decideHook, hookReviews } from '../hook/decide-hook.ts'
import { createReviews, type Reviews } from '../index.ts'
import { reviewMiddleware } from '../langchain.ts'
import { idsOfDetails, resolveInterruptions } from '../openai.ts'
import { generated, streamed } from './entries/ai-sdk.ts'
import { playedClient } from './played-client.ts'

const sessionId = 's'
const anything = { type: 'object', properties: {}, additionalProperties: true } as const

/** What an entry plays: the model's one call, with its arguments as it wrote them, made so many times in one turn. */
interface Played {
  readonly reviews: Reviews
  readonly client: ReturnType<typeof playedClient>['client']
  readonly text: string
  readonly times: number
  act(input: unknown): Promise<string>
}

type Entry = (played: Played) => Promise<unknown>

/** So many calls with the same id. */
const same = <T>(times: number, call: T): T[] => Array.from({ length: times }, () => call)

/** The answers of a mock model of the AI SDK. */
function aiAnswers({ text, times }: Played) {
  const call = { type: 'tool-call' as const, toolCallId: 'c1', toolName: 'pay', input: text }
  return (prompt: readonly { readonly role: string }[]) => {
    const made = generated([], prompt)
    return made.content.length > 0 ? made : { ...made, content: same(times, call) }
  }
}

type Streamed6 = Awaited<ReturnType<MockLanguageModelV3['doStream']>>

function aiCall7(played: Played) {
  const answer = aiAnswers(played)
  const execute = played.reviews.guard('pay', played.act, idsOf(sessionId))
  const inputSchema = jsonSchema7<object>(anything)
  const model = new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => answer(prompt),
    doStream: async ({ prompt }) => streamed(answer(prompt)),
  })
  const tools = { pay: tool7({ inputSchema, execute }) }
  return { model, tools, prompt: 'Pay.', stopWhen: isStepCount(2) }
}

function aiCall6(played: Played) {
  const answer = aiAnswers(played)
  const execute = played.reviews.guard('pay', played.act, idsOf(sessionId))
  const inputSchema = jsonSchema6<object>(anything)
  const model = new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => answer(prompt),
    // The parts that are streamed here are those of both.
    doStream: async ({ prompt }) => streamed(answer(prompt)) as unknown as Streamed6,
  })
  const tools = { pay: tool6({ inputSchema, execute }) }
  return { model, tools, prompt: 'Pay.', stopWhen: stepCountIs(2) }
}

function openaiRun({ reviews, text, times, act }: Played) {
  const pay = openaiTool({
    name: 'pay',
    description: 'Pays',
    parameters: { ...anything, required: [] },
    strict: false,
    needsApproval: true,
    execute: reviews.guard('pay', act, idsOfDetails(sessionId)),
  })
  const made = { type: 'function_call', callId: 'c1', name: 'pay', arguments: text } as ReturnType<
    typeof functionCall
  >
  const model = new ScriptedModel([same(times, made), [assistantMessage('done')]])
  return { agent: new Agent({ name: 'payer', tools: [pay], model }), runner: runnerOf() }
}

const runnerOf = () => new Runner({ tracingDisabled: true })

function langchainAgent({ reviews, text, times, act }: Played) {
  const model = fakeModel()
  const args = JSON.parse(text) as Record<string, unknown>
  model
    .respondWithTools(same(times, { name: 'pay', args, id: 'c1' }))
    .respond(new AIMessage('done'))
  const pay = langchainTool(act, { name: 'pay', description: 'Pays', schema: anything })
  const agent = createAgent({
    model,
    tools: [pay],
    checkpointer: new MemorySaver(),
    middleware: [reviewMiddleware(reviews)],
  })
  const messages = [{ role: 'user' as const, content: 'Pay.' }]
  return { agent, input: { messages }, config: { configurable: { thread_id: sessionId } } }
}

/** Each way in, whole and as a stream where its framework has both. */
const entries: Readonly<Record<string, Entry>> = {
  'AI SDK 7': async (played) => generateText7(aiCall7(played)),
  'AI SDK 7, streamed': async (played) => streamText7(aiCall7(played)).consumeStream(),
  'AI SDK 6': async (played) => generateText6(aiCall6(played)),
  'AI SDK 6, streamed': async (played) => streamText6(aiCall6(played)).consumeStream(),
  LangChain: async (played) => {
    const { agent, input, config } = langchainAgent(played)
    return agent.invoke(input, config)
  },
  'LangChain, streamed': async (played) => {
    const { agent, input, config } = langchainAgent(played)
    const options = { ...config, streamMode: ['updates', 'messages'] as ('updates' | 'messages')[] }
    for await (const _ of await agent.stream(input, options));
  },
  'LangChain, as events': async (played) => {
    const { agent, input, config } = langchainAgent(played)
    for await (const _ of agent.streamEvents(input, { ...config, version: 'v2' }));
  },
  'OpenAI Agents': async (played) => {
    const { agent, runner } = openaiRun(played)
    let { state } = await runner.run(agent, 'Pay.')
    while (await resolveInterruptions(played.reviews, state, { sessionId, parameters: {} }))
      state = (await runner.run(agent, state)).state
  },
  'OpenAI Agents, streamed': async (played) => {
    const { agent, runner } = openaiRun(played)
    let result = await runner.run(agent, 'Pay.', { stream: true })
    await result.completed
    const asked = { sessionId, parameters: {} }
    while (await resolveInterruptions(played.reviews, result.state, asked)) {
      result = await runner.run(agent, result.state, { stream: true })
      await result.completed
    }
  },
  "Claude's canUseTool": async ({ reviews, text, times, act }) => {
    const { signal } = new AbortController()
    const mayUse = canUseTool(reviews, { sessionId })
    for (const input of same(times, text).map((each) => JSON.parse(each))) {
      const permission = await mayUse('pay', input, { signal, toolUseID: 'c1' })
      if (permission.behavior === 'allow') await act(permission.updatedInput)
    }
  },
  "Claude's hook": async ({ client, text, times, act }) => {
    const started = async (asked: string) => {
      const given: unknown = JSON.parse(asked)
      const options = { defers: true, onProblem: () => {} }
      const { hookSpecificOutput } = await decideHook(
        hookReviews(client, given, options),
        given,
        options,
      )
      return hookSpecificOutput
    }
    for (const input of same(times, text)) {
      const ids = '"session_id":"s","tool_use_id":"c1","tool_name":"pay"'
      const asked = `{${ids},"tool_input":${input}}`
      if ((await started(asked)).permissionDecision !== 'defer') continue
      await new Promise((resolve) => setTimeout(resolve, 5))
      const { permissionDecision, updatedInput } = await started(asked)
      if (permissionDecision === 'allow') await act(updatedInput)
    }
  },
}

/** Plays an entry before a reviewer who approves all; what ran, and what was shown. */
async function ranOf(entry: Entry, text: string, times = 1) {
  const played = playedClient()
  const ran: unknown[] = []
  const deciding = setInterval(() => {
    for (const { reviewCaseId, state } of played.cases.values())
      if (state === 'open') played.decide(reviewCaseId, 'approved')
  }, 2)
  const act = async (input: unknown) => {
    ran.push(input)
    return 'paid'
  }
  const reviews = createReviews(played.client, { tools: { pay: {} } })
  try {
    const error = await entry({ reviews, client: played.client, text, times, act }).then(
      () => null,
      (reason: unknown) => reason,
    )
    const shown = [...played.cases.values()].map(({ presentation }) => presentation?.action)
    return { ran, shown, error }
  } finally {
    clearInterval(deciding)
  }
}

const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

/** Arguments that readers of JSON differ about, or that a copy may lose. */
const texts: readonly string[] = [
  '{"amount":1,"amount":1000}',
  '{"amount":1,"\\u0430mount":1000}',
  '{"amount":1,"Amount":1000}',
  '{"constructor":{"prototype":{"amount":1000}},"amount":1}',
  '{"__proto__":{"amount":1000},"amount":1}',
  '{"toJSON":"x","toString":null,"valueOf":null,"hasOwnProperty":1,"amount":1}',
  '{"then":1,"length":-1,"amount":[null,[],{}]}',
  '{"lc":1,"type":"constructor","id":["langchain_core","messages","HumanMessage"],"kwargs":{"content":"x"}}',
  '{"amount":-0}',
  '{"amount":9007199254740993}',
  '{"amount":"\\ud83d\\ude00\\u0000\\u2028"}',
]
/** Those of which nothing runs, for they are no JSON that can be shown. */
const refused = [
  '{"amount":1e999}',
  '{"amount":"\\ud800"}',
  '{"\\udc00":1}',
  nested(70),
  nested(63),
]

/** Readers that refuse names of prototypes for themselves, or leave them out of what is called. */
const isNamed = (text: string) => /__proto__|constructor/.test(text)

describe('of what a model wrote, what runs is what people saw', () => {
  for (const [name, entry] of Object.entries(entries)) {
    it(`${name}: by whatever text`, async () => {
      for (const text of texts) {
        const { ran, shown } = await ranOf(entry, text)
        if (!isNamed(text)) assert.equal(ran.length, 1, `ran not once: ${text}`)
        assert.ok(ran.length <= 1, text)
        if (ran.length === 0) continue
        assert.deepEqual(
          shown.map((each) => canonicalize(each)),
          [canonicalize({ tool: 'pay', arguments: ran[0] })],
        )
        assert.equal(Object.getPrototypeOf(ran[0]), Object.prototype, text)
        if (!isNamed(text)) assert.equal(canonicalize(ran[0]), canonicalize(JSON.parse(text)))
      }
      for (const text of refused) {
        const { ran, shown } = await ranOf(entry, text)
        assert.deepEqual([ran, shown], [[], []], text.slice(0, 60))
      }
    })

    it(`${name}: a call whose id comes twice in a turn runs once`, async () => {
      const { ran, shown } = await ranOf(entry, '{"amount":1}', 2)
      assert.ok(ran.length <= 1, JSON.stringify(ran))
      assert.ok(shown.length <= 1)
    })
  }
})
