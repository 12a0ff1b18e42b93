import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  openWorld,
  type Payment,
  playOf,
  type Scripted,
  type World,
} from '@countersign/reference-server/reviewed'
import { AIMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { tool as langchainTool } from '@langchain/core/tools'
import { Annotation, interrupt, MemorySaver, START, StateGraph } from '@langchain/langgraph'
import {
  Agent,
  defineToolInputGuardrail,
  defineToolOutputGuardrail,
  handoff,
  tool as openaiTool,
  Runner,
  RunState,
  ToolGuardrailFunctionOutputFactory,
} from '@openai/agents'
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing'
import { createAgent } from 'langchain'
import type { ReviewsOptions } from '../index.ts'
import { type InterruptAnswer, idsOfInterrupt, resumeOf, reviewMiddleware } from '../langchain.ts'
import { idsOfDetails, resolveInterruptions, toldToModel } from '../openai.ts'
import { messageOf, payment } from './entries/play.ts'
import { newDisk } from './entries.ts'

const to = 'ACME'
const five: Scripted = { callId: 'call_1', input: { to, amount: 5 } }
const withoutCase = { reviewCaseId: null, presentationDigest: null }

describe('a run that takes another road, before the real server', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.end())

  /** A play, whose reviewer approves what pays 5 and rejects the rest while `act` is under way. */
  async function reviewed<T>(
    act: (play: ReturnType<typeof playOf>['play']) => Promise<T>,
    options: Partial<ReviewsOptions> = {},
  ) {
    const place = { client: world.client, entry: {}, disk: newDisk() }
    const { play, paid } = playOf(place, [five], options)
    const reviewer = world.review(play.sessionId, ({ arguments: { amount } }) => ({
      decision: amount === 5 ? 'approved' : 'rejected',
    }))
    try {
      const heard = await act(play)
      return { heard, paid, cases: await world.casesOf(play.sessionId) }
    } finally {
      await reviewer.stop()
    }
  }

  it('LangGraph: calls of subgraphs are asked for each, and run as they were approved', async () => {
    const { heard, paid, cases } = await reviewed(async ({ reviews, sessionId, pay }) => {
      const State = Annotation.Root({
        heard: Annotation<string[]>({
          reducer: (all, more) => [...all, ...more],
          default: () => [],
        }),
      })
      const paying = (amount: number) => {
        const input = { to, amount }
        return new StateGraph(State)
          .addNode('pays', async (_, node) => {
            const answer: InterruptAnswer = interrupt({ name: 'transfer', input })
            const guarded = reviews.guard('transfer', pay, () => idsOfInterrupt(answer, node))
            return { heard: [await guarded(input).catch(messageOf)] }
          })
          .addEdge(START, 'pays')
          .compile()
      }
      // One is a node, the others are called by a node, of which each comes after the other.
      const [small, large] = [paying(5), paying(7)]
      const graph = new StateGraph(State)
        .addNode('small', small)
        .addNode('both', async (_, node) => {
          const first = await small.invoke({ heard: [] }, node)
          const second = await large.invoke({ heard: [] }, node)
          return { heard: [...first.heard, ...second.heard] }
        })
        .addEdge(START, 'small')
        .addEdge(START, 'both')
        .compile({ checkpointer: new MemorySaver() })
      const config = { configurable: { thread_id: sessionId } }
      const asked = (call: { readonly name: string; readonly input: Payment }) => call
      let next: Awaited<ReturnType<typeof resumeOf>> | { heard: string[] } = { heard: [] }
      for (;;) {
        const state = await graph.invoke(next, config)
        next = await resumeOf(reviews, graph, config, asked)
        if (!next) return state.heard
      }
    })
    assert.deepEqual(paid, [five.input, five.input])
    assert.equal(cases.length, 3)
    assert.equal(heard.filter((each) => /Rejected by a reviewer/.test(each)).length, 1)
  })

  it('LangChain: of two threads with one session, a call of one id runs once, with what was approved', async () => {
    const { heard, paid, cases } = await reviewed(async ({ reviews, sessionId, pay }) => {
      const threadOf = async (thread: string, args: Record<string, unknown>) => {
        const model = fakeModel()
        const made = { name: 'transfer', args, id: five.callId }
        model.respondWithTools([made]).respond(new AIMessage('done'))
        const described = { name: 'transfer', description: 'Pays', schema: payment }
        const transfer = langchainTool((input: Payment) => pay(input, withoutCase), described)
        const agent = createAgent({
          model,
          tools: [transfer],
          checkpointer: new MemorySaver(),
          middleware: [reviewMiddleware(reviews, { sessionId })],
        })
        const messages = [{ role: 'user' as const, content: 'Pay.' }]
        const config = { configurable: { thread_id: `${sessionId}-${thread}` } }
        return (await agent.invoke({ messages }, config)).messages.map(({ content }) => content)
      }
      const both = await Promise.all([
        threadOf('one', { ...five.input }),
        threadOf('two', { ...five.input }),
      ])
      return JSON.stringify([...both, await threadOf('three', { to, amount: 500 })])
    })
    assert.deepEqual([paid, cases.length], [[five.input], 1])
    assert.match(heard, /not known whether it was done/)
    assert.match(heard, /\(idempotency_conflict\)/)
  })

  describe('OpenAI Agents', () => {
    const runner = new Runner({ tracingDisabled: true })
    type Play = ReturnType<typeof playOf>['play']

    const made = (input: Payment = five.input) =>
      functionCall('transfer', { ...input }, { callId: five.callId })
    const done = () => [assistantMessage('done')]

    const transferOf = ({ reviews, sessionId, pay }: Play, more: object = {}) =>
      openaiTool({
        name: 'transfer',
        description: 'Pays',
        parameters: payment,
        needsApproval: true,
        errorFunction: toldToModel,
        execute: reviews.guard('transfer', pay, idsOfDetails(sessionId)),
        ...more,
      })

    /** Answers what a run stops for, to its end; what the model heard, or what ended it. */
    async function drive(
      { reviews, sessionId }: Play,
      agent: Agent,
      from: string | RunState<unknown, Agent>,
      maxTurns = 9,
    ): Promise<string> {
      const asked = { sessionId, parameters: { transfer: payment } }
      try {
        let result = await runner.run(agent, from, { maxTurns })
        while (await resolveInterruptions(reviews, result.state, asked))
          result = await runner.run(agent, result.state, { maxTurns })
        return JSON.stringify(result.history)
      } catch (error) {
        return String(error)
      }
    }

    /** The state of a run that stopped for its first call. */
    const savedBy = async (agent: Agent) => (await runner.run(agent, 'Pay.')).state.toString()

    it('a history that a handoff rewrites approves nothing of what it says', async () => {
      for (const shape of ['with its call', 'after its call'] as const) {
        const { heard, paid, cases } = await reviewed(async (play) => {
          const transfer = transferOf(play)
          const large = { to, amount: 500 }
          const other = new Agent({
            name: 'other',
            tools: [transfer],
            model: new ScriptedModel([[made()], [made(large)], done()]),
          })
          const handing = handoff(other, {
            inputFilter: ({ newItems, preHandoffItems, ...rest }) => {
              for (const { rawItem } of [...preHandoffItems, ...newItems])
                if (rawItem?.type === 'function_call' && rawItem.name === 'transfer')
                  Object.assign(rawItem, { arguments: JSON.stringify(large) })
              return { ...rest, preHandoffItems: [], newItems }
            },
          })
          const leaving = functionCall('transfer_to_other', {}, { callId: 'call_2' })
          const turns = shape === 'with its call' ? [[made(), leaving]] : [[made()], [leaving]]
          const model = new ScriptedModel([...turns, done()])
          const agent = new Agent({ name: 'payer', tools: [transfer], handoffs: [handing], model })
          return drive(play, agent, 'Pay.')
        })
        assert.deepEqual([paid, cases.length], [[five.input], 1], shape)
        // The SDK itself takes no other call with the id of one that was approved.
        assert.match(heard, /call_1 was reused|idempotency_conflict/, shape)
      }
    })

    it('a guardrail that throws after the approval leaves it, and one after the run has it spent', async () => {
      const { throwException, allow } = ToolGuardrailFunctionOutputFactory
      let isOpen = false
      const run = async () => (isOpen ? allow() : throwException())
      const guards = [
        [{ inputGuardrails: [defineToolInputGuardrail({ name: 'before', run })] }, 0],
        [{ outputGuardrails: [defineToolOutputGuardrail({ name: 'after', run })] }, 1],
      ] as const
      for (const [more, runs] of guards) {
        isOpen = false
        const before: number[] = []
        const { heard, paid, cases } = await reviewed(async (play) => {
          const model = new ScriptedModel([[made()], done(), done(), done()])
          const tools = [transferOf(play, more)]
          const agent = new Agent({ name: 'payer', tools, model })
          const saved = await savedBy(agent)
          const again = async () => drive(play, agent, await RunState.fromString(agent, saved))
          assert.match(await again(), /guardrail/i)
          const [review] = await world.casesOf(play.sessionId)
          before.push(review?.continuation ? 1 : 0)
          isOpen = true
          return [await again(), await again()].join()
        })
        assert.deepEqual([before, paid, cases.length], [[runs], [five.input], 1])
        assert.match(heard, /not known whether it was done/)
      }
    })

    it('a run that has no turns left leaves the case, and goes on with it later, once', async () => {
      const { heard, paid, cases } = await reviewed(async (play) => {
        const model = new ScriptedModel([[made()], done(), done(), done()])
        const agent = new Agent({ name: 'payer', tools: [transferOf(play)], model })
        const saved = await savedBy(agent)
        const again = async (maxTurns?: number) =>
          drive(play, agent, await RunState.fromString(agent, saved), maxTurns)
        assert.match(await again(1), /Max turns/)
        return [await again(), await again()].join()
      })
      assert.deepEqual([paid, cases.length], [[five.input], 1])
      assert.match(heard, /not known whether it was done/)
    })

    it('a tool that has another name or another guard by then runs nothing under the approval', async () => {
      for (const [more, tools] of [
        [{ name: 'wire' }, ['transfer']],
        [{}, ['transfer', 'wire']],
      ] as const) {
        const { paid, cases } = await reviewed(async (play) => {
          const { reviews, sessionId, pay } = play
          const agentOf = (given: object) => {
            const model = new ScriptedModel([[made()], done()])
            return new Agent({ name: 'payer', tools: [transferOf(play, given)], model })
          }
          const saved = await savedBy(agentOf({}))
          const execute = reviews.guard('wire', pay, idsOfDetails(sessionId))
          const state = await RunState.fromString(agentOf({}), saved)
          const asked = { sessionId, parameters: { transfer: payment } }
          assert.ok(await resolveInterruptions(reviews, state, asked))
          const next = agentOf({ ...more, execute })
          const left = await RunState.fromString(next, state.toString()).catch(() => null)
          if (left) await drive(play, next, left)
        })
        const ends = cases.map(({ presentation, continuation }) => {
          const { action } = presentation as { readonly action: { readonly tool: string } }
          return [action.tool, continuation?.outcome ?? null]
        })
        const expected = tools.map((tool) => [tool, tool === 'wire' ? 'resumed' : null])
        assert.deepEqual(ends, expected)
        // Under its own case alone.
        assert.equal(paid.length, tools.length - 1)
      }
    })
  })
})
