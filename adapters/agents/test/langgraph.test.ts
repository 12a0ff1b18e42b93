import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  Annotation,
  Command,
  interrupt,
  MemorySaver,
  START,
  StateGraph,
} from '@langchain/langgraph'
import { createReviews, type ReviewsOptions } from '../index.ts'
import { type GraphLike, type InterruptAnswer, idsOfInterrupt, resumeOf } from '../langchain.ts'
import { playedClient } from './played-client.ts'

describe('a guard after an interrupt', () => {
  it('finds its case in its own thread, whatever session an answer names', async () => {
    const { client, cases, decide } = playedClient()
    const reviews = createReviews(client, { tools: {}, unasked: 'deny' })
    await reviews.check({ sessionId: 'other', callId: 'i', name: 'pay', input: { amount: 1 } })
    decide('rc_1', 'approved')
    const State = Annotation.Root({ heard: Annotation<string> })
    const graph = new StateGraph(State)
      .addNode('pay', async (_, config) => {
        const answer: InterruptAnswer = interrupt({ amount: 1 })
        const act = async () => 'paid'
        const guarded = reviews.guard('pay', act, () => idsOfInterrupt(answer, config))
        return { heard: await guarded({ amount: 1 }).catch(String) }
      })
      .addEdge(START, 'pay')
      .compile({ checkpointer: new MemorySaver() })
    const config = { configurable: { thread_id: 't' } }
    await graph.invoke({ heard: '' }, config)
    // Who may resume a thread writes its answer.
    const resume = { approved: true, reason: 'Approved.', sessionId: 'other', callId: 'i' }
    const { heard } = await graph.invoke(new Command({ resume }), config)
    assert.match(heard, /Nobody was asked/)
    assert.equal(cases.get('rc_1')?.continuation, null)
  })
})

describe('resumeOf', () => {
  it('asks for an interrupt by its own ids, whatever its value says', async () => {
    const { client, cases, decide } = playedClient()
    const onOpen: ReviewsOptions['onOpen'] = ({ reviewCaseId, state }) => {
      if (state === 'open') decide(reviewCaseId, 'rejected')
    }
    const reviews = createReviews(client, { tools: {}, onOpen })
    const value = { name: 'pay', input: { amount: 1 }, sessionId: 'other', callId: 'approved' }
    const graph = { getState: async () => ({ tasks: [{ interrupts: [{ id: 'i', value }] }] }) }
    const config = { configurable: { thread_id: 't' } }
    await resumeOf(reviews, graph as unknown as GraphLike, config, (asked: typeof value) => asked)
    const [review] = cases.values()
    assert.deepEqual([review?.sessionId, review?.checkpoint.checkpointId], ['t', 'pay:i'])
  })
})
