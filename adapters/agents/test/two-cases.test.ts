import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ApiError, type CaseAnswer, type Client, type SignatureCheck } from '@countersign/client'
import { createReviews } from '../index.ts'

/** Reviewers who signed whatever they were asked. */
const reviewers: SignatureCheck = { faultOf: async () => null }

/** A service that finds no case, and has each request signed anew: the reviewer is told that the one before expired. */
function stolenService(): Client {
  let review: Partial<CaseAnswer> = {}
  let cases = 0
  const told = async () => review as CaseAnswer
  const reviewCases: Partial<Client['reviewCases']> = {
    find: async () => {
      throw new ApiError('not_found', 'no such case', { status: 404 })
    },
    request: async ({ sessionId, checkpointId, presentation }) => {
      const decided = { state: 'decided', decision: 'approved', decidedBy: 'mem_1' } as const
      const ids = { reviewCaseId: `rc_${++cases}`, sessionId, checkpoint: { checkpointId } }
      const expiresAt = '2126-01-01T00:00:00.000Z'
      review = {
        ...{ ...decided, ...ids, presentation, presentationDigest: null, expiresAt },
        ...{ continuation: null, followUps: [], response: null, reviewerComment: null },
      }
      return review as never
    },
    read: told,
    reportContinuation: async ({ outcome, detail = null }) => {
      review = { ...review, continuation: { outcome, detail, reportedAt: '' } as never }
      return told()
    },
  }
  return { reviewCases } as Client
}

describe('an action that may be repeated', () => {
  it('is known by its session and call id, and not by its case', async () => {
    const call = { sessionId: 's', callId: 'c1', name: 'pay', input: { amount: 1 } }
    const paid = { once: new Set<string>(), byCase: new Set<string | null>() }
    const service = stolenService()
    for (let run = 0; run < 2; run++) {
      const reviews = createReviews(service, { tools: { pay: {} }, reviewers })
      await reviews.run(call, ({ reviewCaseId }) => {
        paid.once.add(`${call.sessionId} ${call.callId}`)
        paid.byCase.add(reviewCaseId)
      })
    }
    assert.deepEqual([paid.once.size, paid.byCase.size], [1, 2])
  })
})
