import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createReviews, type Reviews } from '../index.ts'
import { resolveInterruptions } from '../openai.ts'
import { playedClient } from './played-client.ts'

/** A run that stopped for two calls without guards, of which the nth claim is the last thing before it is left. */
function leftAt(nth: number, how: (reviews: Reviews) => Reviews) {
  const { withCalls, decide, cases } = playedClient()
  const left = new AbortController()
  let claims = 0
  const client = withCalls(({ reportContinuation }) => ({
    async reportContinuation(report) {
      const each = ++claims
      // The claims come one after the other.
      if (each === 2) await setImmediate()
      const claimed = await reportContinuation(report)
      if (each === nth) left.abort(new Error('left'))
      return claimed
    },
  }))
  const reviews = createReviews(client, {
    tools: {},
    onOpen: ({ reviewCaseId, state }) => {
      if (state === 'open') decide(reviewCaseId, 'approved')
    },
  })
  const items = ['1', '2'].map((each) => ({
    name: 'pay',
    arguments: `{"amount":${each}}`,
    rawItem: { type: 'function_call', callId: `c${each}`, name: 'pay' },
  }))
  const resolved = async (signal?: AbortSignal) => {
    const told: boolean[] = []
    const state = {
      getInterruptions: () => items,
      approve: () => void told.push(true),
      reject: () => void told.push(false),
    }
    const asked = { sessionId: 's', parameters: {}, unguarded: ['pay'], signal }
    await resolveInterruptions(how(reviews), state, asked)
    return told
  }
  return { resolved, left: left.signal, cases }
}

/** That whoever leaves while approvals are claimed has none in the state, and the same state has them all later. */
async function keepsApprovals(how: (reviews: Reviews) => Reviews): Promise<void> {
  for (const nth of [1, 2]) {
    const { resolved, left, cases } = leftAt(nth, how)
    await assert.rejects(resolved(left), /left/)
    assert.deepEqual(await resolved(), [true, true])
    assert.deepEqual(await resolved(), [false, false])
    assert.equal(cases.size, 2)
  }
}

describe('a run that is left while approvals of its calls are claimed', () => {
  it('spends none of them', () => keepsApprovals((reviews) => reviews))

  it('would spend one where none waited for the claims of the others', async () => {
    const mutant = (reviews: Reviews): Reviews => ({
      ...reviews,
      spend: (call, verdict, { claimed: _, ...how } = {}) => reviews.spend(call, verdict, how),
    })
    await assert.rejects(keepsApprovals(mutant))
  })
})
