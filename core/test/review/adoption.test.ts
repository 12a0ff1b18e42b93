import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { presentationDigest } from '@countersign/core/internal'
import { caseBytes } from '@countersign/core/ledger'
import { openToken } from '../../review/sealing.ts'
import {
  ann,
  app,
  type Bench,
  bob,
  createBench,
  hour,
  opening,
  refused,
  seenOf,
  start,
  value,
} from './bench.ts'
import { openByPolicy } from './open-by-policy.ts'

const place = { sessionId: 'ses_1', checkpointId: 'step-1' }
const asked = { action: 'pay', amount: 100 }
const policy = { title: 'Step pay: amounts' }

const open = ({ cases }: Bench, more: Parameters<typeof opening>[0] = {}) =>
  cases.open(app, opening({ ...place, presentation: asked, ...more }))

describe("an opening at a policy's case", () => {
  for (const claimed of [false, true])
    it(`adopts it, ${claimed ? 'claimed' : 'unclaimed'}, as a step without an event`, async () => {
      const bench = await createBench({ callback: true })
      const id = await openByPolicy(bench, place)
      if (claimed) value(await bench.cases.claim(ann, { reviewCaseId: id }))
      const before = bench.stored(id)
      const events = bench.events(id)
      await bench.clock.advance(hour)
      const input = { resumeToken: 'resume-1', requestedBy: bob.memberId }
      const adopted = value(await open(bench, input))
      const presentation = { ...policy, application: asked }
      assert.deepEqual(
        [adopted.reviewCaseId, adopted.adopted, adopted.requestedBy, adopted.presentation],
        [id, true, bob.memberId, presentation],
      )
      assert.equal(adopted.checkpoint.resumeToken, 'resume-1')
      assert.deepEqual(
        [adopted.caseVersion, adopted.eventSequence],
        [before.caseVersion + 1, before.eventSequence + 1],
      )
      assert.equal(adopted.presentationDigest, claimed ? presentationDigest(presentation) : null)
      assert.deepEqual(adopted.history.at(-1), {
        eventSequence: adopted.eventSequence,
        caseVersion: adopted.caseVersion,
        step: 'adopted',
        at: new Date(start + hour).toISOString(),
        actor: 'application:app_1',
      })
      assert.deepEqual(bench.events(id), events)
      const kept = ['state', 'reviewTier', 'dueAt', 'expiresAt', 'reasonCategory'] as const
      for (const member of kept) assert.equal(bench.stored(id)[member], before[member])
      // What was shown before is not what is decided on.
      if (claimed) {
        const stale = await bench.cases.decide(ann, {
          reviewCaseId: id,
          ...seenOf(adopted),
          presentationDigest: before.presentationDigest ?? '',
          decision: 'approved',
        })
        assert.equal(refused(stale).code, 'presentation_changed')
      } else {
        assert.equal(
          refused(await bench.cases.claim(bob, { reviewCaseId: id })).code,
          'requester_cannot_review',
        )
        const mine = value(await bench.cases.claim(ann, { reviewCaseId: id }))
        assert.equal(mine.presentationDigest, presentationDigest(presentation))
      }
    })

  it('tells the outcome with the token that it gave', async () => {
    const bench = await createBench({ callback: true })
    const id = await openByPolicy(bench, place)
    value(await open(bench, { resumeToken: 'resume-1' }))
    const mine = value(await bench.cases.claim(ann, { reviewCaseId: id }))
    value(
      await bench.cases.decide(ann, {
        reviewCaseId: id,
        ...seenOf(mine),
        presentationDigest: mine.presentationDigest ?? '',
        decision: 'approved',
      }),
    )
    assert.deepEqual(
      bench.outcomes().map(({ resumeToken, decision }) => [resumeToken, decision]),
      [['resume-1', 'approved']],
    )
  })

  it('leaves the token that the step brought', async () => {
    const bench = await createBench()
    const id = await openByPolicy(bench, { ...place, resumeToken: 'of the step' })
    const adopted = value(await open(bench, { resumeToken: 'of the opening' }))
    assert.equal(adopted.checkpoint.resumeToken, 'of the step')
    assert.equal(openToken(bench.sealer, bench.stored(id)), 'of the step')
  })

  it('answers alike when it is repeated, under whatever key, and refuses another presentation', async () => {
    const bench = await createBench()
    await openByPolicy(bench, place)
    const input = opening({ ...place, presentation: asked })
    const first = value(await bench.cases.open(app, input))
    assert.deepEqual(value(await bench.cases.open(app, input)), first)
    const reordered = { amount: 100, action: 'pay' }
    assert.deepEqual(value(await open(bench, { presentation: reordered })), first)
    for (const presentation of [{ action: 'pay' }, {}, policy]) {
      const other = await open(bench, { presentation })
      assert.equal(refused(other).code, 'idempotency_conflict')
    }
    assert.deepEqual(
      value(await bench.cases.read(app, { reviewCaseId: first.reviewCaseId })),
      first,
    )
  })

  it('is refused where who asked has the case already', async () => {
    const bench = await createBench()
    const id = await openByPolicy(bench, place)
    value(await bench.cases.claim(ann, { reviewCaseId: id }))
    const before = bench.stored(id)
    const own = await open(bench, { requestedBy: ann.memberId })
    assert.equal(refused(own).code, 'requester_cannot_review')
    assert.deepEqual(bench.stored(id), before)
    assert.equal(value(await open(bench, { requestedBy: bob.memberId })).adopted, true)
  })

  it('is refused where the case would hold too much', async () => {
    const bench = await createBench()
    const id = await openByPolicy(bench, {
      ...place,
      presentation: { text: 'x'.repeat(1_000_000) },
    })
    const large = await open(bench, { presentation: { text: 'x'.repeat(caseBytes - 1_200_000) } })
    assert.equal(refused(large).code, 'case_too_large')
    assert.equal(bench.stored(id).caseVersion, 1)
  })

  it("changes nothing of an application's own case, whatever it presents", async () => {
    const bench = await createBench()
    const first = value(await open(bench))
    const second = value(await open(bench, { presentation: { other: true }, resumeToken: 'late' }))
    assert.deepEqual(second, first)
    assert.equal(first.adopted, false)
  })

  it('keeps the answers of follow-ups beside both', async () => {
    const bench = await createBench()
    const id = await openByPolicy(bench, place)
    const mine = value(await bench.cases.claim(ann, { reviewCaseId: id }))
    const question = 'Who?'
    value(await bench.cases.requestFollowUp(ann, { reviewCaseId: id, ...seenOf(mine), question }))
    const adopted = value(await open(bench))
    assert.equal(adopted.decision, 'follow_up_required')
    const told = value(
      await bench.cases.answerFollowUp(app, {
        reviewCaseId: id,
        ...seenOf(adopted),
        answer: 'Ms. Ito',
      }),
    )
    const presentation = {
      ...policy,
      application: asked,
      followUps: [{ question, answer: 'Ms. Ito' }],
    }
    assert.deepEqual(told.presentation, presentation)
    assert.equal(told.presentationDigest, presentationDigest(presentation))
    assert.equal(value(await open(bench)).adopted, true)
  })

  it('is one of many at once that adopts', async () => {
    const bench = await createBench()
    const id = await openByPolicy(bench, place)
    const results = await Promise.all(
      Array.from({ length: 6 }, (_, at) => open(bench, { presentation: { at: at % 2 } })),
    )
    const adopted = results.filter(({ ok }) => ok)
    assert.equal(adopted.length, 3)
    for (const each of results)
      if (!each.ok) assert.equal(each.refusal.code, 'idempotency_conflict')
    assert.equal(bench.stored(id).history.filter(({ step }) => step === 'adopted').length, 1)
  })
})
