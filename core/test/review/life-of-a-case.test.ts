import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { presentationDigest } from '@countersign/core/internal'
import { admin, ann, app, bob, createBench, hour, refused, seenOf, start, value } from './bench.ts'

describe('the life of a review case', () => {
  it('goes from opening over a follow-up to a decision and what the application did with it', async () => {
    const { cases, clock, open, events, audited } = await createBench()
    let review = await open({ resumeToken: 'resume-1', reviewTier: 'high' })
    assert.equal(review.state, 'open')
    assert.equal(review.presentationDigest, null)
    assert.equal(review.dueAt, new Date(start + 4 * hour).toISOString())
    assert.equal(review.expiresAt, new Date(start + 24 * hour).toISOString())
    assert.equal(review.checkpoint.resumeToken, 'resume-1')
    assert.equal(review.caseUrl, `https://ingest.test/v1/review-cases/${review.reviewCaseId}`)

    await clock.advance(1000)
    review = value(await cases.claim(ann, { reviewCaseId: review.reviewCaseId }))
    assert.deepEqual(review.assignment, {
      reviewerId: 'mem_ann',
      assignedAt: new Date(start + 1000).toISOString(),
    })
    assert.equal(review.presentationDigest, presentationDigest(review.presentation))
    assert.equal(Object.hasOwn(review.checkpoint, 'resumeToken'), false)

    const shown = review.presentationDigest
    const { reviewCaseId } = review
    const question = 'Who ordered this?'
    review = value(await cases.requestFollowUp(ann, { reviewCaseId, ...seenOf(review), question }))
    assert.equal(review.decision, 'follow_up_required')
    assert.equal(review.presentationDigest, shown)

    review = value(
      await cases.answerFollowUp(app, { reviewCaseId, ...seenOf(review), answer: 'Ms. Ito' }),
    )
    assert.equal(review.decision, null)
    assert.deepEqual(review.presentation?.followUps, [{ question, answer: 'Ms. Ito' }])
    assert.notEqual(review.presentationDigest, shown)
    assert.equal(review.presentationDigest, presentationDigest(review.presentation))

    const stale = await cases.decide(ann, {
      reviewCaseId,
      ...seenOf(review),
      presentationDigest: shown ?? '',
      decision: 'approved',
    })
    assert.equal(refused(stale).code, 'presentation_changed')
    review = value(
      await cases.decide(ann, {
        reviewCaseId,
        ...seenOf(review),
        presentationDigest: review.presentationDigest ?? '',
        decision: 'approved',
        comment: 'fine',
        response: { limit: 5 },
      }),
    )
    assert.equal(review.state, 'decided')
    assert.equal(review.decidedBy, 'mem_ann')
    assert.deepEqual(review.response, { limit: 5 })

    review = value(await cases.reportContinuation(app, { reviewCaseId, outcome: 'resumed' }))
    assert.equal(review.continuation?.outcome, 'resumed')
    assert.deepEqual(
      review.history.map(({ step, caseVersion, eventSequence }) => [
        step,
        caseVersion,
        eventSequence,
      ]),
      [
        ['created', 1, 1],
        ['claimed', 2, 2],
        ['follow_up_requested', 3, 3],
        ['follow_up_answered', 4, 4],
        ['decided', 5, 5],
        ['continuation_reported', 5, 6],
      ],
    )
    assert.deepEqual(
      events(reviewCaseId).map(({ type, decision, reasonCategory }) => [
        type,
        decision,
        reasonCategory,
      ]),
      [
        ['review.case.created', null, 'high_risk_action'],
        ['review.case.assignment_changed', null, 'claimed'],
        ['review.case.follow_up_required', 'follow_up_required', 'high_risk_action'],
        ['review.case.decided', 'approved', 'high_risk_action'],
        ['review.continuation.acknowledged', 'approved', 'resumed'],
      ],
    )
    assert.deepEqual(
      audited().map(({ action, actor }) => [action, actor]),
      [
        ['review_case.claimed', 'member:mem_ann'],
        ['review_case.follow_up_requested', 'member:mem_ann'],
        ['review_case.decided', 'member:mem_ann'],
      ],
    )
  })

  it('moves between reviewers; a pending follow-up ends with that, its question stays', async () => {
    const { cases, open, events } = await createBench()
    let review = await open()
    const { reviewCaseId } = review
    review = value(await cases.claim(ann, { reviewCaseId, ...seenOf(review) }))
    assert.equal(refused(await cases.claim(bob, { reviewCaseId })).code, 'already_assigned')
    const same = value(await cases.claim(ann, { reviewCaseId, caseVersion: 1 }))
    assert.deepEqual(same, review)
    const question = 'Why?'
    review = value(await cases.requestFollowUp(ann, { reviewCaseId, ...seenOf(review), question }))
    const reassign = (actor: typeof ann, reviewerId: string) =>
      cases.reassign(actor, { reviewCaseId, ...seenOf(review), reviewerId })
    assert.equal(refused(await reassign(bob, 'mem_bob')).code, 'forbidden')
    assert.equal(refused(await reassign(ann, 'mem_ann')).code, 'already_assigned')
    for (const reviewerId of ['mem_auditor', 'mem_foreign', 'mem_none'])
      assert.equal(refused(await reassign(ann, reviewerId)).code, 'reviewer_not_eligible')
    review = value(await reassign(ann, 'mem_bob'))
    assert.equal(review.decision, null)
    assert.equal(review.followUps.length, 1)
    const answered = await cases.answerFollowUp(app, {
      reviewCaseId,
      ...seenOf(review),
      answer: 'late',
    })
    assert.equal(refused(answered).code, 'invalid_transition')
    review = value(await reassign(admin, 'mem_admin'))
    assert.equal(review.assignment?.reviewerId, 'mem_admin')
    assert.equal(events(reviewCaseId).at(-1)?.reasonCategory, 'reassigned')
  })

  it('tells a version conflict with the current case, and a failed If-Match apart', async () => {
    const { cases, open } = await createBench()
    const opened = await open()
    const { reviewCaseId } = opened
    const review = value(await cases.claim(ann, { reviewCaseId }))
    const ask = (seen: { readonly caseVersion: number; readonly eventSequence?: number }) =>
      cases.requestFollowUp(ann, { reviewCaseId, ...seen, question: '?' })
    const conflict = refused(await ask({ caseVersion: 1 }))
    assert.equal(conflict.code, 'version_conflict')
    assert.deepEqual(conflict.facts, { case: review })
    for (const seen of [
      { caseVersion: 2, eventSequence: 1 },
      { caseVersion: 1, eventSequence: 2 },
    ])
      assert.equal(refused(await ask(seen)).code, 'version_conflict')
    value(await ask({ caseVersion: 2, eventSequence: 2 }))
  })

  it('never lets the requester review', async () => {
    const { cases, open } = await createBench()
    let review = await open({ requestedBy: 'mem_ann' })
    const { reviewCaseId } = review
    assert.equal(refused(await cases.claim(ann, { reviewCaseId })).code, 'requester_cannot_review')
    review = value(await cases.claim(bob, { reviewCaseId }))
    const moved = await cases.reassign(bob, {
      reviewCaseId,
      ...seenOf(review),
      reviewerId: 'mem_ann',
    })
    assert.equal(refused(moved).code, 'requester_cannot_review')
  })

  it('takes the same continuation twice, another only after remained_paused, and flags a resumption that nobody approved', async () => {
    const { cases, open, audited } = await createBench()
    const { reviewCaseId } = await open()
    const report = (outcome: 'remained_paused' | 'resumed' | 'terminated') =>
      cases.reportContinuation(app, { reviewCaseId, outcome })
    assert.equal(refused(await report('terminated')).code, 'invalid_transition')
    value(await cases.cancel(app, { reviewCaseId, reasonCategory: 'end_user_cancelled' }))
    const paused = value(await report('remained_paused'))
    assert.deepEqual(value(await report('remained_paused')), paused)
    assert.deepEqual(audited(), [])
    const resumed = value(await report('resumed'))
    assert.equal(resumed.continuation?.outcome, 'resumed')
    assert.deepEqual(value(await report('resumed')), resumed)
    assert.equal(refused(await report('terminated')).code, 'continuation_conflict')
    assert.deepEqual(
      audited().map(({ action, actor }) => [action, actor]),
      [['review_case.resumed_without_approval', 'application:app_1']],
    )
  })

  it('is decided by a response only where there is one', async () => {
    const decisions = ['approved', 'rejected', 'response_submitted'] as const
    const { cases, open } = await createBench()
    for (const decision of decisions)
      for (const given of [{}, { response: null }, { response: 0 }, { response: { text: 'no' } }]) {
        const { reviewCaseId } = await open()
        const review = value(await cases.claim(ann, { reviewCaseId }))
        const decided = await cases.decide(ann, {
          reviewCaseId,
          ...seenOf(review),
          presentationDigest: review.presentationDigest ?? '',
          decision,
          ...given,
        })
        const lacks = decision === 'response_submitted' && (given.response ?? null) === null
        if (!lacks) assert.equal(value(decided).decision, decision)
        else
          assert.deepEqual(
            refused(decided).errors?.map(({ pointer }) => pointer),
            ['/response'],
          )
      }
  })
})
