import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ApiError, type CaseAnswer, outcomeOfCase, type SignatureCheck } from '../index.ts'
import { asked, calledBack, playedService, resultOf } from './played-service.ts'

/** States and decisions that no closed case has. */
const others: readonly (readonly [state: string, decision: string | null])[] = [
  ['open', null],
  ['approved', 'rejected'],
  ['approved', 'approved'],
  ['decided', null],
  ['decided', 'follow_up_required'],
  ['decided', 'cancelled'],
  ['decided', 'constructor'],
  ['weird', 'approved'],
]

const isUnexpected = (error: unknown) =>
  error instanceof ApiError && error.code === 'unexpected_answer'

/** Asks, and has the case changed so after a second. */
async function ended(more: object, reviewers?: SignatureCheck) {
  const { client, clock, outcome, change } = playedService()
  clock.after(1_000, () => change('rc_c', more))
  return outcome(client.reviewCases.request(asked, reviewers ? { reviewers } : {}))
}

describe('the outcome of a case', () => {
  it('is that of its decision where it is decided, and of its state else', () => {
    const ends = [
      ['decided', 'approved', 'approved'],
      ['decided', 'rejected', 'rejected'],
      ['decided', 'response_submitted', 'response_submitted'],
      ['cancelled', 'approved', 'cancelled'],
      ['expired', null, 'expired'],
    ]
    for (const [state, told, decision] of ends) {
      const review = { state, decision: told, checkpoint: { checkpointId: 'c' } }
      const outcome = outcomeOfCase(review as unknown as CaseAnswer)
      assert.deepEqual([outcome.decision, outcome.approved], [decision, decision === 'approved'])
    }
  })

  for (const [state, decision] of others)
    it(`is none with the state ${state} and the decision ${decision}`, async () => {
      const review = { state, decision, checkpoint: { checkpointId: 'c' } }
      assert.throws(() => outcomeOfCase(review as unknown as CaseAnswer), isUnexpected)
      if (state === 'open') return
      const done = await ended({ state, decision })
      assert.match(String('error' in done && done.error), /expected a case that is decided/)
    })

  it('is none of a callback with a decision that is not known', () => {
    const { client } = playedService()
    for (const decision of ['weird', 'constructor', 'follow_up_required', null]) {
      const called = { ...calledBack, decision } as unknown as typeof calledBack
      assert.throws(() => client.reviewCases.settle(called), isUnexpected)
    }
  })

  it('has nobody and nothing of a reviewer where pinned ones decided nothing', async () => {
    const reviewers = { faultOf: async () => assert.fail('nobody signs an end') }
    for (const state of ['cancelled', 'expired']) {
      const words = { response: { pay: 1 }, decidedBy: 'ada', reviewerComment: 'Pay.' }
      const outcome = resultOf(await ended({ state, decision: state, ...words }, reviewers))
      const { response, decidedBy, comment } = outcome
      assert.deepEqual([outcome.decision, response, decidedBy, comment], [state, null, null, null])
    }
  })
})
