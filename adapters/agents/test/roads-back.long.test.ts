import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  Annotation,
  Command,
  interrupt,
  MemorySaver,
  Send,
  START,
  StateGraph,
} from '@langchain/langgraph'
import { Agent, tool as openaiTool, Runner, RunState } from '@openai/agents'
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing'
import { isStepCount, jsonSchema, streamText, tool } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { idsOf } from '../ai-sdk.ts'
import { createReviews, type ReviewsOptions } from '../index.ts'
import { type InterruptAnswer, idsOfInterrupt, resumeOf } from '../langchain.ts'
import { idsOfDetails, resolveInterruptions } from '../openai.ts'
import { generated, streamed } from './entries/ai-sdk.ts'
import { messageOf } from './entries/play.ts'
import { playedClient } from './played-client.ts'

/** Reviews whose reviewer decides each case as it is opened, if they look. */
function reviewed(options: Partial<ReviewsOptions> = {}) {
  const played = playedClient()
  let choice: 'approved' | 'rejected' | null = 'approved'
  const reviews = createReviews(played.client, {
    tools: {},
    onOpen: ({ reviewCaseId, state }) => {
      if (state === 'open' && choice) played.decide(reviewCaseId, choice)
    },
    ...options,
  })
  const paid: unknown[] = []
  const pay = async (input: unknown) => {
    paid.push(input)
    return 'paid'
  }
  const decides = (next: typeof choice) => {
    choice = next
  }
  return { ...played, reviews, paid, pay, decides }
}

describe('a run that goes back, or is left', () => {
  it('LangGraph: equal calls of a fan-out run once each, from whichever checkpoint the thread goes on', async () => {
    const { reviews, cases, paid, pay, decides } = reviewed()
    const State = Annotation.Root({
      heard: Annotation<string[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
    })
    const input = { amount: 1 }
    const graph = new StateGraph(State)
      .addNode('pay', async (_, config) => {
        const answer: InterruptAnswer = interrupt({ name: 'pay', input })
        const guarded = reviews.guard('pay', pay, () => idsOfInterrupt(answer, config))
        return { heard: [await guarded(input).catch(messageOf)] }
      })
      .addConditionalEdges(START, () => [new Send('pay', {}), new Send('pay', {})], ['pay'])
      .compile({ checkpointer: new MemorySaver() })
    const config = { configurable: { thread_id: 't' } }
    const call = (value: { readonly name: string; readonly input: object }) => value
    await graph.invoke({}, config)
    const ids = (await graph.getState(config)).tasks.flatMap(({ interrupts }) =>
      interrupts.map(({ id }) => id ?? ''),
    )
    const { heard } = await graph.invoke(await resumeOf(reviews, graph, config, call), config)
    assert.deepEqual([heard, paid.length, cases.size], [['paid', 'paid'], 2, 2])
    decides('rejected')
    const snapshots = []
    for await (const snapshot of graph.getStateHistory(config)) snapshots.push(snapshot)
    assert.ok(snapshots.length > 1)
    const believed = { approved: true, reason: 'Approved.' }
    for (const { config: before } of snapshots) {
      await graph.invoke(null, before)
      for (const callId of ids) {
        const resume = Object.fromEntries(ids.map((id) => [id, { ...believed, callId }]))
        await graph.invoke(new Command({ resume }), before).catch(() => {})
      }
      const forked = await graph.updateState(before, { heard: ['forked'] })
      await graph.invoke(null, forked).catch(() => {})
      const next = await resumeOf(reviews, graph, config, call)
      if (next) await graph.invoke(next, config)
    }
    assert.equal(paid.length, 2)
  })

  it('OpenAI Agents: a call runs once, though agents share its id and the state is resumed again', async () => {
    const { reviews, cases, paid, pay } = reviewed()
    const payment = openaiTool({
      name: 'pay',
      description: 'Pays',
      parameters: { type: 'object', properties: {}, required: [], additionalProperties: true },
      strict: false,
      needsApproval: true,
      execute: reviews.guard('pay', pay, idsOfDetails('s')),
    })
    const calling = () => [
      [functionCall('pay', { amount: 1 }, { callId: 'c1' })],
      [assistantMessage('done')],
    ]
    const other = new Agent({
      name: 'other',
      tools: [payment],
      model: new ScriptedModel([...calling(), ...calling(), ...calling()]),
    })
    const asking = functionCall('ask', { input: 'Pay.' }, { callId: 'c0' })
    const agent = new Agent({
      name: 'payer',
      tools: [payment, other.asTool({ toolName: 'ask', toolDescription: 'Pays too' })],
      model: new ScriptedModel([
        [functionCall('pay', { amount: 1 }, { callId: 'c1' }), asking],
        ...[1, 2, 3, 4].map(() => [assistantMessage('done')]),
      ]),
    })
    const runner = new Runner({ tracingDisabled: true })
    const saved = (await runner.run(agent, 'Pay.')).state.toString()
    for (const _ of [1, 2]) {
      let state = await RunState.fromString(agent, saved)
      while (await resolveInterruptions(reviews, state, { sessionId: 's', parameters: {} }))
        state = (await runner.run(agent, state)).state
    }
    assert.deepEqual([paid, cases.size], [[{ amount: 1 }], 1])
  })

  it('AI SDK: a stream that is cancelled leaves its case, and is no second run after the approval', async () => {
    const { reviews, cases, paid, pay, decide, decides } = reviewed()
    decides(null)
    const execute = reviews.guard('pay', pay, idsOf('s'))
    const tools = {
      transfer: tool({
        inputSchema: jsonSchema<object>({ type: 'object', properties: {} }),
        execute,
      }),
    }
    /** A stream whose model makes the same call. */
    const paying = (abortSignal?: AbortSignal) => {
      const calls = [{ callId: 'c1', input: { to: 'ACME', amount: 1 } }]
      const model = new MockLanguageModelV4({
        doStream: async ({ prompt }) => streamed(generated(calls, prompt)),
      })
      const more = abortSignal ? { abortSignal } : {}
      return streamText({ model, tools, prompt: 'Pay.', stopWhen: isStepCount(2), ...more })
    }
    const isOpened = async () => {
      while (cases.size === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    // By the reader, who takes no more of it, and by a signal.
    const reader = paying().fullStream.getReader()
    const reading = (async () => {
      while (!(await reader.read()).done);
    })().catch(() => {})
    await isOpened()
    await reader.cancel()
    await reading
    const left = new AbortController()
    const aborted = Promise.resolve(paying(left.signal).consumeStream()).catch(() => {})
    left.abort()
    await aborted
    assert.deepEqual([paid.length, cases.size, cases.get('rc_1')?.state], [0, 1, 'open'])
    decide('rc_1', 'approved')
    for (const _ of [1, 2, 3]) await paying().consumeStream()
    assert.deepEqual([paid, cases.size], [[{ to: 'ACME', amount: 1 }], 1])
  })
})
