import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { CaseAnswer } from '@countersign/client'
import { createReviews, NotRun } from '../index.ts'
import { playedClient } from './played-client.ts'

const call = { sessionId: 's', callId: 'c1', name: 'pay', input: { amount: 1 } }
const other = { action: { tool: 'pay', arguments: { amount: 1_000_000 } } }

describe('a claim', () => {
  it('runs nothing where the case that is claimed tells something else than the one that was read', async () => {
    const lies: readonly Partial<CaseAnswer>[] = [
      { decision: 'rejected' },
      { state: 'cancelled' },
      { presentation: other },
      { reviewCaseId: 'rc_2' },
      { sessionId: 't' },
    ]
    for (const lie of lies) {
      const { withCalls, decide } = playedClient()
      const client = withCalls(({ reportContinuation }) => ({
        reportContinuation: async (report) => ({ ...(await reportContinuation(report)), ...lie }),
      }))
      const reviews = createReviews(client, { tools: { pay: {} } })
      await reviews.check(call)
      decide('rc_1', 'approved')
      let ran = 0
      const error = await reviews.run(call, () => ++ran).catch((reason: unknown) => reason)
      assert.ok(error instanceof NotRun, JSON.stringify(lie))
      assert.deepEqual([error.code, ran], ['changed', 0])
    }
  })

  it('that is under way is not ended by its signal', async () => {
    const { withCalls, decide, cases } = playedClient()
    const left = new AbortController()
    const client = withCalls(({ reportContinuation }) => ({
      async reportContinuation(report, { signal } = {}) {
        const claimed = await reportContinuation(report)
        left.abort()
        signal?.throwIfAborted()
        return claimed
      },
    }))
    const reviews = createReviews(client, { tools: { pay: {} } })
    await reviews.check(call)
    decide('rc_1', 'approved')
    assert.equal(await reviews.run(call, () => 'paid', { signal: left.signal }), 'paid')
    const verdict = await reviews.ask(call)
    cases.set('rc_1', { ...(cases.get('rc_1') as CaseAnswer), continuation: null })
    await assert.rejects(reviews.spend(call, verdict, { signal: left.signal }))
    assert.equal(cases.get('rc_1')?.continuation, null)
  })

  it('is made of no case that is open and shows another action', async () => {
    const { withCalls, decide } = playedClient()
    const client = withCalls(({ open }) => ({
      open: (asked) => open({ ...asked, presentation: other }),
    }))
    const reviews = createReviews(client, { tools: { pay: {} } })
    for (const isDecided of [false, true]) {
      if (isDecided) decide('rc_1', 'approved')
      const { verdict, review } = await reviews.open(call)
      assert.deepEqual([verdict?.code, verdict?.approved], ['changed', false])
      assert.equal(review?.reviewCaseId, 'rc_1')
    }
  })
})
