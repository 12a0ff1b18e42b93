import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { caseBytes, caseBytesToClose, followUpsPerCase } from '@countersign/core/ledger'
import { admin, ann, app, createBench, refused, seenOf, value } from './bench.ts'

const text = (length: number) => 'x'.repeat(length)

describe('what a case may hold', () => {
  it('takes so many questions, and can be decided then', async () => {
    const { cases, open } = await createBench()
    let review = await open({})
    const id = review.reviewCaseId
    review = value(await cases.claim(ann, { reviewCaseId: id }))
    for (let n = 0; n < followUpsPerCase; n++) {
      const asked = { ...seenOf(review), question: `question ${n}` }
      review = value(await cases.requestFollowUp(ann, { reviewCaseId: id, ...asked }))
      review = value(
        await cases.answerFollowUp(app, { reviewCaseId: id, ...seenOf(review), answer: 'yes' }),
      )
    }
    const more = { ...seenOf(review), question: 'one more' }
    assert.equal(
      refused(await cases.requestFollowUp(ann, { reviewCaseId: id, ...more })).code,
      'follow_up_limit',
    )
    assert.equal(review.followUps.length, followUpsPerCase)
    const { presentationDigest } = review
    const decision = { decision: 'approved', presentationDigest: presentationDigest ?? '' } as const
    value(await cases.decide(ann, { reviewCaseId: id, ...seenOf(review), ...decision }))
  })

  it('refuses an opening that is too large by a byte', async () => {
    const { cases, open } = await createBench()
    const room = caseBytes - caseBytesToClose
    // The members beside it as JSON: the empty lists and nulls around a document with one text.
    const around = JSON.stringify([{ text: '' }, [], null, [], null, null, null]).length
    await open({ presentation: { text: text(room - around) } })
    const opening = {
      sessionId: 'session-large',
      checkpointId: 'checkpoint-large',
      reasonCategory: 'high_risk_action',
      presentation: { text: text(room - around + 1) },
      idempotencyKey: 'large',
    } as const
    assert.equal(refused(await cases.open(app, opening)).code, 'case_too_large')
    // Bytes, not characters.
    const wide = { text: 'é'.repeat(room / 2) }
    const again = await cases.open(app, { ...opening, presentation: wide })
    assert.equal(refused(again).code, 'case_too_large')
  })

  it('refuses what would make a full case larger, and lets it be decided, closed and reported', async () => {
    const { cases, open } = await createBench()
    const room = caseBytes - caseBytesToClose
    const full = { presentation: { text: text(room - 2_000) } }
    let review = await open(full)
    const id = review.reviewCaseId
    review = value(await cases.claim(ann, { reviewCaseId: id }))
    const long = { ...seenOf(review), question: text(2_000) }
    assert.equal(
      refused(await cases.requestFollowUp(ann, { reviewCaseId: id, ...long })).code,
      'case_too_large',
    )
    review = value(
      await cases.requestFollowUp(ann, { reviewCaseId: id, ...seenOf(review), question: 'why?' }),
    )
    const answer = { ...seenOf(review), answer: text(2_000) }
    assert.equal(
      refused(await cases.answerFollowUp(app, { reviewCaseId: id, ...answer })).code,
      'case_too_large',
    )
    const { presentationDigest } = review
    const decide = (response: unknown) =>
      cases.decide(ann, {
        reviewCaseId: id,
        ...seenOf(review),
        decision: 'response_submitted',
        presentationDigest: presentationDigest ?? '',
        comment: '\u0001'.repeat(10_000),
        response,
      })
    assert.equal(refused(await decide(text(caseBytesToClose))).code, 'case_too_large')
    review = value(await decide({ ok: true }))
    assert.equal(review.state, 'decided')
    const detail = '\u0001'.repeat(10_000)
    value(await cases.reportContinuation(app, { reviewCaseId: id, outcome: 'resumed', detail }))
    const other = await open({ ...full, checkpointId: 'another', idempotencyKey: 'another' })
    const reasonCategory = 'parent_workflow_ended' as const
    value(
      await cases.cancel(admin, {
        reviewCaseId: other.reviewCaseId,
        ...seenOf(other),
        reasonCategory,
      }),
    )
  })
})
